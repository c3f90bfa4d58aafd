package zoo

// Faults gives all faults, ordered by the step that they are named for.
func Faults() []Variant {
	return append([]Variant{
		// duplicate
		neverLooksUp,
		ignoresKeyOnCharges,
		readsAReplica,
		runsBehindReplay,
		runsLate,
		recordReadOnce,
		duplicateVoids,
		duplicateGets500,
		duplicateGets409,
		duplicateGets429,
		neverFinished,
		markerMissing,
		markerOnFirst,
		replayLosesLocation,
		replayLosesContentType,
		replayHasNewId,
		replayIs200,
		replayIsEmpty,
		replayIsRespelled,
		onlyDebounces,

		// concurrent
		checkThenAct,
		checkBeforeBody,
		loserGets500,
		loserGets503,
		loserIsCutOff,
		loserGetsNothing,
		loserRunsToo,
		waitsThenRuns,
		waitsThenRefuses,
		copiesGetOtherResults,
		inFlightRefused,
		stuckAfterRace,
		runsAfterRace,
		runsInACrowd,

		// conflict
		coversAmountOnly,
		coversFirstBytes,
		coversNamesOnly,
		coversTopLevelOnly,
		foldsCase,
		trimsTexts,
		sixDigitNumbers,
		nullIsAbsent,
		numbersAreTexts,
		arraysAreSets,
		bodyIsPartOfKey,
		conflictRuns,
		conflictReplacesRecord,
		conflictReleasesKey,
		conflictGets500,
		conflictGets400,
		cachedReplayIgnoresBody,
		fingerprintInMemory,
		ignoresBody,

		// reorder
		fingerprintsBytes,
		memberOrderMatters,
		nestedOrderMatters,
		whiteSpaceMatters,
		escapesMatter,
		meaningWhereBytes,
		bytesArePartOfKey,

		// crash
		keysInMemory,
		effectBeforeRecord,
		recordBeforeEffect,
		recordWrittenBehind,
		claimIsTakenForDone,
		noLease,
		leaseTooLong,
		takeoverNotRecorded,
		crashNeedsAnOperator,
		retryAfterCrashIsConflict,
		bodiesInMemory,
		resultRemadeAfterRestart,

		// expiry
		neverForgets,
		forgetsWhenSwept,
		forgetsEarly,
		evictsWhenFull,
		replayExtends,
		runsThriceAfterExpiry,
		stuckAfterExpiry,
		expiredIsConflict,
		expiredGets500,
		staleAfterExpiry,

		// slow

		// disconnect

		// outcome

		// fidelity
	}, keyFaults()...)
}
