package determ

import (
	"strings"
	"time"
)

// parseTime reads a time of RFC 3339, and no other: package time takes a comma
// for the point and offsets of a day, and refuses a lower-case t or z and the
// second 60, which is read as the first of the next minute.
func parseTime(s string) (time.Time, bool) {
	s = strings.ToUpper(s)
	const date = "0000-00-00T00:00:00"
	if len(s) <= len(date) || !shaped(s[:len(date)], date) {
		return time.Time{}, false
	}
	rest := s[len(date):]
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
		if digits == 0 {
			return time.Time{}, false
		}
		rest = fraction[digits:]
	}
	offset := len(rest) == len("+00:00") && (shaped(rest, "+00:00") || shaped(rest, "-00:00"))
	if rest != "Z" && (!offset || rest[1:3] > "23" || rest[4:6] > "59") {
		return time.Time{}, false
	}
	leap := s[17:19] == "60"
	if leap {
		s = s[:17] + "59" + s[19:]
	}
	t, err := time.Parse(time.RFC3339, s)
	if err == nil && leap {
		t = t.Truncate(time.Second).Add(time.Second)
	}
	return t, err == nil
}

// shaped says whether s has a digit wherever like has a 0, and is like it
// everywhere else.
func shaped(s, like string) bool {
	for i := range len(like) {
		if like[i] == '0' && (s[i] < '0' || s[i] > '9') || like[i] != '0' && s[i] != like[i] {
			return false
		}
	}
	return len(s) == len(like)
}
