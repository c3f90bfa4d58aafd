package zoo

import "net/http"

func gateway504() Variant {
	return Variant{
		Name:       "gateway-504",
		What:       "a gateway in front loses the answer of one request in forty, which is done, and says 504 instead: not declared",
		Unknowable: everyStep("the gateway answered what the step had to send"),
		Handler:    func(next http.Handler) http.Handler { return &givesUp{next: next, every: 40, forwards: true} },
	}
}
