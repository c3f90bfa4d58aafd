package zoo

// Faults gives all faults, ordered by the step that they are named for.
func Faults() []Variant {
	return []Variant{
		// duplicate

		// concurrent

		// conflict
		ignoresBody,

		// reorder

		// crash

		// expiry

		// slow

		// disconnect

		// outcome

		// missing-key

		// binding

		// scope

		// fidelity

		// key-rules

		// replicas

		// store-down
	}
}
