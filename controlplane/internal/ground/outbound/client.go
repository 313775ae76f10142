package outbound

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Limits of an answer to one of our own calls.
const (
	maxHeader = 32 << 10
	maxAnswer = 1 << 20
)

// ErrAnswerTooLarge ends the reading of an answer beyond the limit.
var ErrAnswerTooLarge = errors.New("the answer is larger than allowed")

// Client is an HTTP client behind the guard: every connection is judged when it is dialled, redirects are answers and
// not followed, proxies of the environment are ignored, and answers are limited to 1 MiB. timeout is for a whole call.
func (g *Guard) Client(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &guarded{guard: g, next: &http.Transport{
			Proxy:                  nil,
			DialContext:            g.Dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  timeout,
			MaxResponseHeaderBytes: maxHeader,
			MaxConnsPerHost:        16,
			IdleConnTimeout:        30 * time.Second,
			DisableCompression:     true, // what is not unpacked cannot be a bomb
			ForceAttemptHTTP2:      true,
		}},
	}
}

// guarded judges each call's address before it is dialled, and bounds its answer.
type guarded struct {
	guard *Guard
	next  http.RoundTripper
}

// RoundTrip sends one request.
func (t *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "http" {
		if _, err := t.guard.Plaintext(r.Context(), net.JoinHostPort(r.URL.Hostname(), portOf(r.URL))); err != nil {
			return nil, err
		}
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		var one [1]byte
		if n, err := b.ReadCloser.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, ErrAnswerTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
