package zoo

func balancedLockPerProcess() Variant {
	return Variant{
		Name:      "balanced-lock-per-process",
		What:      "the lock is a mutex of each process behind one URL: copies that the balancer splits run together",
		Caught:    []string{"replicas", "concurrent"},
		Says:      behindOneURL("turns"),
		Behaviour: lockPerProcess.Behaviour,
	}
}
