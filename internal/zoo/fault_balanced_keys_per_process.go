package zoo

func balancedKeysPerProcess() Variant {
	return Variant{
		Name:      "balanced-keys-per-process",
		What:      "each process behind one URL keeps its own keys: a retry that the balancer sends to another one runs again",
		Caught:    []string{"replicas", "duplicate"},
		Says:      behindOneURL("turns"),
		Behaviour: keysPerProcess.Behaviour,
	}
}
