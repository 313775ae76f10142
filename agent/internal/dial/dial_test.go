package dial

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
)

// socks5 is a proxy that knows CONNECT with user name and password (RFC 1928, RFC 1929) and sends everybody to one
// address.
func socks5(t *testing.T, to string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serveSocks(conn, to)
		}
	}()
	return l.Addr().String()
}

func serveSocks(conn net.Conn, to string) {
	defer conn.Close()
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = io.ReadFull(conn, b)
		return b
	}
	read(int(read(2)[1]))
	_, _ = conn.Write([]byte{5, 2})
	user := string(read(int(read(2)[1])))
	password := string(read(int(read(1)[0])))
	if user != "agent" || password != "secret" {
		_, _ = conn.Write([]byte{1, 1})
		return
	}
	_, _ = conn.Write([]byte{1, 0})
	read(4)
	read(int(read(1)[0]) + 2) // a name and a port
	out, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer out.Close()
	_, _ = conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	go func() { _, _ = io.Copy(out, conn) }()
	_, _ = io.Copy(conn, out)
}

func TestASocksProxyLeadsToTheControlPlane(t *testing.T) {
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) }),
	)
	defer server.Close()
	proxy := socks5(t, server.Listener.Addr().String())
	for _, tt := range []struct{ user, want string }{{"agent:secret@", ""},
		{"agent:wrong@", "through the proxy " + proxy}} {
		d, err := New(
			config.Settings{
				URL:          "http://control.example.org",
				InsecureHTTP: true,
				Proxy:        "socks5://" + tt.user + proxy,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := d.HTTP().Get(d.Base.String())
		if tt.want != "" {
			var failed *ProxyError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), tt.want) ||
				strings.Contains(err.Error(), "wrong") {
				t.Errorf("with %s: %v", tt.user, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != "control.example.org" {
			t.Errorf("answer %q (%v)", body, err)
		}
	}
}

func TestAProxyThatCannotBeIsRefusedBeforeItIsTried(t *testing.T) {
	for _, proxy := range []string{"proxy.example.org:3128", "ftp://proxy.example.org", "http://",
		"http://user:canary@%zz"} {
		_, err := New(config.Settings{URL: "https://control.example.org", Proxy: proxy})
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", proxy, err)
		}
	}
	if _, err := New(config.Settings{URL: "https://control.example.org", CA: []byte("no certificate")}); err == nil {
		t.Error("a certificate file without a certificate is taken")
	}
}

func TestAProxyThatRefusesOrIsNoneIsNamed(t *testing.T) {
	forbidding := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }),
	)
	defer forbidding.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, tt := range []struct{ proxy, want string }{
		{forbidding.URL, "403"}, {"http://" + closed.Addr().String(), "refused"},
		{strings.Replace(forbidding.URL, "http:", "https:", 1), "TLS"},
	} {
		d, err := New(config.Settings{URL: "https://control.example.org", Proxy: tt.proxy})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.HTTP().Get(d.Base.String())
		var failed *ProxyError
		if err = Explain(err); !errors.As(err, &failed) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.proxy, err, tt.want)
		}
	}
}

func TestAProxyThatAnswersNothingIsNamedAsTheCause(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d, err := New(config.Settings{URL: "https://control.example.org", Proxy: "http://" + l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = d.DialContext(ctx, "tcp", "control.example.org:443")
	var proxied *ProxyError
	if !errors.As(err, &proxied) || !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "did not answer the request for a tunnel") {
		t.Errorf("dial = %v; want the silent proxy named", err)
	}
}
