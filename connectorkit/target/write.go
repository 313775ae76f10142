package target

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/internal/address"
	"github.com/grantwright/grantwright/connectorkit/target/internal/masking"
	"github.com/grantwright/grantwright/connectorkit/target/internal/outcome"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// watched notes whether the head of a request went out. Before that the target cannot have understood it.
func watched(ctx context.Context) (context.Context, *atomic.Bool) {
	var sent atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}), &sent
}

// unanswered is the error of a round trip that failed; what may have been carried out says so.
func (c *Client) unanswered(err error, host string, r Request, sent bool) error {
	d := c.explain(err, host, r)
	if sent && !r.repeatable() && r.Phase != "token" {
		return outcome.UnansweredError{ErrorDetail: d}
	}
	return d
}

const maskedValue = "[secret]"

// Plan shows a request as it would be sent, with secrets masked. It makes no call.
func (c *Client) Plan(r Request) (v1.PlannedHTTP, error) {
	u, err := address.Resolve(c.base, r.URL, r.Query, r.Phase)
	if err != nil {
		return v1.PlannedHTTP{}, err
	}
	out := v1.PlannedHTTP{Method: r.method(), URL: c.shown(u), Headers: map[string]string{}}
	for name, values := range c.headers(r) {
		if name != "User-Agent" {
			out.Headers[name] = c.clean(strings.Join(values, ", "))
		}
	}
	for name := range c.opts.Headers {
		if !slices.Contains([]string{"Accept", "Content-Type"}, http.CanonicalHeaderKey(name)) {
			out.Headers[http.CanonicalHeaderKey(name)] = maskedValue
		}
	}
	switch auth := c.auth.(type) {
	case None:
	case APIKey:
		if !auth.InQuery {
			out.Headers[http.CanonicalHeaderKey(auth.Name)] = maskedValue
		}
	default:
		out.Headers["Authorization"] = maskedValue
	}
	if len(r.Body) > 0 {
		out.Body = c.plannedBody(r.Body)
	}
	return out, nil
}

// plannedBody is a body that may be shown: JSON as a value, anything else as text.
func (c *Client) plannedBody(body []byte) any {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		text, _ := c.excerpt(body)
		return text
	}
	return c.masked(v)
}

// masked is a value without the secrets in it: members whose names say so, and texts that hold one of this call's.
func (c *Client) masked(v any) any {
	switch v := v.(type) {
	case string:
		return c.clean(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = c.masked(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			if _, text := e.(string); text && masking.IsSecretName(name) {
				out[name] = maskedValue
				continue
			}
			out[name] = c.masked(e)
		}
		return out
	}
	return v
}

// Hide masks a secret of this call, such as a new password, in whatever leaves the Client from now on.
func (c *Client) Hide(secret string) {
	if secret == "" {
		return
	}
	c.tally.mu.Lock()
	defer c.tally.mu.Unlock()
	// Targets repeat what they were sent, as a text inside of JSON inside of JSON.
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(secret)
	c.tally.scrubbers = append(c.tally.scrubbers, connectorkit.NewScrubber(secret, escaped))
}

// Pause waits, between a change and another look at what became of it.
func (c *Client) Pause(ctx context.Context, phase string, d time.Duration) error {
	return c.rest(ctx, phase, d)
}
