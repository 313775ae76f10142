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
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// meaning says what a status tells us of a target and what the user can do about it.
type meaning struct {
	class v1.ErrorClass
	hint  string
}

var meanings = map[int]meaning{
	400: {v1.ClassConfig, "The target does not accept the request. Check filters, paths and parameters of the settings against its documentation."},
	401: {v1.ClassAuth, "The target does not accept the credentials. Check that they are right, not expired, and meant for this system."},
	402: {v1.ClassPermission, "The target's subscription does not include this interface."},
	403: {v1.ClassPermission, "The credentials are known but may not read this. Grant them read access in the target."},
	404: {v1.ClassNotFound, "There is nothing at this address. Check base_url and the path."},
	405: {v1.ClassConfig, "The target does not offer this at this address. Check base_url and the path."},
	406: {v1.ClassConfig, "The target cannot answer in the format that is asked for."},
	407: {v1.ClassConfig, "A proxy on the way wants credentials of its own."},
	408: {v1.ClassTransient, "The target gave up waiting. Try again; smaller pages may help."},
	409: {v1.ClassConflict, ""},
	410: {v1.ClassNotFound, "The target has removed this address. Check its documentation for the new one."},
	412: {v1.ClassConflict, ""},
	413: {v1.ClassConfig, "The target finds the request too large. Ask for smaller pages."},
	414: {v1.ClassConfig, "The target finds the address too long. Shorten the filter."},
	415: {v1.ClassConfig, "The target does not accept the format of the request."},
	421: {v1.ClassConfig, "The target is not responsible for this host name. Check base_url."},
	422: {v1.ClassConfig, "The target does not accept the request. Check filters, paths and parameters of the settings against its documentation."},
	425: {v1.ClassTransient, "Try again."},
	429: {v1.ClassRateLimited, "The target limits how many requests it answers. Set rate_limit_rps, or ask its owner for a higher limit."},
	500: {v1.ClassTargetFault, "The target itself has failed. Its own log says why; smaller pages may help."},
	501: {v1.ClassTargetFault, "The target does not offer what was asked for."},
	502: {v1.ClassTransient, "A gateway before the target got no usable answer from it. Try again later."},
	503: {v1.ClassTransient, "The target is overloaded or in maintenance. Try again later."},
	504: {v1.ClassTransient, "A gateway before the target gave up waiting for it. Smaller pages may help."},
	505: {v1.ClassTargetFault, ""},
}

func meaningOf(status int) meaning {
	if m, ok := meanings[status]; ok {
		return m
	}
	switch status / 100 {
	case 3:
		return meaning{v1.ClassConfig, "Redirects are not followed, so that credentials stay with the host they were given for. Use the final address as base_url."}
	case 4:
		return meaning{v1.ClassConfig, ""}
	case 5:
		return meaning{v1.ClassTransient, "The target itself has failed. Try again later."}
	}
	return meaning{v1.ClassTargetFault, "The target answered with a status that has no place here."}
}

// Refusal is the error an answer outside 2xx stands for: the target's status, its words where it has some, what that means
// and how to mend it. It reads the beginning of the body.
func (r *Response) Refusal() *v1.ErrorDetail {
	_, _ = io.CopyN(io.Discard, r.Body, keepBytes)
	m := meaningOf(r.Status)
	d := r.fault(m.class, fmt.Sprintf("http_%d", r.Status), fmt.Sprintf("%s %s answered %s", r.method, r.URL, r.statusLine()), m.hint)
	now := r.client.now()
	if r.Status == http.StatusForbidden && limited(r.Status, r.Header, now) {
		d.Class, d.Hint = v1.ClassRateLimited, meanings[429].hint
	}
	d.Retryable = d.Class == v1.ClassTransient || d.Class == v1.ClassRateLimited
	if d.Retryable || r.Status == http.StatusInternalServerError {
		d.RetryAfterMS = retryAfter(r.Header, now)
		if a, ok := allowanceOf(r.Header, now); ok && d.RetryAfterMS == nil && d.Class == v1.ClassRateLimited {
			ms := a.reset.Milliseconds()
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

// limited tells an answer that complains of too many requests: 429, 503 with a time to wait, and 403 as some targets use it
// (GitHub: no requests remaining, or Retry-After).
func limited(status int, h http.Header, now time.Time) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return retryAfter(h, now) != nil
	case http.StatusForbidden:
		a, ok := allowanceOf(h, now)
		return retryAfter(h, now) != nil || ok && a.remaining == 0
	}
	return false
}

// words finds the reason that a target gives in the common shapes: SCIM (RFC 7644 section 3.12), OAuth2 (RFC 6749, RFC 6750),
// problem details (RFC 9457), and a plain message.
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

// said finds the words where the caller knows them to stand. An answer that is longer than the excerpt is not looked at.
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
	d := Explain(err, host, r.Phase)
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
		d.Message = fmt.Sprintf("%s took the request but did not answer in time", host)
		d.Hint = "The target is slow. Smaller pages or a longer timeout_s may help."
	}
	d.Message = c.clean(d.Message)
	if d.Target == nil {
		d.Target = &v1.Target{Host: host}
	}
	d.Target.Kind = "http"
	return d
}

// shownHeaders are the headers of an answer that may be shown.
var shownHeaders = []string{"Allow", "Content-Encoding", "Content-Length", "Date", "Retry-After", "Server", "Www-Authenticate", "X-Request-Id"}

func (c *Client) allowed(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		if slices.Contains(shownHeaders, name) || strings.HasPrefix(name, "Ratelimit") || strings.HasPrefix(name, "X-Ratelimit-") {
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

// named finds values whose names say that they are secrets, in JSON and in forms, so that secrets nobody gave us (a target
// that answers with somebody else's) are masked too.
var named = regexp.MustCompile(`(?i)("?[a-z0-9_.-]*(?:access_token|refresh_token|id_token|client_secret|password|passphrase|passwd|api_?key|private_key)"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|[^"&\s,;}<{[][^"&\s,;}<]*)`)

// withoutSecrets masks such values. What can be no secret stays: yes or no, nothing, and an object or list, whose members have names of
// their own.
func withoutSecrets(s string) string {
	return named.ReplaceAllStringFunc(s, func(found string) string {
		m := named.FindStringSubmatch(found)
		switch m[2] {
		case "true", "false", "null":
			return found
		}
		return m[1] + `"[secret]"`
	})
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
	return connectorkit.NewScrubber().Excerpt(withoutSecrets(c.clean(string(b))), excerptBytes)
}

// Clean masks the secrets of this call in text that leaves the connector.
func (c *Client) Clean(s string) string { return c.clean(s) }
