package reference

import (
	"net/http"
	"strconv"
)

// explanations are the problem types of RFC 9457 that this service answers
// with. The type is /problems/SLUG, which is served as well; slugs are stable.
var explanations = map[string]string{
	"key-missing":       "This operation moves money: send an Idempotency-Key, one for each intent, and the same one with every retry.",
	"key-invalid":       "An Idempotency-Key is 1 to 255 printable ASCII characters, sent once.",
	"key-conflict":      "The key was used for another request. A new intent needs a new key; a retry must be the same request, member for member.",
	"in-flight":         "The first request with this key is still being worked on. Send the same request again after Retry-After.",
	"body-malformed":    "The body is not one unambiguous JSON object (RFC 8785, RFC 7493) or form.",
	"body-invalid":      "The body's members are not those of this operation; errors says which. Nothing was stored under the key.",
	"body-too-large":    "A body may have 1 MiB.",
	"body-too-slow":     "The body did not arrive in time.",
	"media-type":        "Send application/json or application/x-www-form-urlencoded, without a content coding.",
	"caller-unknown":    "Send Authorization: Bearer TOKEN once, or nothing at all.",
	"declined":          "The payment was declined. The answer is stored: the same key gets it again.",
	"effect-refused":    "The other service refused the effect. The answer is stored: the same key gets it again.",
	"effect-unknown":    "Whether the effect happened at the other service is not known yet. Send the same request again after Retry-After.",
	"handler-failed":    "The operation failed before any effect. The key is free: send the same request again.",
	"store-unavailable": "The store could not be reached, and without it nothing is done. Send the same request again after Retry-After.",
	"up-invalid":        "up is true or false.",
	"overloaded":        "Too many requests are being worked on. Send the same request again after Retry-After.",
	"order-missing":     "Name the order by the query parameter order_id, once.",
	"limit-invalid":     "limit is a whole number from 1 to 1000.",
	"seconds-invalid":   "seconds is a whole number from 1 to 31622400.",
	"not-found":         "There is nothing here.",
	"method":            "Allow says which methods this path has.",
}

// Refuse is a problem+json answer (RFC 9457) with the status's own title.
func Refuse(status int, slug, detail string, errors ...invalid) Answer {
	body := struct {
		Type   string    `json:"type"`
		Title  string    `json:"title"`
		Status int       `json:"status"`
		Detail string    `json:"detail"`
		Errors []invalid `json:"errors,omitempty"`
	}{"/problems/" + slug, http.StatusText(status), status, detail, errors}
	return Answer{
		Status: status,
		Header: []Field{{"Content-Type", "application/problem+json"}},
		Body:   marshal(body),
	}
}

// RefuseFor is Refuse with a Retry-After in seconds.
func RefuseFor(status int, slug, detail string, seconds int) Answer {
	return Refuse(status, slug, detail).With("Retry-After", strconv.Itoa(seconds))
}

// explain serves a problem type.
func explain(slug string) Answer {
	text, ok := explanations[slug]
	if !ok {
		return notFound()
	}
	return Answer{Status: 200, Header: []Field{{"Content-Type", "text/plain; charset=utf-8"}}, Body: []byte(text + "\n")}
}

func notFound() Answer { return Refuse(404, "not-found", "there is nothing at this path") }
