package zoo

var pinnedConnections = Variant{
	Name: "pinned-connections",
	What: "replicas stand behind one URL, and all requests of an HTTP/2 connection go to one of them",
	Says: func(s *Says) {
		behindOneURL("connections")(s)
		s.Target["http"] = `"2"`
	},
}
