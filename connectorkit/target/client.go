package target

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/signing"
	"github.com/grantwright/grantwright/connectorkit/target/httpfields"
	"github.com/grantwright/grantwright/connectorkit/target/internal/address"
	"github.com/grantwright/grantwright/connectorkit/target/internal/header"
	"github.com/grantwright/grantwright/connectorkit/target/internal/pacing"
	"github.com/grantwright/grantwright/connectorkit/target/internal/shared"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Client speaks to one target system during one call of a connector. It serves several goroutines.
type Client struct {
	env     connectorkit.Env
	opts    Options
	auth    Auth
	base    *url.URL
	host    string // host:port, for errors
	shared  *shared.State
	budget  *pacing.Budget
	circuit *pacing.Circuit
	sleep   Sleep
	once    bool // a probe: no second try
	signing []byte

	tls            *tls.Config
	transport      http.RoundTripper
	tokenTransport http.RoundTripper
	closeIdle      func()
	warnings       []v1.Warning

	tally *tally
}

// tally is what a Client and its WithoutRetry copies have in common.
type tally struct {
	mu        sync.Mutex
	calls     int
	waited    time.Duration
	hidden    []string // tokens fetched by this call
	scrubbers []*connectorkit.Scrubber
	begun     atomic.Bool // the circuit let this call begin
}

// New checks the options and makes a Client; it opens no connection. Its errors are *v1.ErrorDetail of class
// config or policy: unusable addresses, headers or certificates, plain http where it is not allowed. Close it
// at the end of the call.
func New(ctx context.Context, env connectorkit.Env, o Options) (*Client, error) {
	base, err := address.ParseURL("base_url", o.BaseURL)
	if err != nil {
		return nil, err
	}
	if base.RawQuery != "" || base.ForceQuery {
		return nil, &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "invalid_url", Phase: "connect",
			Message: "base_url cannot be used: it must not have a query (?)",
			Hint:    "Query parameters have settings of their own.",
		}
	}
	if err := header.Check(o.Headers); err != nil {
		return nil, err
	}
	c := &Client{
		env: env, opts: defaults(o), base: base, host: address.HostPort(base), shared: o.Shared, sleep: o.Sleep,
		tally: &tally{},
	}
	c.auth = c.opts.Auth
	if o.SigningSecret != "" {
		if c.signing, err = signing.Key(o.SigningSecret); err != nil {
			return nil, &v1.ErrorDetail{
				Class: v1.ClassConfig, Code: "invalid_signing_secret", Phase: "connect", Message: err.Error(),
			}
		}
	}
	if c.shared == nil {
		c.shared = &shared.State{}
	}
	if c.sleep == nil {
		c.sleep = realSleep
	}
	c.tally.scrubbers = []*connectorkit.Scrubber{o.Scrub, connectorkit.NewScrubber(c.ownSecrets()...)}
	c.budget = c.shared.Budget(c.targetKey())
	c.budget.Configure(c.opts.RateRPS, c.opts.RateBurst, c.opts.Concurrency)
	// A host may have many tenants, identified by the path: one that fails says nothing about the others.
	c.circuit = c.shared.Circuit(c.targetKey() + base.EscapedPath())
	if err := c.plaintext(ctx, base); err != nil {
		return nil, err
	}
	if err := c.transports(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

func defaults(o Options) Options {
	if o.Auth == nil {
		o.Auth = None{}
	}
	if o.Accept == "" {
		o.Accept = "application/json"
	}
	if o.UserAgent == "" {
		o.UserAgent = httpfields.DefaultUserAgent
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = defaultConnect
	}
	if o.BodyTime <= 0 {
		o.BodyTime = defaultBodyTime
	}
	if o.MaxBody <= 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Tries <= 0 {
		o.Tries = defaultTries
	}
	if o.Concurrency <= 0 {
		o.Concurrency = httpfields.DefaultConcurrency
	}
	return o
}

func (c *Client) ownSecrets() []string {
	secrets := c.auth.secrets()
	if c.opts.SigningSecret != "" {
		secrets = append(secrets, c.opts.SigningSecret)
	}
	for _, v := range c.opts.Headers {
		secrets = append(secrets, v)
	}
	return secrets
}

// targetKey identifies a target by host and credentials.
func (c *Client) targetKey() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %T %q", c.host, c.auth, c.ownSecrets())
	return hex.EncodeToString(h.Sum(nil))
}

// plaintext asks whether u may be spoken to without TLS.
func (c *Client) plaintext(ctx context.Context, u *url.URL) error {
	if u.Scheme != "http" {
		return nil
	}
	refused := &v1.ErrorDetail{
		Class: v1.ClassPolicy, Code: "plaintext_not_allowed", Phase: "connect",
		Message: "credentials and data may not cross to " + address.HostPort(u) + " without TLS",
		Hint:    "Use https://, or run the connector on an agent in the target's network.",
		Target:  &v1.Target{Kind: "http", Host: address.HostPort(u)},
	}
	if c.env.Plaintext == nil {
		return refused
	}
	warn, err := c.env.Plaintext(ctx, address.HostPort(u))
	var detail *v1.ErrorDetail
	switch {
	case errors.As(err, &detail):
		return err
	case err != nil:
		return refused
	case warn:
		c.warnings = append(c.warnings, v1.Warning{
			Code: "plaintext",
			Message: "the connection to " + address.HostPort(
				u,
			) + " is not encrypted: anyone on the network path can read " +
				"the credentials",
		})
	}
	return nil
}

func (c *Client) transports(ctx context.Context) error {
	conf, warnings, err := c.opts.TLS.Config(c.env, c.base.Hostname())
	if err != nil {
		return err
	}
	c.warnings = append(c.warnings, warnings...)
	c.tls = conf
	main := c.newTransport(conf)
	token := main
	oauth, ok := c.auth.(ClientCredentials)
	if ok {
		u, err := address.ParseURL("token_url", oauth.TokenURL)
		if err != nil {
			return err
		}
		if address.HostPort(u) != c.host {
			if err := c.plaintext(ctx, u); err != nil {
				return err
			}
		}
		// The expected name and the client certificate are the target's own; the CA is the organisation's.
		elsewhere := conf.Clone()
		elsewhere.ServerName, elsewhere.Certificates = u.Hostname(), nil
		token = c.newTransport(elsewhere)
	}
	c.transport, c.tokenTransport = main, token
	c.closeIdle = func() { main.CloseIdleConnections(); token.CloseIdleConnections() }
	return nil
}

// newTransport is a transport without the environment's proxy, without compression of its own (bodies are decompressed
// under bounds) and, used directly, without redirects and cookies.
func (c *Client) newTransport(conf *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            c.dial,
		TLSClientConfig:        conf,
		TLSHandshakeTimeout:    c.opts.ConnectTimeout,
		ResponseHeaderTimeout:  c.opts.Timeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    c.opts.Concurrency,
		IdleConnTimeout:        90 * time.Second,
	}
}

func (c *Client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if c.env.Dial == nil {
		return nil, errors.New("no dialer was lent to the connector")
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.ConnectTimeout)
	defer cancel()
	return c.env.Dial(ctx, network, addr)
}

// Close lets go of the connections.
func (c *Client) Close() { c.closeIdle() }

// Warnings are what the user should know about this connection: no TLS, certificates not checked.
func (c *Client) Warnings() []v1.Warning { return slices.Clone(c.warnings) }

// WithoutRetry is the same client for probes: failures are returned at once. A 401 still leads to one fresh token.
func (c *Client) WithoutRetry() *Client {
	probe := *c
	probe.once = true
	return &probe
}

// Calls is how many requests were sent so far, and Waited how long the target made us wait between them.
func (c *Client) Calls() int { c.tally.mu.Lock(); defer c.tally.mu.Unlock(); return c.tally.calls }

// Waited is how long requests were held back by the target's wish or by the rate that was set.
func (c *Client) Waited() time.Duration {
	c.tally.mu.Lock()
	defer c.tally.mu.Unlock()
	return c.tally.waited
}

// BaseURL is the target's address, safe to show.
func (c *Client) BaseURL() string { return c.clean(c.base.String()) }

// Do sends a request and gives the answer when its status is 2xx; the caller closes it. Any other status, and
// whatever kept the answer from coming, is a *v1.ErrorDetail. What may be repeated is tried again while the
// head of the answer does not come; trouble in the middle of a body is the caller's (see Read).
func (c *Client) Do(ctx context.Context, r Request) (resp *Response, err error) {
	err = c.repeat(ctx, r, func() error {
		resp, err = c.try(ctx, r)
		return err
	})
	return resp, err
}

// Read sends a request, hands the answer to use, and closes it. It tries again as Do does, and also when the
// body breaks off or is no JSON for reasons that may pass: use must be able to run twice. An error that use
// wraps in Stop is final.
func (c *Client) Read(ctx context.Context, r Request, use func(*Response) error) error {
	err := c.repeat(ctx, r, func() error {
		resp, err := c.try(ctx, r)
		if err != nil {
			return err
		}
		defer resp.Close()
		return use(resp)
	})
	var s stopped
	if errors.As(err, &s) {
		return s.error
	}
	return err
}

// JSON reads a whole answer into v.
func (c *Client) JSON(ctx context.Context, r Request, v any) error {
	return c.Read(ctx, r, func(resp *Response) error { return resp.Decode(v) })
}

type stopped struct{ error }

func (s stopped) Unwrap() error { return s.error }

// Stop marks an error of a Read callback as final, for instance that of a full receiver.
func Stop(err error) error {
	if err == nil {
		return nil
	}
	return stopped{err}
}
