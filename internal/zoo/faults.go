package zoo

import "slices"

// Faults gives all faults, ordered by the step that they are named for.
func Faults() []Variant {
	return slices.Concat(answerFaults(), bodyFaults(), timeFaults(), handlerFaults(), keyFaults())
}
