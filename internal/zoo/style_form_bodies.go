package zoo

var formBodies = Variant{
	Name: "form-bodies",
	What: "requests are forms, whose bytes the fingerprint covers",
	Says: func(s *Says) {
		inForms(s)
		s.Promise["reorder"] = "bytes"
	},
}

// inForms has the contract's requests as forms.
func inForms(s *Says) {
	s.Request["headers"] = "{Content-Type: application/x-www-form-urlencoded}"
	delete(s.Request, "body")
	s.Request["form"] = `{order_id: "o-1", amount: "1999", currency: EUR}`
	s.Request["failing"] = `{"4xx": {form: {order_id: "o-1", amount: "1999", currency: EUR, payment_method: declined}}, "5xx": {headers: {X-Test-Fail: "once"}}}`
	s.Request["slow"] = `{form: {order_id: "o-1", amount: "1999", currency: EUR, work_ms: "2500"}}`
	delete(s.Request, "variants")
}
