package zoo

func slowerThanPatience() Variant {
	return Variant{
		Name: "slower-than-patience",
		What: "slow operations work for longer than the check waits for an answer",
		Says: func(s *Says) {
			s.Target["timeout"] = "3s"
			s.Request["slow"] = `{body: {order_id: "o-1", amount: 1999, currency: EUR, work_ms: 4500}}`
		},
		Unknowable: map[string]string{
			"slow":       "the slow request is not answered within target.timeout",
			"disconnect": "the slow request is not answered within target.timeout",
		},
	}
}
