package tryout

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// TestResponse is the verdict of a test, and the setting that it is about where the service itself did not let the call
// out.
type TestResponse struct {
	v1.TestResponse
	// Where the service did not let the call out (error.code destination_not_allowed or plaintext_not_allowed): the
	// setting that leads there, as in the body which saves it.
	Pointer string `json:"pointer,omitempty" example:"#/connection/base_url"`
}

// pointed names the setting that leads to where no call may go.
func (c Call) pointed(answer v1.TestResponse) TestResponse {
	out := TestResponse{TestResponse: answer}
	refused := answer.Error
	if refused == nil || refused.Target == nil ||
		refused.Code != "destination_not_allowed" && refused.Code != "plaintext_not_allowed" {
		return out
	}
	if at := leadsTo(c.Connection, refused.Target.Host); at != "" {
		out.Pointer = "#/connection/" + at
	}
	return out
}

// leadsTo is the setting whose value names a host; where a type makes the host of a setting, the one whose value is the
// longest part of it.
func leadsTo(connection map[string]any, hostport string) (at string) {
	host := strings.ToLower(hostOf(hostport))
	longest := 0
	for _, key := range slices.Sorted(maps.Keys(connection)) {
		value, _ := connection[key].(string)
		named := strings.ToLower(hostOf(value))
		if named == host {
			return key
		}
		if named != "" && strings.HasPrefix(host, named+".") && len(named) > longest {
			at, longest = key, len(named)
		}
	}
	return at
}

// hostOf is the host of a URL, of host:port, or of a host alone.
func hostOf(address string) string {
	if !strings.Contains(address, "://") {
		address = "//" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
