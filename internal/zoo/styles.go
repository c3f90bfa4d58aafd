package zoo

// Styles gives all legal styles.
func Styles() []Variant {
	return []Variant{
		// what a duplicate gets
		noMarker, currentState, duplicate409Link, volatileFields, chunkedAnswers, interimAnswers,

		// while the first is worked on
		inFlight409, inFlight425, inFlight429, waitsThen409, busyBeforeConflict,

		// the same key with another body
		conflict409, conflict400, same409, keyDecides, keyAndBody, onlyEuros,

		// what the fingerprint covers
		byteFingerprint, formBodies,

		// keys: where they travel, what they are, what they are unique within
		keyInBody, keyInQuery, sfStringKeys, caselessKeys, uuidKeys, keylessRuns, accountWideKeys, unboundKeys,

		// what is stored, and how long
		stores5xx, storesSuccessOnly, retentionLonger, after412,

		// effects and their counter
		accepted202, laggingCounter, countsAtMostOne, uniqueOrders,

		// the surroundings
		resetsSometimes, recoversWith503, offersHTTP2,
	}
}
