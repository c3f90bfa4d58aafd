package zoo

// answerFaults gives the faults that are named for duplicate and concurrent.
func answerFaults() []Variant {
	return []Variant{
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
	}
}

// bodyFaults gives the faults that are named for conflict and reorder.
func bodyFaults() []Variant {
	return []Variant{
		// conflict
		coversAmountOnly,
		coversFirstBytes,
		coversNamesOnly,
		coversTopLevelOnly,
		foldsCase,
		trimsTexts,
		sixDigitNumbers,
		wholeNumbers,
		signsLeftOut,
		numbersAreAdded,
		joinsValues,
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
		outerSpaceMatters,
		escapesMatter,
		meaningWhereBytes,
		bytesArePartOfKey,
	}
}

// timeFaults gives the faults that are named for crash and expiry.
func timeFaults() []Variant {
	return []Variant{
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
		conflictExtends,
		conflictShortens,
		replicaForgetsEarly,
		runsThriceAfterExpiry,
		stuckAfterExpiry,
		expiredIsConflict,
		expiredGets500,
		staleAfterExpiry,
	}
}
