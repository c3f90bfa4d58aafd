package fingerprint

// Fingerprint is Payload of a value that was read already, as requests have
// theirs: what the way over the text alone is held to.
func (v *Value) Fingerprint(p Policy) (string, error) {
	if !p.shows() {
		if f, found := findSensitive(v, nil, p.Sensitive, p.Looks); found {
			return "", f.refusal("")
		}
	}
	c := Canonicaliser{Numbers: p.Numbers, Engine: p.Engine}
	canonical, err := c.AppendValue(nil, v, "")
	if err != nil {
		return "", Mask(err, p.Sensitive)
	}
	return p.hash(canonical, payloadForm)
}

// FindSensitive gives the first value that pointers name or, where pointers is
// nil, that looks sensitive.
func (v *Value) FindSensitive(pointers []Pointer) (Finding, bool) {
	return findSensitive(v, nil, pointers, false)
}
