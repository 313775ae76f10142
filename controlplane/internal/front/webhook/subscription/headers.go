package subscription

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

func mergeHeaders(old map[string]string, patch map[string]*string) map[string]string {
	merged := maps.Clone(old)
	if merged == nil {
		merged = map[string]string{}
	}
	for name, value := range patch {
		for known := range merged {
			if strings.EqualFold(known, name) {
				delete(merged, known)
			}
		}
		if value != nil {
			merged[name] = *value
		}
	}
	return merged
}

// headersFor refuses a change of the URL that would send the values of the headers, which may be keys to one endpoint,
// to another one.
func (p WebhookPatch) headersFor(s Settings) error {
	if p.URL == nil || sameOrigin(s.URL, *p.URL) {
		return nil
	}
	for name := range s.Headers {
		given := slices.ContainsFunc(
			slices.Collect(maps.Keys(p.Headers)),
			func(n string) bool { return strings.EqualFold(n, name) },
		)
		if !given {
			return fault.Coded(fault.Invalid, "credentials_required", "the URL leads elsewhere, so the header %s "+
				"must be given again, or taken away by null", name).
				With(fault.Field{Pointer: "#/headers/" + name, Code: "required",
					Detail: "its value belongs to the old address"})
		}
	}
	return nil
}

func sameOrigin(a, b string) bool {
	x, err := url.Parse(a)
	y, err2 := url.Parse(b)
	return err == nil && err2 == nil && x.Scheme == y.Scheme && strings.EqualFold(x.Host, y.Host)
}

// ours are headers that deliveries set themselves, or that would change what is sent.
var ours = []string{
	"Host",
	"Content-Length",
	"Content-Type",
	"Content-Encoding",
	"Transfer-Encoding",
	"Connection",
	"Keep-Alive",
	"Upgrade",
	"Te",
	"Trailer",
	"Expect",
	"User-Agent",
	"Cookie",
	"Proxy-Authorization",
	"Proxy-Connection",
	"Accept-Encoding",
}

func wrongHeaders(headers map[string]string) (wrong []fault.Field) {
	refuse := func(name, why string) {
		wrong = append(wrong, fault.Field{Pointer: "#/headers/" + name, Code: "invalid", Detail: why})
	}
	if len(headers) > 20 {
		refuse("", "there may be 20 headers at most")
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, canonical := headers[name], http.CanonicalHeaderKey(name)
		switch {
		case len(name) > 100 || !httpguts.ValidHeaderFieldName(name):
			refuse(name, "this is not the name of a header")
		case slices.Contains(ours, canonical),
			strings.HasPrefix(canonical, "Webhook-"),
			strings.HasPrefix(canonical, "Grantwright-"),
			strings.HasPrefix(canonical, "Sec-"),
			strings.HasPrefix(canonical, "X-Forwarded-"):
			refuse(name, "this header cannot be chosen")
		case value == "" || len(value) > 4096 || !httpguts.ValidHeaderFieldValue(value):
			refuse(name, "this value cannot be sent in a header")
		}
	}
	return wrong
}
