package zoo

func balancedNoResult() Variant {
	return Variant{
		Name:      "balanced-no-result",
		What:      "a process behind one URL sees the claim of another one and never its result, and its refusals do not name it",
		Caught:    []string{"replicas", "duplicate"},
		Says:      func(s *Says) { behindOneURL("turns")(s); s.Promise["in_flight"] = "{status: [409], wait: true}" },
		Behaviour: replicaSeesNoResult.Behaviour,
		Handler:   namesOnSuccess,
	}
}
