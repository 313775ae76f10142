package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/internal/header"
	"github.com/grantwright/grantwright/connectorkit/target/internal/masking"
	"github.com/grantwright/grantwright/connectorkit/target/internal/neterr"
	"github.com/grantwright/grantwright/connectorkit/target/internal/pacing"
	"github.com/grantwright/grantwright/connectorkit/target/internal/status"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Refusal is the error an answer outside 2xx stands for: the target's status, its words where it has some,
// what that means and how to mend it. It reads the beginning of the body.
func (r *Response) Refusal() *v1.ErrorDetail {
	_, _ = io.CopyN(io.Discard, r.Body, keepBytes)
	m := status.Of(r.Status)
	d := r.fault(
		m.Class, fmt.Sprintf("http_%d", r.Status), fmt.Sprintf("%s %s answered %s", r.method, r.URL, r.statusLine()),
		m.Hint,
	)
	now := r.client.now()
	if r.Status == http.StatusForbidden && status.IsRateLimited(r.Status, r.Header, now) {
		d.Class, d.Hint = v1.ClassRateLimited, status.Meanings[429].Hint
	}
	d.Retryable = d.Class == v1.ClassTransient || d.Class == v1.ClassRateLimited
	if d.Retryable || r.Status == http.StatusInternalServerError {
		d.RetryAfterMS = pacing.RetryAfter(r.Header, now)
		if a, ok := pacing.AllowanceOf(r.Header, now); ok && d.RetryAfterMS == nil && d.Class == v1.ClassRateLimited {
			ms := a.Reset.Milliseconds()
			d.RetryAfterMS = &ms
		}
	}
	if r.Status/100 == 3 {
		d.Message += ", a redirect, which is not followed"
		d.Target.HTTP.BodyExcerpt, d.Target.HTTP.Truncated = "", false // it repeats the location
		return d
	}
	words, scimType, oauth := r.words()
	d.Target.HTTP.SCIMType, d.Target.HTTP.OAuthError = scimType, oauth
	if words != "" {
		d.Message += ": " + words
	}
	return d
}

// words finds the reason that a target gives in the common shapes: SCIM (RFC 7644 section 3.12), OAuth2 (RFC
// 6749, RFC 6750), problem details (RFC 9457), and a plain message.
func (r *Response) words() (says, scimType, oauth string) {
	if says = r.said(); says != "" {
		return says, "", ""
	}
	var answer map[string]any
	if json.Unmarshal(r.excerpt, &answer) == nil {
		scimType = r.phrase(answer["scimType"])
		oauth = r.phrase(answer["error"])
		for _, key := range []string{"detail", "error_description", "message", "title", "error"} {
			if says = r.phrase(answer[key]); says != "" {
				return says, scimType, oauth
			}
		}
		if inner, ok := answer["error"].(map[string]any); ok {
			says = r.phrase(inner["message"])
		}
		return says, scimType, oauth
	}
	if m := challengeError.FindStringSubmatch(r.Header.Get("WWW-Authenticate")); m != nil {
		oauth = r.client.clean(m[1])
		says = oauth
	}
	return says, scimType, oauth
}

// said finds the words where the caller knows them to stand. An answer that is longer than the excerpt is not
// looked at.
func (r *Response) said() string {
	if r.messageAt == nil {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(r.excerpt))
	dec.UseNumber()
	var answer any
	if dec.Decode(&answer) != nil {
		return ""
	}
	return r.phrase(r.messageAt(answer))
}

// challengeError is the error attribute of a bearer challenge (RFC 6750 section 3).
var challengeError = regexp.MustCompile(`(?i)^bearer\b.*\berror="([a-z_]{1,64})"`)

// phrase is a target's short text, without secrets.
func (r *Response) phrase(v any) string {
	s, ok := v.(string)
	if !ok {
		return ""
	}
	s, _ = connectorkit.NewScrubber().Excerpt(r.client.clean(s), 500)
	return s
}

// explain is Explain in the words of HTTP, with secrets masked.
func (c *Client) explain(err error, host string, r Request) *v1.ErrorDetail {
	var known *v1.ErrorDetail
	d := neterr.Explain(err, host, r.Phase)
	if errors.As(err, &known) {
		if d.Target == nil || d.Target.Kind != "" {
			return d
		}
		copied, where := *d, *d.Target
		where.Kind, copied.Target = "http", &where
		return &copied
	}
	switch {
	case errors.Is(err, context.Canceled):
	case strings.Contains(err.Error(), "server response headers exceeded"):
		d.Class, d.Code, d.Retryable = v1.ClassTargetFault, "headers_too_large", false
		d.Message = fmt.Sprintf("the headers of the answer of %s are larger than %d KiB", host, maxHeaderBytes>>10)
	case strings.Contains(err.Error(), "malformed HTTP"):
		d.Class, d.Code, d.Retryable = v1.ClassTargetFault, "not_http", false
		d.Message = fmt.Sprintf("%s does not speak HTTP on this port", host)
		d.Hint = "Check the port, and whether the address must begin with https://."
	case strings.Contains(err.Error(), "awaiting response headers"):
		d.Message = fmt.Sprintf("%s accepted the request but did not answer in time", host)
		d.Hint = "The target is slow. Smaller pages or a longer timeout_s may help."
	}
	d.Message = c.clean(d.Message)
	if d.Target == nil {
		d.Target = &v1.Target{Host: host}
	}
	d.Target.Kind = "http"
	return d
}

func (c *Client) allowed(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		if slices.Contains(header.Shown, name) || strings.HasPrefix(name, "Ratelimit") ||
			strings.HasPrefix(name, "X-Ratelimit-") {
			out[name], _ = connectorkit.NewScrubber().Excerpt(c.clean(strings.Join(values, ", ")), 500)
		}
	}
	return out
}

// hide masks a token that was fetched during this call.
func (c *Client) hide(token string) {
	c.tally.mu.Lock()
	defer c.tally.mu.Unlock()
	if token == "" || slices.Contains(c.tally.hidden, token) {
		return
	}
	c.tally.hidden = append(c.tally.hidden, token)
	c.tally.scrubbers = append(c.tally.scrubbers, connectorkit.NewScrubber(token))
}

// clean masks secrets.
func (c *Client) clean(s string) string {
	c.tally.mu.Lock()
	scrubbers := slices.Clone(c.tally.scrubbers)
	c.tally.mu.Unlock()
	for _, scrub := range scrubbers {
		s = scrub.Clean(s)
	}
	return s
}

func (c *Client) excerpt(b []byte) (string, bool) {
	return connectorkit.NewScrubber().Excerpt(masking.WithoutSecrets(c.clean(string(b))), excerptBytes)
}

// Clean masks the secrets of this call in text that leaves the connector.
func (c *Client) Clean(s string) string { return c.clean(s) }
