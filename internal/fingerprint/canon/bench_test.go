package canon_test

import (
	"strings"
	"testing"

	"github.com/idem-toolkit/idem/internal/fingerprint/canon"
)

// The figures that count are those of bench, against rivals; these are for who
// works on this package.
func BenchmarkAppend(b *testing.B) {
	for kind, text := range map[string]string{
		"record":  `{"order_id": "o-123456789", "amount": 123.40, "currency": "EUR", "customer": {"name": "Zoë X", "email": "u1@example.com", "vip": true}, "items": [{"sku": "A-1", "qty": 2, "price": 3.5}], "note": null}`,
		"escapes": `["` + strings.Repeat(`\u00e9\u0041\u4e2d `, 2000) + `"]`,
		"deep":    strings.Repeat(`{"z":"`+strings.Repeat("x", 1100)+`","a":`, 900) + "1" + strings.Repeat("}", 900),
		"levels":  strings.Repeat(`{"b":`, 900) + "1" + strings.Repeat(`,"a":1}`, 900),
		"wide":    object(row(900)),
		"escaped": object(strings.Split(strings.Join(row(900), "\\n#")+"\\n", "#")),
		"doubles": "[" + strings.Repeat("0.30000000000000004,52.520006599999996,1.7976931348623157,", 500) + "0]",
		"rounded": "[" + strings.Repeat("0.10000000000000001,", 1500) + "0]",
	} {
		b.Run(kind, func(b *testing.B) {
			src := []byte(text)
			var w canon.Writer
			var dst []byte
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = w.Append(dst[:0], src)
			}
		})
	}
}
