package cmd

import (
	"github.com/idem-toolkit/idem/internal/fingerprint"
	"github.com/idem-toolkit/idem/internal/problem"
	"github.com/idem-toolkit/idem/internal/stream"
)

// fingerprintSingle are the flags of fingerprint that are for one payload, two,
// or a request.
var fingerprintSingle = map[string]string{
	"check":      "idem fingerprint --check FINGERPRINT FILE, for one payload",
	"diff":       "idem fingerprint --diff ONE ANOTHER",
	"request":    "idem fingerprint --request --path PATH BODY, for one request",
	"with-names": "leave it out: there is one file",
}

// fitStream refuses what does not go with a stream.
func (o *fingerprintOptions) fitStream() error {
	if !o.stream.on {
		return nil
	}
	if len(o.files) > 1 {
		return problem.New("--ndjson", "it reads one stream, and %d files are given", len(o.files)).
			WithHint("cat FILE... | idem fingerprint --ndjson")
	}
	return o.stream.fitFormat(o.format)
}

// fingerprintPerLine gives what fingerprint does with each line.
func fingerprintPerLine(o *fingerprintOptions, policy fingerprint.Policy) (perLine, error) {
	do := perLine{file: o.files[0], class: classSensitive}
	annotator, err := o.stream.annotator()
	if err != nil {
		return do, err
	}
	do.newWork = func() (stream.Work, error) {
		printer, err := policy.Printer()
		if err != nil {
			return nil, err
		}
		work := printer.Append
		if o.format == "json" {
			work = func(out, line []byte) ([]byte, error) {
				begun := len(out)
				out, err := printer.Append(append(out, `{"fingerprint":"`...), line)
				if err != nil {
					return out[:begun], err
				}
				return append(out, `"}`...), nil
			}
		}
		return annotating(annotator, work), nil
	}
	do.hopeless = func(head []byte) error { return fingerprint.Mask(refuseHead(head), policy.Sensitive) }
	return do, nil
}
