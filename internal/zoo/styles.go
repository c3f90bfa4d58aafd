package zoo

// Styles gives all legal styles.
func Styles() []Variant {
	return []Variant{
		// what a duplicate gets
		noMarker, currentState, duplicate409Link, volatileFields, chunkedAnswers, interimAnswers,
		largeAnswers, emptyThenCurrent, idsFromOrder, timesInSeconds, variantCostsMore,

		// while the first is worked on
		inFlight409, inFlight425, inFlight429, waitsThen409, busyBeforeConflict,
		supersededGets409, supersededGets500, slowerThanPatience(), hangUpCancels, hangUpStored(),

		// the same key with another body
		conflict409, conflict400, same409, keyDecides, keyAndBody, onlyEuros,

		// what the fingerprint covers
		byteFingerprint, formBodies, formFields,

		// keys: where they travel, what they are, what they are unique within
		keyInBody, keyInQuery, sfStringKeys, caselessKeys, uuidKeys, keylessRuns, accountWideKeys, unboundKeys, oneKeySpace,

		// what is stored, and how long
		stores5xx, storesSuccessOnly, retentionLonger, after412,
		retentionFromLastUse, retentionFromCompletion, failsWith503, stores503, failureResets,
		refusalHasTime, refusalTriedAgain, refusesWith409(),

		// effects and their counter
		accepted202, laggingCounter, countsAtMostOne(), uniqueOrders(),
		countsOwnOnly, countsBothEndpoints,

		// the surroundings
		resetsSometimes, recoversWith503, offersHTTP2, offersUpgrade, speaksHTTP2Only, rateLimited(), gateway503(), gateway504(), cachedInOutage, hangsInOutage,
		behindOne(), namelessRefusals(), pinnedConnections, stickyBalancer(),
	}
}
