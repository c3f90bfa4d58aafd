package determ

// identity judges the fields of one version by their names.
func (l *linter) identity(r *Recipe) {
	l.customerAndAmount(r)
	optional := 0
	for i := range r.Identity {
		e := &r.Identity[i]
		l.volatileName(e)
		if e.OmitAbsent {
			optional++
		}
		if e.Input == "" && len(e.Pointer) == 0 {
			l.about(e, "whole-payload", LevelWarning, "name the fields that make the operation what it is",
				"is the whole payload: a change of any field makes a retry a new operation")
		}
	}
	if optional == len(r.Identity) {
		l.add("identity-may-be-empty", LevelError, r.node.Lookup("identity"), "leave when_absent: refuse with one field at least",
			"every field may be absent, and nothing would be left to tell operations apart")
	}
}
