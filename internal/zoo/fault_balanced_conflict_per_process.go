package zoo

func balancedConflictPerProcess() Variant {
	return Variant{
		Name:      "balanced-conflict-per-process",
		What:      "fingerprints are kept by each process behind one URL: a changed body is replayed to wherever its original did not run",
		Caught:    []string{"replicas", "conflict"},
		Says:      behindOneURL("turns"),
		Behaviour: conflictPerProcess.Behaviour,
	}
}
