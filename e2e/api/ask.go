package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Answer is what came back, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Code is the code of an answer that is a problem, and empty for any other.
func (a Answer) Code() string {
	var p Problem
	if a.Status < 400 || json.Unmarshal(a.Body, &p) != nil {
		return ""
	}
	return p.Code
}

// Into decodes the body.
func (a Answer) Into(out any) error {
	if err := json.Unmarshal(a.Body, out); err != nil {
		return fmt.Errorf("the answer %d %.300s is not what was expected: %w", a.Status, a.Body, err)
	}
	return nil
}

// Ask sends a request to a path below Prefix, with headers of its own: names and values in turn. It neither waits nor
// signs in again.
func (c *Client) Ask(ctx context.Context, method, path string, in any, header ...string) (Answer, error) {
	return c.send(ctx, method, Prefix+path, in, header...)
}

// At is the same user at another address of the service.
func (c *Client) At(base string) *Client {
	there := New(base)
	there.HTTP, there.Watch = c.HTTP, c.Watch
	there.SetToken(c.Token())
	return there
}

// As is somebody else at the same address, who holds this token; nobody when it is empty.
func (c *Client) As(token string) *Client {
	other := c.At(c.Base)
	other.SetToken(token)
	return other
}
