package target

import (
	"net/http"
	"net/url"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/internal/shared"
	"github.com/grantwright/grantwright/connectorkit/target/internal/tlsconf"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Limits of an answer (SSRF-7). Streamed bodies are read piece by piece, so that only their decoder bounds memory.
const (
	DefaultMaxBody  = 32 << 20 // bytes of one answer after decompression
	StreamMaxBody   = 2 << 30  // the same for a Request with Stream set
	maxHeaderBytes  = 32 << 10
	maxRatio        = 100 // decompressed to compressed
	excerptBytes    = 4 << 10
	defaultTimeout  = 60 * time.Second
	defaultConnect  = 10 * time.Second
	defaultTries    = 5
	defaultBodyTime = 60 * time.Second
)

// Options say how one target system is spoken to. The zero value of every field but BaseURL is a usable default.
type Options struct {
	// BaseURL is https://host[:port][/path], or http:// where Env.Plaintext allows it. Query, fragment and
	// user info are refused.
	BaseURL string

	// Auth is None when nil.
	Auth Auth

	// SigningSecret, where set, signs every request to the target beside what Auth does; see package signing.
	SigningSecret string

	// Headers are put on every request to the target, but not on those to a token endpoint. Their values
	// count as secrets.
	Headers map[string]string

	Accept    string // default application/json
	UserAgent string

	TLS tlsconf.Settings

	// Timeout bounds the wait for the head of an answer and every single read of its body: 60 s.
	Timeout time.Duration

	// BodyTime bounds all waiting for one body: 60 s, and more for a body that keeps coming at a fair rate.
	// The time that the reader itself takes does not count.
	BodyTime time.Duration

	ConnectTimeout time.Duration // to connect, and again to shake hands: 10 s

	// What all calls of the process may ask of this host with these credentials. Answers that complain lower
	// it for a while.
	RateRPS     float64 // requests a second; 0: no bound
	RateBurst   int     // requests that may go at once after a rest; 0: those of one second
	Concurrency int     // requests under way; 0: 4

	MaxBody int64 // bytes of one answer; 0: DefaultMaxBody
	Tries   int   // of a request that may be repeated; 0: 5

	// Scrub masks the call's secrets in whatever leaves the Client. The secrets in Auth and Headers, and
	// tokens that are fetched, are masked anyway.
	Scrub *connectorkit.Scrubber

	// Report receives waits if connectorkit.ReportOf(ctx) has no receiver.
	Report connectorkit.Report

	// Shared outlives the call; see Process. Nil: nothing is kept.
	Shared *shared.State

	// Sleep replaces the real wait in tests.
	Sleep Sleep
}

// Request is one request to the target.
type Request struct {
	Method string // default GET

	// URL is a path below the base URL, with or without its first slash, or an absolute URL of the same
	// scheme, host and port, as targets give it in a next link. A query in it is kept and Query is added to
	// it.
	URL   string
	Query url.Values

	Header http.Header
	Body   []byte

	// Phase names the step in errors: users, groups, request.
	Phase string

	// Stream lifts the bound on the body from Options.MaxBody to StreamMaxBody: the caller decodes piece by piece.
	Stream bool

	// Repeatable lets a method other than GET and HEAD be tried again, for instance a search by POST.
	Repeatable bool

	// MessageAt, where set, finds the target's own words in the decoded body of a refusal, before the common
	// shapes are tried.
	MessageAt func(answer any) string

	// Judge, where set, may give an answer outside 2xx another class or code before it is decided whether to try again.
	Judge func(*v1.ErrorDetail) *v1.ErrorDetail
}

func (r Request) method() string {
	if r.Method == "" {
		return http.MethodGet
	}
	return r.Method
}

func (r Request) repeatable() bool {
	return r.Repeatable || r.method() == http.MethodGet || r.method() == http.MethodHead
}
