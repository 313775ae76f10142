package link

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
)

func newServer(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// authority makes certificates of a private authority.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "Site authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		KeyUsage:              x509.KeyUsageCertSign,
	}
	var der []byte
	der, a.key = a.make(template, nil, nil)
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	a.cert = cert
	return a
}

func (a *authority) make(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	return der, key
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// listen opens a TLS listener with a certificate for name.
func (a *authority) listen(name string) net.Listener {
	a.t.Helper()
	der, key := a.make(&x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: name},
		DNSNames:     []string{name},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().
			Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.cert, a.key)
	l, err := tls.Listen(
		"tcp",
		"127.0.0.1:0",
		&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}},
	)
	if err != nil {
		a.t.Fatal(err)
	}
	return l
}

func serveOn(t *testing.T, l net.Listener, h http.Handler) {
	t.Helper()
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ErrorLog: nil}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
}

// connectProxy is a forward proxy that knows CONNECT alone, wants a user name and password, and resolves every name to
// one address, as a proxy does that alone can see the outside.
type connectProxy struct {
	to      string
	tunnels atomic.Int32
}

func (p *connectProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, ok := parseBasic(r.Header.Get("Proxy-Authorization"))
	switch {
	case r.Method != http.MethodConnect:
		http.Error(w, "CONNECT only", http.StatusMethodNotAllowed)
		return
	case !ok || user != "agent" || password != "p@ss:word":
		w.Header().Set("Proxy-Authenticate", `Basic realm="site"`)
		http.Error(w, "who are you?", http.StatusProxyAuthRequired)
		return
	case r.Host != "control.example.org:443":
		http.Error(w, "not there", http.StatusForbidden)
		return
	}
	out, err := net.Dial("tcp", p.to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	in, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	p.tunnels.Add(1)
	_, _ = io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() { _, _ = io.Copy(out, in); out.Close() }()
	_, _ = io.Copy(in, out)
	in.Close()
}

func parseBasic(header string) (user, password string, ok bool) {
	r := http.Request{Header: http.Header{"Authorization": {header}}}
	return r.BasicAuth()
}

func TestTheWayThroughAProxyServesEnrolmentAndWebsocketAlike(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			ca, c := newAuthority(t), newControl(t)
			inside := ca.listen("control.example.org")
			serveOn(t, inside, c)
			proxy := &connectProxy{to: inside.Addr().String()}
			var outside net.Listener
			if scheme == "https" {
				outside = ca.listen("proxy.example.org")
			} else {
				var err error
				if outside, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
					t.Fatal(err)
				}
			}
			serveOn(t, outside, proxy)
			settings := config.Settings{
				URL:   "https://control.example.org",
				CA:    ca.pem(),
				Proxy: scheme + "://agent:p%40ss%3Aword@" + outside.Addr().String(),
			}
			dir, err := enrol(t, settings)
			if err != nil {
				t.Fatal(err)
			}
			a := newAgent(t, dir)
			a.start(t)
			c.welcome()
			a.until(t, config.Online)
			if n := proxy.tunnels.Load(); n < 2 {
				t.Errorf("%d tunnels, want one for the enrolment and one for the websocket", n)
			}
			settings.Proxy = scheme + "://agent:wrong@" + outside.Addr().String()
			_, err = enrol(t, settings)
			if err == nil || !strings.Contains(err.Error(), "another user name or password") ||
				strings.Contains(err.Error(), "wrong@") {
				t.Errorf("with a wrong password: %v", err)
			}
		})
	}
}

func TestTheProxyOfTheEnvironmentIsUsed(t *testing.T) {
	ca, c := newAuthority(t), newControl(t)
	inside := ca.listen("control.example.org")
	serveOn(t, inside, c)
	proxy := &connectProxy{to: inside.Addr().String()}
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveOn(t, outside, proxy)
	t.Setenv("HTTPS_PROXY", "http://agent:p%40ss%3Aword@"+outside.Addr().String())
	if _, err := enrol(
		t,
		config.Settings{URL: "https://control.example.org", CA: ca.pem()},
	); err != nil ||
		proxy.tunnels.Load() != 1 {
		t.Errorf("enrol: %v through %d tunnels", err, proxy.tunnels.Load())
	}
	t.Setenv("NO_PROXY", "example.org")
	if _, err := enrol(
		t,
		config.Settings{URL: "https://control.example.org", CA: ca.pem()},
	); err == nil ||
		proxy.tunnels.Load() != 1 {
		t.Errorf(
			"with NO_PROXY: %v through %d tunnels, want a failure to resolve and no tunnel",
			err,
			proxy.tunnels.Load(),
		)
	}
}

func TestAPrivateAuthorityIsTrustedOnlyWhenItIsGiven(t *testing.T) {
	ca, c := newAuthority(t), newControl(t)
	l := ca.listen("control.example.org")
	serveOn(t, l, c)
	url := "https://" + l.Addr().String()
	for name, pem := range map[string][]byte{"none": nil, "another": newAuthority(t).pem()} {
		_, err := enrol(t, config.Settings{URL: url, CA: pem})
		if err == nil || !dial.IsTLS(err) || !strings.Contains(err.Error(), "--ca-file") {
			t.Errorf("with %s authority: %v, want a TLS error that names --ca-file", name, err)
		}
	}
	dir, err := enrol(t, config.Settings{URL: url, CA: ca.pem()})
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, dir)
	a.start(t)
	c.welcome()
	a.until(t, config.Online)
}

func TestWhatIsNoControlPlaneIsSaidToBeNone(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	page := http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>welcome</html>") },
	)
	moved := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://new.example.org/x", http.StatusFound)
	})
	for _, tt := range []struct{ url, want string }{
		{"http://" + closed.Addr().String(), "refused"},
		{newServer(t, page), "is the URL right?"},
		{newServer(t, moved), "redirects to new.example.org/x"},
		{strings.Replace(newServer(t, page), "http:", "https:", 1), "does not speak TLS"},
		{newServer(t, http.NotFoundHandler()), "404"},
	} {
		if _, err := enrol(t, config.Settings{URL: tt.url}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.url, err, tt.want)
		}
	}
}
