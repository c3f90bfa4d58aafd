package determ

import (
	"bytes"

	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
)

// Pointed is the part of an identity that comes from the payload: what two
// payloads with the same inputs can differ in.
type Pointed struct {
	fields []pointedField
}

type pointedField struct {
	name      string
	canonical []byte // nil where an absent value was left out
}

// Pointed takes the identity out of a payload as Select does, less the
// inputs. Its errors are those for which derive would refuse the payload.
func (r *Recipe) Pointed(payload *fingerprint.Value) (*Pointed, error) {
	p := &Pointed{}
	left := false
	for i := range r.Identity {
		e := &r.Identity[i]
		if e.Input != "" {
			left = true
			continue
		}
		v, err := r.take(e, payload, nil)
		if err != nil {
			return nil, err
		}
		f := pointedField{name: e.Name}
		if v != nil {
			left = true
			one := &Selected{Fields: []Field{{e, v}}}
			if f.canonical, err = r.canonical(v, ""); err != nil {
				return nil, r.locate(one, err)
			}
		}
		p.fields = append(p.fields, f)
	}
	if !left {
		return nil, problem.New("", "nothing is left in the identity: every field is absent")
	}
	return p, nil
}

// Changed gives the fields in which two identities of one recipe differ; none
// where both payloads get one ID. Absent, null and "" differ.
func (p *Pointed) Changed(other *Pointed) []string {
	changed := []string{}
	for i, f := range p.fields {
		o := other.fields[i]
		if (f.canonical == nil) != (o.canonical == nil) || !bytes.Equal(f.canonical, o.canonical) {
			changed = append(changed, f.name)
		}
	}
	return changed
}
