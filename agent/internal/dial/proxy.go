package dial

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/proxy"
)

// ProxyError reports that the connection through the proxy failed, so that the fault is not looked for at the
// control plane.
type ProxyError struct {
	Proxy string // host and port, without user name and password
	Err   error
}

// Error says which proxy it was. The address has no password in it.
func (e *ProxyError) Error() string { return "through the proxy " + e.Proxy + ": " + e.Err.Error() }

// Unwrap gives the cause.
func (e *ProxyError) Unwrap() error { return e.Err }

// checkProxy refuses a proxy that cannot be used, before the first connection.
func checkProxy(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return errors.New("the proxy is not a URL; use a URL such as http://proxy.example.org:3128")
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		if u.Host != "" {
			return nil
		}
	}
	return errors.New("the proxy's URL must be http://, https:// or socks5:// and a host")
}

// throughProxy reaches an address through a proxy. The end of ctx closes the connection, since a
// proxy that does not answer leaves nothing else to do.
func (d *Dialer) throughProxy(ctx context.Context, via *url.URL, addr string) (net.Conn, error) {
	switch via.Scheme {
	case "socks5", "socks5h":
		return d.socks(ctx, via, addr)
	case "http", "https":
	default:
		return nil, fmt.Errorf("proxies of kind %q are not supported: use http, https or socks5", via.Scheme)
	}
	conn, err := d.net.DialContext(ctx, "tcp", hostPort(via))
	if err != nil {
		return nil, err
	}
	// Closing is the only way to end a handshake that the proxy does not answer.
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	tunnel, err := d.connect(ctx, conn, via, addr)
	if !stop() {
		err = silent(context.Cause(ctx))
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return tunnel, nil
}

// silent says why a handshake with the proxy was given up. The error of the closed connection itself would name the
// wrong end.
func silent(cause error) error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return fmt.Errorf("it accepted the connection and did not answer the request for a tunnel in time: %w", cause)
	}
	return cause
}

// connect asks the proxy behind conn for a tunnel (RFC 9110 section 9.3.6).
func (d *Dialer) connect(ctx context.Context, conn net.Conn, via *url.URL, addr string) (net.Conn, error) {
	if via.Scheme == "https" {
		secure := d.TLS.Clone()
		secure.ServerName = via.Hostname()
		t := tls.Client(conn, secure)
		if err := t.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		conn = t
	}
	req := &http.Request{
		Method: http.MethodConnect,
		URL:    &url.URL{Opaque: addr},
		Host:   addr,
		Header: http.Header{"User-Agent": {"grantwright-agent"}},
	}
	if via.User != nil {
		password, _ := via.User.Password()
		pair := via.User.Username() + ":" + password
		req.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	r := bufio.NewReader(io.LimitReader(conn, 64<<10))
	resp, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, fmt.Errorf("read its answer: %w", err)
	}
	return tunnel(conn, r, resp)
}

// tunnel takes the proxy's answer to CONNECT (RFC 9110 section 9.3.6). After 200 the connection is
// the tunnel, without the deadline of the handshake.
func tunnel(conn net.Conn, r *bufio.Reader, resp *http.Response) (net.Conn, error) {
	switch {
	case resp.StatusCode == http.StatusProxyAuthRequired:
		return nil, fmt.Errorf(
			"it wants another user name or password (%s; %s)",
			resp.Status,
			resp.Header.Get("Proxy-Authenticate"),
		)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("it refuses the tunnel: %s", resp.Status)
	case r.Buffered() > 0:
		// Whoever speaks first is the client; bytes from the other side cannot be the control plane's.
		return nil, errors.New("it sent more than its answer")
	}
	return conn, conn.SetDeadline(time.Time{})
}

// socks reaches an address through a SOCKS 5 proxy, which resolves the name.
func (d *Dialer) socks(ctx context.Context, via *url.URL, addr string) (net.Conn, error) {
	var auth *proxy.Auth
	if via.User != nil {
		password, _ := via.User.Password()
		auth = &proxy.Auth{User: via.User.Username(), Password: password}
	}
	dialer, err := proxy.SOCKS5("tcp", hostPort(via), auth, &d.net)
	if err != nil {
		return nil, err
	}
	return dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", addr)
}

// ports are what a proxy's URL means when it names none.
var ports = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

// hostPort is the proxy's address with the usual port of its scheme.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), ports[u.Scheme])
}
