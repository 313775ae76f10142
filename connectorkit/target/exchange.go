package target

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/signing"
	"github.com/grantwright/grantwright/connectorkit/target/internal/address"
	"github.com/grantwright/grantwright/connectorkit/target/internal/transfer"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// try sends r once; with OAuth2, and a 401 for an answer, once more with a fresh token.
func (c *Client) try(ctx context.Context, r Request) (*Response, error) {
	resp, sent, err := c.send(ctx, r, "")
	if err != nil {
		return nil, err
	}
	if _, oauth := c.auth.(ClientCredentials); oauth && resp.Status == http.StatusUnauthorized {
		resp.Drain()
		resp.Close()
		if resp, _, err = c.send(ctx, r, sent); err != nil {
			return nil, err
		}
	}
	if resp.Status/100 != 2 {
		defer resp.Close()
		refusal := resp.Refusal()
		if r.Judge != nil {
			refusal = r.Judge(refusal)
		}
		return nil, refusal
	}
	return resp, nil
}

// send sends r with a token other than stale, and returns the token it used.
func (c *Client) send(ctx context.Context, r Request, stale string) (*Response, string, error) {
	u, err := address.Resolve(c.base, r.URL, r.Query, r.Phase)
	if err != nil {
		return nil, "", err
	}
	shown := c.shown(u)
	req, err := http.NewRequestWithContext(ctx, r.method(), u.String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, "", &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "invalid_request", Phase: r.Phase,
			Message: "the request cannot be made from the settings",
		}
	}
	if len(r.Body) == 0 {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	}
	if !r.repeatable() {
		req.GetBody = nil // else the transport sends some requests again by itself
	}
	req.Header = c.headers(r)
	token, err := c.auth.apply(ctx, c, req, stale)
	if err != nil {
		return nil, "", err
	}
	if err := c.pace(ctx, r); err != nil {
		return nil, "", err
	}
	defer c.budget.Leave()
	if c.signing != nil {
		// Only now: a signature holds for minutes, and there may have been a wait.
		signing.Sign(req.Header, c.now(), r.Body, c.signing)
	}
	resp, err := c.exchange(ctx, c.transport, req, r, shown)
	if err == nil {
		c.learn(resp)
	}
	return resp, token, err
}

func (c *Client) headers(r Request) http.Header {
	h := http.Header{"Accept": {c.opts.Accept}, "User-Agent": {c.opts.UserAgent}}
	for k, v := range c.opts.Headers {
		h.Set(k, v)
	}
	for k, v := range r.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	return h
}

// shown is u as users may see it, before the credentials are added.
func (c *Client) shown(u *url.URL) string {
	shown := c.clean(u.String())
	if key, ok := c.auth.(APIKey); ok && key.InQuery {
		sep := "?"
		if u.RawQuery != "" {
			sep = "&"
		}
		shown += sep + url.QueryEscape(key.Name) + "=[secret]"
	}
	return shown
}

// exchange does one HTTP round trip. It follows nothing.
func (c *Client) exchange(
	ctx context.Context, via http.RoundTripper, req *http.Request, r Request, shown string,
) (*Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	traced, sent := watched(ctx)
	req = req.WithContext(traced)
	req.Header.Set("Accept-Encoding", "gzip")
	c.tally.mu.Lock()
	c.tally.calls++
	c.tally.mu.Unlock()
	answer, err := via.RoundTrip(req)
	if err != nil {
		cancel(err)
		return nil, c.unanswered(err, address.HostPort(req.URL), r, sent.Load())
	}
	return c.response(ctx, cancel, answer, r, shown), nil
}

func (c *Client) response(
	ctx context.Context, cancel context.CancelCauseFunc, answer *http.Response, r Request, shown string,
) *Response {
	resp := &Response{
		Status: answer.StatusCode, Header: answer.Header, URL: shown,
		client: c, method: r.method(), phase: r.Phase, host: address.HostPort(answer.Request.URL), ctx: ctx,
		messageAt: r.MessageAt,
	}
	raw := &transfer.Reader{R: answer.Body, Idle: c.opts.Timeout, Total: c.opts.BodyTime, Cancel: cancel}
	b := &body{resp: resp, plain: raw, limit: c.opts.MaxBody}
	if r.Stream {
		b.limit = StreamMaxBody
	}
	switch encoding := strings.ToLower(answer.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		b.raw, b.plain = raw, &transfer.Gzip{From: raw}
	default:
		b.failed = resp.fault(
			v1.ClassTargetFault, "unknown_encoding",
			"the answer is compressed in a way that was not asked for: "+c.clean(encoding), "",
		)
	}
	resp.Body, resp.close = b, raw.Close
	return resp
}

// Bounds of an answer that is decoded whole: of its objects, lists and their elements, and of their nesting.
const (
	maxValues = 500_000
	maxLevels = 512
)

// Decode reads the whole body as one JSON value into v. More values than can be held are an error with code
// answer_too_large.
func (r *Response) Decode(v any) error {
	in := bufio.NewReaderSize(r.Body, 32<<10)
	r.Body = in // JSON looks at the first byte through this buffer, and leaves it there
	if _, err := r.JSON(); err != nil {
		return err
	}
	dec := json.NewDecoder(jsonscan.NewReader(in, maxValues, maxLevels))
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return r.Explain(err)
	}
	r.Drain()
	return nil
}
