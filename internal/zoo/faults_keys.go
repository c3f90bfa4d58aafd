package zoo

// keyFaults gives the faults that are named for missing-key, binding, scope,
// key-rules, replicas and store-down.
func keyFaults() []Variant {
	return []Variant{
		// missing-key
		keylessShareAKey,
		keylessRunsUnasked,
		keylessRunsAndIsRefused,
		keylessGets500,
		keylessDeduplicatedByBody,

		// binding
		pathLeftOut,
		pathInFingerprintOnly,
		endpointTakesRecordOver,
		answersForAnotherEndpoint,
		lockLeavesPathOut,

		// scope
		callerLeftOut,
		callerInFingerprintOnly,
		otherCallerGets500,
		otherCallerUnprotected,
		lastCallerWins,
		resultLeaksInRefusal,
		queryLeftOut,
		lockLeavesCallerOut,

		// key-rules
		longKeysGet500,
		endlessKeysGet500,
		caselessCollation,
		keysCutTo64,
		tooLongKeysCut,
		firstOfTwoKeys,
		longKeysUnprotected,
		emptyKeyTaken,

		// replicas
		keysPerProcess,
		lockPerProcess,
		replicaSeesNoResult,
		conflictPerProcess,
		replicaShowsOthers,
		balancedKeysPerProcess(),
		balancedLockPerProcess(),
		balancedConflictPerProcess(),
		balancedNoResult(),

		// store-down
		runsWithoutStore,
		effectBeforeLostRecord,
		outageIsStored,
		outageLeavesClaim,
		storeComesBackEmpty,
	}
}
