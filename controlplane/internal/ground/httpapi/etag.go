package httpapi

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// One is a single resource with its ETag.
type One[T any] struct {
	ETag    string `header:"ETag"`
	Ignored string `header:"Ignored-Fields"`
	Body    T
}

// Created is a new resource with its address.
type Created[T any] struct {
	Location string `header:"Location"`
	ETag     string `header:"ETag"`
	Ignored  string `header:"Ignored-Fields"`
	Body     T
}

// None is an answer without a body.
type None struct{}

// ETag is the strong entity tag of a version.
func ETag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// IfMatch is the precondition of a write. Embed it in the input struct.
type IfMatch struct {
	// The ETag you have seen: the write happens only when it is still the current one.
	Match string `header:"If-Match"`
}

// Check holds the precondition against the current version. Weak tags never match (RFC 9110 section 13.1.1).
func (m IfMatch) Check(version int) error {
	if m.Match == "" {
		return nil
	}
	tags, all, err := entityTags("If-Match", m.Match)
	if err != nil || all || slices.Contains(tags, ETag(version)) {
		return err
	}
	return fault.New(
		fault.Precondition,
		"The resource has changed since you read it. Its ETag is now %s.",
		ETag(version),
	)
}

// IfNoneMatch is the precondition of a write that must not meet anything. Embed it in the input struct.
type IfNoneMatch struct {
	// With * the write happens only when there is nothing yet.
	NoneMatch string `header:"If-None-Match"`
}

// Check holds the precondition against what is there: its version, or nil.
func (m IfNoneMatch) Check(version *int) error {
	if m.NoneMatch == "" {
		return nil
	}
	tags, all, err := entityTags("If-None-Match", m.NoneMatch)
	if err != nil || version == nil ||
		(!all && !slices.Contains(tags, ETag(*version)) && !slices.Contains(tags, "W/"+ETag(*version))) {
		return err
	}
	return fault.New(fault.Precondition, "The resource already exists.")
}

// entityTag is one tag with what separates it from the next (RFC 9110 section 8.8.3).
var entityTag = regexp.MustCompile(`^[ \t]*((?:W/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(,|$)`)

// entityTags reads a list of entity tags, or *.
func entityTags(header, value string) (tags []string, all bool, err error) {
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

// conditional answers 304 to a GET whose If-None-Match names the current ETag (RFC 9110 section 13.1.2).
func (a *API) conditional(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := strings.Join(r.Header.Values("If-None-Match"), ",")
		if seen == "" || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
			next.ServeHTTP(w, r)
			return
		}
		tags, all, err := entityTags("If-None-Match", seen)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		next.ServeHTTP(&conditionalWriter{Passing: Passing{w}, seen: tags, all: all}, r)
	})
}

type conditionalWriter struct {
	Passing
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
