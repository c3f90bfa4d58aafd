package reference

const childEnv = "IDEM_REFERENCE_CHILD"

func serveAsChild() int { return 0 }
