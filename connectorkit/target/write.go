package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// lost is the error of a request that went out and was not answered.
type lost struct{ *v1.ErrorDetail }

// Unwrap gives the detail.
func (l lost) Unwrap() error { return l.ErrorDetail }

// MayHaveArrived says whether a request that ended with err may have been carried out all the same: no answer came, or one that
// a gateway or a failing service gives in place of the true one. A service that asks to come back later has done nothing.
func MayHaveArrived(err error) bool {
	if Unanswered(err) {
		return true
	}
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Phase == "token" || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	switch status := d.Target.HTTP.Status; status {
	case http.StatusRequestTimeout:
		return true
	case http.StatusServiceUnavailable:
		return d.RetryAfterMS == nil
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	default:
		return status/100 == 5
	}
}

// Absent says whether err is the target's own word that something is not there, with one of the statuses. A page of whatever
// stands in between is no such word.
func Absent(err error, statuses ...int) bool {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil || !slices.Contains(statuses, d.Target.HTTP.Status) {
		return false
	}
	return !strings.Contains(strings.ToLower(d.Target.HTTP.ContentType), "html")
}

// Forbidden says whether err is the target's refusal to show one record to this login.
func Forbidden(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Class == v1.ClassPermission && d.Target != nil && d.Target.HTTP != nil &&
		d.Target.HTTP.Status == http.StatusForbidden
}

// Unanswered says whether a request went out, and no answer to it came.
func Unanswered(err error) bool {
	var l lost
	return errors.As(err, &l)
}

// watched notes whether the head of a request went out. Before that the target cannot have understood it.
func watched(ctx context.Context) (context.Context, *atomic.Bool) {
	var sent atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}), &sent
}

// unanswered is the error of a round trip that failed; what may have been carried out says so.
func (c *Client) unanswered(err error, host string, r Request, sent bool) error {
	d := c.explain(err, host, r)
	if sent && !r.repeatable() && r.Phase != "token" {
		return lost{d}
	}
	return d
}

const maskedValue = "[secret]"

// Plan shows a request as it would be sent, with secrets masked. It asks nobody.
func (c *Client) Plan(r Request) (v1.PlannedHTTP, error) {
	u, err := resolve(c.base, r)
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
			if _, text := e.(string); text && secretName(name) {
				out[name] = maskedValue
				continue
			}
			out[name] = c.masked(e)
		}
		return out
	}
	return v
}

func secretName(name string) bool { return named.MatchString(name + "=x") }

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
