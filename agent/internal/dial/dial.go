// Package dial opens every connection from the agent to the control plane. There is one dialer for HTTP and for the
// websocket, so that a proxy or a private certificate authority which works for one works for the other.
package dial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/grantwright/grantwright/agent/internal/config"
)

// Times that a connection may take.
const (
	connectTimeout = 20 * time.Second
	requestTimeout = 60 * time.Second
)

// Dialer reaches one control plane.
type Dialer struct {
	// Base is the control plane's address.
	Base *url.URL

	// TLS is what both the control plane and an https proxy are verified with.
	TLS *tls.Config

	// proxy finds the proxy for an address. Nil result: none.
	proxy func(*url.URL) (*url.URL, error)
	net   net.Dialer
}

// New makes a dialer by the settings. A proxy named there comes before HTTPS_PROXY; NO_PROXY holds for both. As
// everywhere in Go, loopback addresses are never proxied.
func New(s config.Settings) (*Dialer, error) {
	base, err := s.Base()
	if err != nil {
		return nil, err
	}
	roots, err := roots(s.CA)
	if err != nil {
		return nil, err
	}
	env := httpproxy.FromEnvironment()
	if s.Proxy != "" {
		if err := checkProxy(s.Proxy); err != nil {
			return nil, err
		}
		env.HTTPProxy, env.HTTPSProxy = s.Proxy, s.Proxy
	}
	return &Dialer{
		Base:  base,
		TLS:   &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		proxy: env.ProxyFunc(),
		net:   net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second},
	}, nil
}

// roots are the system's authorities with those of a PEM text. Nil: the system's alone.
func roots(pem []byte) (*x509.CertPool, error) {
	if len(pem) == 0 {
		return nil, nil // the system's
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's certificates: %w", err)
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("the certificate file holds no PEM certificate")
	}
	return pool, nil
}

// DialContext connects to addr, through the proxy where there is one. It is what http.Transport and websocket.Dialer
// take.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	proxy, err := d.proxy(&url.URL{Scheme: d.Base.Scheme, Host: addr})
	if err != nil {
		return nil, fmt.Errorf("read proxy settings: %w", withoutURL(err))
	}
	if proxy == nil {
		return d.net.DialContext(ctx, network, addr)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := d.throughProxy(ctx, proxy, addr)
	if err != nil {
		return nil, &ProxyError{Proxy: proxy.Host, Err: err}
	}
	return conn, nil
}

// ProxyFor is the proxy that leads to the control plane, nil where the way is direct.
func (d *Dialer) ProxyFor() (*url.URL, error) {
	u, err := d.proxy(&url.URL{Scheme: d.Base.Scheme, Host: d.Address()})
	if err != nil {
		return nil, fmt.Errorf("read proxy settings: %w", withoutURL(err))
	}
	return u, nil
}

// Address is the control plane's host and port.
func (d *Dialer) Address() string {
	if d.Base.Port() != "" {
		return d.Base.Host
	}
	return net.JoinHostPort(d.Base.Hostname(), ports[d.Base.Scheme])
}

// HTTP is a client for requests to the control plane. It follows no redirects: the token is for this address alone.
func (d *Dialer) HTTP() *http.Client {
	return &http.Client{
		Timeout: requestTimeout,
		Transport: &http.Transport{
			DialContext: d.DialContext, TLSClientConfig: d.TLS.Clone(), TLSHandshakeTimeout: connectTimeout,
			MaxIdleConns: 2, IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// withoutURL drops the address from a URL error, since a proxy's may hold a password.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
