package etag

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
)

// entityTag is one tag with what separates it from the next (RFC 9110 section 8.8.3).
var entityTag = regexp.MustCompile(`^[ \t]*((?:W/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(,|$)`)

// Parse reads a list of entity tags, or *.
func Parse(header, value string) (tags []string, all bool, err error) {
	if strings.Trim(value, " \t") == "*" {
		return nil, true, nil
	}
	for rest := value; ; {
		found := entityTag.FindStringSubmatch(rest)
		if found == nil {
			return nil, false, fault.Coded(fault.Malformed, "invalid_request", "%s must be * or a list of entity "+
				"tags, each in quotes", header).
				With(fault.Field{Header: header, Code: "invalid", Detail: `send the ETag as it came, with its quotes`})
		}
		tags = append(tags, found[1])
		if rest = rest[len(found[0]):]; found[2] == "" {
			return tags, false, nil
		}
	}
}

// NotModified answers 304 to a GET whose If-None-Match names the current ETag (RFC 9110 section 13.1.2). fail answers a
// request whose header is malformed.
func NotModified(fail func(http.ResponseWriter, *http.Request, error)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen := strings.Join(r.Header.Values("If-None-Match"), ",")
			if seen == "" || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
				next.ServeHTTP(w, r)
				return
			}
			tags, all, err := Parse("If-None-Match", seen)
			if err != nil {
				fail(w, r, err)
				return
			}
			next.ServeHTTP(&conditionalWriter{Passing: response.Passing{ResponseWriter: w}, seen: tags, all: all}, r)
		})
	}
}

type conditionalWriter struct {
	response.Passing
	seen        []string
	all         bool
	notModified bool
}

func (w *conditionalWriter) WriteHeader(status int) {
	tag := w.Header().Get("ETag")
	if status == http.StatusOK && tag != "" && w.matches(tag) {
		w.notModified = true
		w.Header().Del("Content-Type")
		w.Header().Del("Content-Length")
		status = http.StatusNotModified
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *conditionalWriter) Write(b []byte) (int, error) {
	if w.notModified {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

func (w *conditionalWriter) matches(tag string) bool {
	return w.all ||
		slices.ContainsFunc(
			w.seen,
			func(t string) bool { return strings.TrimPrefix(t, "W/") == strings.TrimPrefix(tag, "W/") },
		)
}
