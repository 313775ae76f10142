package httpapi

import (
	"net/http"
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
	Match string `header:"If-Match" doc:"The ETag you have seen: the write happens only when it is still the current one."`
}

// Check holds the precondition against the current version. Weak tags never match (RFC 9110 section 13.1.1).
func (m IfMatch) Check(version int) error {
	if m.Match == "" || strings.TrimSpace(m.Match) == "*" {
		return nil
	}
	for _, tag := range strings.Split(m.Match, ",") {
		if strings.TrimSpace(tag) == ETag(version) {
			return nil
		}
	}
	return fault.New(fault.Precondition, "it has changed since you read it: its ETag is now %s", ETag(version))
}

// conditional answers 304 to a GET whose If-None-Match names the current ETag (RFC 9110 section 13.1.2).
func conditional(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := r.Header.Get("If-None-Match")
		if seen == "" || r.Method != http.MethodGet {
			next.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(&conditionalWriter{ResponseWriter: w, seen: seen}, r)
	})
}

type conditionalWriter struct {
	http.ResponseWriter
	seen        string
	notModified bool
}

func (w *conditionalWriter) WriteHeader(status int) {
	tag := w.Header().Get("ETag")
	if status == http.StatusOK && tag != "" && matches(w.seen, tag) {
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

// Unwrap lets http.ResponseController reach the writer beneath.
func (w *conditionalWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func matches(header, tag string) bool {
	for _, t := range strings.Split(header, ",") {
		t = strings.TrimSpace(t)
		if t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}
