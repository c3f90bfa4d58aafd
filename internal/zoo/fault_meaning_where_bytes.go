package zoo

var meaningWhereBytes = Variant{
	Name:   "meaning-where-bytes",
	What:   "another spelling is taken for the same request where the bytes are promised to count",
	Caught: []string{"reorder"},
	Says: func(s *Says) {
		s.Promise["reorder"] = "bytes"
	},
}
