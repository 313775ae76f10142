// Package enroll makes a host an agent and keeps it one: it registers the host's keys with an enrolment token, and asks
// for the short tokens that an agent works with.
package enroll

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/protocol/retryafter"
	"github.com/grantwright/grantwright/protocol/wire"
)

// maxAnswer bounds an answer of the control plane in bytes.
const maxAnswer = 64 << 10

// Refused is an answer of the control plane, or of something in between, that is not the wanted one.
type Refused struct {
	// Status is that of HTTP; Detail is the problem's text.
	Status int
	// of the control plane's problem, such as agent_revoked; empty when the answer is not the control plane's
	Code       string
	Detail     string
	RetryAfter time.Duration
	Skew       time.Duration // how far the control plane's clock is ahead of this host's, by its Date header
}

// Error says what the control plane answered, and a difference of clocks if there is one: it is a
// usual cause.
func (e *Refused) Error() string {
	text := fmt.Sprintf("the control plane answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Skew.Abs() > time.Minute {
		text += fmt.Sprintf(" (this host's clock differs from the control plane's by %s)", e.Skew.Round(time.Second))
	}
	return text
}

// Codes of the control plane's problems that the agent acts upon.
const (
	codeRevoked     = "agent_revoked"
	codeDisabled    = "agent_disabled"
	codeQuarantined = "agent_quarantined"
)

// Permanent says that the agent was revoked: it must not come back by itself. Any other refusal may pass, a suspended
// tenant's for one; and a 403 without a code may be a proxy's.
func (e *Refused) Permanent() bool { return e.Code == codeRevoked }

// Disabled says that an administrator has switched the agent off, for a while.
func (e *Refused) Disabled() bool { return e.Code == codeDisabled }

// Quarantined says that the agent's identity was seen in two places.
func (e *Refused) Quarantined() bool { return e.Code == codeQuarantined }

// Client calls the two endpoints of an agent's membership.
type Client struct {
	HTTP *http.Client
	// Base is the control plane's address; Version goes into the User-Agent header.
	Base    *url.URL
	Version string
}

// Register presents the enrolment token and the new keys.
func (c *Client) Register(ctx context.Context, token string, r wire.RegisterRequest) (wire.RegisterResponse, error) {
	return post[wire.RegisterResponse](ctx, c, "/api/v1/agent/register", token, r)
}

// Token asks for a new agent token. bearer is the present one, which may be out of date.
func (c *Client) Token(ctx context.Context, bearer string, r wire.TokenRequest) (wire.TokenResponse, error) {
	return post[wire.TokenResponse](ctx, c, "/api/v1/agent/token", bearer, r)
}

// post sends JSON and reads JSON. An answer that is not 200 or 201 is a *Refused; one that is no
// JSON is an error with a hint at the URL. The answer is bounded.
func post[Out any](ctx context.Context, c *Client, path, bearer string, body any) (Out, error) {
	var out Out
	data, err := json.Marshal(body)
	if err != nil {
		return out, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Base.String()+path, bytes.NewReader(data))
	if err != nil {
		return out, err
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, application/problem+json")
	req.Header.Set("User-Agent", "grantwright-agent/"+c.Version)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return out, fmt.Errorf("reach %s: %w", c.Base.Host, dial.Explain(cause(err)))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return out, Refusal(resp, time.Now())
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&out); err != nil {
		return out, fmt.Errorf(
			"%s answered %s with something that is not the control plane's JSON; is the URL right? %w",
			c.Base.Host,
			resp.Status,
			err,
		)
	}
	return out, nil
}

// cause takes the method and address off a client's error; the caller names them better.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Refusal reads an answer that is not the wanted one. It reads the body but does not close it.
func Refusal(resp *http.Response, now time.Time) *Refused {
	e := &Refused{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header, now)}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		e.Skew = date.Sub(now)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "application/problem+json" {
		e.Detail = foreign(resp)
		return e
	}
	var problem struct{ Title, Detail, Code string }
	if json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&problem) == nil {
		e.Code, e.Detail = problem.Code, problem.Detail
		if e.Detail == "" {
			e.Detail = problem.Title
		}
	}
	return e
}

// foreign describes an answer that no control plane gives.
func foreign(resp *http.Response) string {
	if to := resp.Header.Get("Location"); to != "" {
		if u, err := url.Parse(to); err == nil {
			return "it redirects to " + u.Host + u.Path + "; give the final address as URL"
		}
	}
	if server := resp.Header.Get("Server"); server != "" {
		return "the answer seems to come from " + server + " and not from the control plane"
	}
	return ""
}

// retryAfter is the wait that the header asks for. At most an hour is believed.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait, _ := retryafter.Parse(h.Get("Retry-After"), now)
	return min(wait, time.Hour)
}
