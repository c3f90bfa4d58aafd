package zoo

// Says is the contract of a variant, in parts that a variant may change: each
// value is the YAML of that key, flow style, on one line.
type Says struct {
	Target    map[string]string // keys of target besides base_urls, allow_hosts and auth
	Request   map[string]string
	Key       map[string]string
	Promise   map[string]string
	Operation map[string]string // further keys of the operation: fingerprint, sibling
	Effects   string            // effects, whole
	Crash     string            // crash, whole; empty: none
	Expiry    string            // expiry, whole; empty: none
}
