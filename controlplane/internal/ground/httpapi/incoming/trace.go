package incoming

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
)

// Trace places a request among others (W3C Trace Context). What a caller says of it links the two; it decides about
// nothing here.
type Trace struct {
	ID     string // 32 hexadecimal digits
	Span   string // of this request, 16 digits
	Parent string // the caller's span; empty when the trace begins here
	State  string // the caller's tracestate
}

// traceOf continues the caller's trace, or begins one when the header is missing, doubled or malformed: that is never
// an error.
func traceOf(h http.Header) Trace {
	var random [24]byte
	_, _ = rand.Read(random[:]) // never fails
	t := Trace{ID: hex.EncodeToString(random[:16]), Span: hex.EncodeToString(random[16:])}
	values := h.Values("Traceparent")
	if len(values) != 1 {
		return t
	}
	id, parent, ok := parseTraceparent(strings.Trim(values[0], " \t"))
	if !ok {
		return t
	}
	t.ID, t.Parent, t.State = id, parent, strings.Join(h.Values("Tracestate"), ",")
	return t
}

// parseTraceparent reads version-trace-parent-flags. Later versions may have more behind a further hyphen.
func parseTraceparent(s string) (id, parent string, ok bool) {
	const size = 2 + 1 + 32 + 1 + 16 + 1 + 2
	if len(s) < size || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return "", "", false
	}
	version, id, parent, flags := s[:2], s[3:35], s[36:52], s[53:55]
	if !lowerHex(version) || !lowerHex(id) || !lowerHex(parent) || !lowerHex(flags) || version == "ff" {
		return "", "", false
	}
	if len(s) > size && (version == "00" || s[size] != '-') {
		return "", "", false
	}
	return id, parent, strings.Trim(id, "0") != "" && strings.Trim(parent, "0") != ""
}

func lowerHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}
