// Package api speaks to a control plane over HTTP as any customer's program would.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/grantwright/grantwright/protocol/retryafter"
)

// Prefix stands before every path.
const Prefix = "/api/v1"

// Client calls one control plane as one user. It signs in again by itself when its token has run out.
type Client struct {
	Base string // such as http://127.0.0.1:8080
	HTTP *http.Client

	// Watch, where given, is told of every request with its token and body, and of its answer.
	Watch func(request, bearer string, sent, answered []byte)

	mu              sync.Mutex
	token           string
	email, password string
}

// New makes a client that has not signed in.
func New(base string) *Client {
	return &Client{Base: base, HTTP: &http.Client{Timeout: 2 * time.Minute}}
}

// Problem is an answer that is an error (RFC 9457).
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	RunID  string `json:"run_id"` // of sync_already_running
	Errors []struct {
		Pointer string `json:"pointer"`
		Code    string `json:"code"`
		Detail  string `json:"detail"`
	} `json:"errors"`
	Count int64 `json:"count"` // of count_mismatch

	what  string
	after time.Duration // Retry-After
}

// Error says what was asked for and what was answered.
func (p *Problem) Error() string {
	text := fmt.Sprintf("%s: %d %s: %s", p.what, p.Status, p.Code, p.Detail)
	for _, e := range p.Errors {
		text += fmt.Sprintf(" [%s %s]", e.Pointer, e.Detail)
	}
	return text
}

// IsStatus reports whether err is a Problem with this status.
func IsStatus(err error, status int) bool {
	var p *Problem
	return errors.As(err, &p) && p.Status == status
}

// Login signs in.
func (c *Client) Login(ctx context.Context, email, password string) error {
	var out struct {
		Token string `json:"access_token"`
	}
	c.SetToken("")
	if err := c.once(
		ctx,
		"POST",
		Prefix+"/auth/login",
		map[string]string{"email": email, "password": password},
		&out,
	); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.email, c.password = out.Token, email, password
	return nil
}

// Token is the access token of the last sign-in.
func (c *Client) Token() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// SetToken uses a token of another origin from now on.
func (c *Client) SetToken(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token, c.email = token, ""
}

// Get reads a path below Prefix.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.Call(ctx, "GET", path, nil, out)
}

// Post sends a body to a path below Prefix.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	return c.Call(ctx, "POST", path, in, out)
}

// Call sends a request to a path below Prefix and decodes the answer into out, which may be nil. An answer that is an
// error comes as *Problem. It waits where the service asks to (429) and signs in again when the token has run out.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	renewed := false
	for {
		err := c.once(ctx, method, Prefix+path, in, out)
		var p *Problem
		switch {
		case !errors.As(err, &p):
			return err
		case p.Status == http.StatusTooManyRequests:
			select {
			case <-ctx.Done():
				return err
			case <-time.After(max(p.after, 100*time.Millisecond)):
			}
		case p.Status == http.StatusUnauthorized && !renewed && c.email != "":
			renewed = true
			if err := c.Login(ctx, c.email, c.password); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// Raw sends a request to a path from the root with the client's token and answers what came, whatever the status.
func (c *Client) Raw(
	ctx context.Context,
	method, path string,
	in any,
) (status int, header http.Header, body []byte, err error) {
	answer, err := c.send(ctx, method, path, in)
	return answer.Status, answer.Header, answer.Body, err
}

// send sends a request with the client's token, and with headers, names and values in turn.
func (c *Client) send(ctx context.Context, method, path string, in any, header ...string) (Answer, error) {
	var encoded []byte
	if in != nil {
		var err error
		if encoded, err = json.Marshal(in); err != nil {
			return Answer{}, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(encoded))
	if err != nil {
		return Answer{}, err
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if token := c.Token(); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	answer, err := c.HTTP.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if c.Watch != nil {
		c.Watch(method+" "+path, r.Header.Get("Authorization"), encoded, body)
	}
	return Answer{Status: answer.StatusCode, Header: answer.Header, Body: body}, err
}

func (c *Client) once(ctx context.Context, method, path string, in, out any) error {
	status, header, body, err := c.Raw(ctx, method, path, in)
	if err != nil {
		return err
	}
	if status >= 300 {
		p := &Problem{what: method + " " + path}
		if json.Unmarshal(body, p) != nil {
			p.Detail = strings.TrimSpace(string(body))
		}
		p.Status = status
		p.after, _ = retryafter.Parse(header.Get("Retry-After"), time.Now()) // absent: 0
		return p
	}
	if out == nil || len(body) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("%s %s: the answer is not what was expected: %w", method, path, err)
	}
	return nil
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T     `json:"items"`
	Total      int64   `json:"total"`
	Limit      int     `json:"limit"`
	Offset     int     `json:"offset"`
	NextCursor *string `json:"next_cursor"`
}

// All reads a list to its end, by cursor.
func All[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, error) {
	q := url.Values{}
	for name, values := range query {
		q[name] = values
	}
	q.Set("limit", "500")
	var all []T
	for {
		var page Page[T]
		if err := c.Get(ctx, path+"?"+q.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all, nil
		}
		q.Set("cursor", *page.NextCursor)
	}
}

// Some reads how many items a list has, and the first of them.
func Some[T any](ctx context.Context, c *Client, path string, limit int) (Page[T], error) {
	var page Page[T]
	joint := "?"
	if strings.Contains(path, "?") {
		joint = "&"
	}
	err := c.Get(ctx, path+joint+"limit="+strconv.Itoa(limit), &page)
	return page, err
}
