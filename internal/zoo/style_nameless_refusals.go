package zoo

func namelessRefusals() Variant {
	return Variant{
		Name:    "nameless-refusals",
		What:    "replicas take turns behind one URL, and only successes name the one that answered",
		Says:    behindOneURL("turns"),
		Handler: namesOnSuccess,
	}
}
