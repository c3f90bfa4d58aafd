package zoo

var countsOwnOnly = Variant{
	Name: "counts-own-only",
	What: "the counter is the caller's own list of charges: another caller's are not in it",
	Says: func(s *Says) {
		s.Effects["http"] = `{method: GET, path: "/v1/charges?order_id={fresh:/order_id}", count: "$.data[*]"}`
	},
}
