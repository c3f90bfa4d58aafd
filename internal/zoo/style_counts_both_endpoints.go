package zoo

var countsBothEndpoints = Variant{
	Name: "counts-both-endpoints",
	What: "the counter counts every movement of money for an order, charges and refunds alike",
	Says: func(s *Says) {
		both := `{method: GET, path: "/v1/effects?order_id={fresh:/order_id}", count: "$.data[*]"}`
		s.Effects["http"] = both
		s.Operation["sibling"] = "{method: POST, path: /v1/refunds, effects: {http: " + both + ", appears_within: 2s, settle: 300ms}}"
	},
}
