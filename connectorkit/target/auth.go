package target

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
)

// Auth is how a client proves who it is: None, Basic, Bearer, APIKey or ClientCredentials.
type Auth interface {
	// apply puts the credentials on a request. If they are fetched, it uses others than stale, and returns
	// what it took.
	apply(ctx context.Context, c *Client, req *http.Request, stale string) (fetched string, err error)

	// secrets are the values that must never be seen, in every form in which they may travel.
	secrets() []string
}

// None sends no credentials.
type None struct{}

func (None) apply(context.Context, *Client, *http.Request, string) (string, error) { return "", nil }

func (None) secrets() []string { return nil }

// Basic is HTTP basic authentication (RFC 7617).
type Basic struct{ Username, Password string }

func (b Basic) apply(_ context.Context, _ *Client, req *http.Request, _ string) (string, error) {
	req.SetBasicAuth(b.Username, b.Password)
	return "", nil
}

func (b Basic) secrets() []string {
	return []string{b.Password, base64.StdEncoding.EncodeToString([]byte(b.Username + ":" + b.Password))}
}

// Bearer sends a token in the Authorization header (RFC 6750). Prefix is the word before it, "Bearer" when
// empty; NoPrefix sends the bare token, as some targets want it.
type Bearer struct {
	Token    string
	Prefix   string
	NoPrefix bool
}

func (b Bearer) apply(_ context.Context, _ *Client, req *http.Request, _ string) (string, error) {
	switch {
	case b.NoPrefix:
		req.Header.Set("Authorization", b.Token)
	case b.Prefix != "":
		req.Header.Set("Authorization", b.Prefix+" "+b.Token)
	default:
		req.Header.Set("Authorization", "Bearer "+b.Token)
	}
	return "", nil
}

func (b Bearer) secrets() []string { return []string{b.Token} }

// APIKey sends a key in a header, or in the query where a target knows no better.
type APIKey struct {
	Name    string // of the header or of the query parameter
	Key     string
	InQuery bool
}

func (k APIKey) apply(_ context.Context, _ *Client, req *http.Request, _ string) (string, error) {
	if !k.InQuery {
		req.Header.Set(k.Name, k.Key)
		return "", nil
	}
	param := url.QueryEscape(k.Name) + "=" + url.QueryEscape(k.Key)
	if req.URL.RawQuery != "" {
		param = req.URL.RawQuery + "&" + param
	}
	req.URL.RawQuery = param
	return "", nil
}

func (k APIKey) secrets() []string { return []string{k.Key} }
