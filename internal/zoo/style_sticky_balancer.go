package zoo

func stickyBalancer() Variant {
	return Variant{
		Name:       "sticky-balancer",
		What:       "replicas stand behind one URL, and a caller always meets the same one",
		Unknowable: map[string]string{"replicas": "the other replica is never met"},
		Says:       behindOneURL("callers"),
	}
}
