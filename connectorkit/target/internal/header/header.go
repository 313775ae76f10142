package header

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Check refuses headers that the connector sets itself or that cannot be sent; the code is invalid_header.
func Check(headers map[string]string) error {
	for name, value := range headers {
		why := ""
		switch canonical := http.CanonicalHeaderKey(name); {
		case name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
			why = "is not the name of a header"
		case slices.Contains(
			[]string{
				"Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Upgrade", "Te",
				"Trailer",
			},
			canonical,
		):
			why = "is set by the connector itself"
		case strings.ContainsAny(value, "\r\n\x00"):
			why = "has a line break in its value"
		}
		if why != "" {
			return &v1.ErrorDetail{Class: v1.ClassConfig, Code: "invalid_header", Phase: "connect",
				Message: fmt.Sprintf("the extra header %q %s", name, why)}
		}
	}
	return nil
}

// Shown are the headers of an answer that may be shown.
var Shown = []string{
	"Allow", "Content-Encoding", "Content-Length", "Date", "Retry-After", "Server", "Www-Authenticate", "X-Request-Id",
}
