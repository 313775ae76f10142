package doctor

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/policy"
	"github.com/grantwright/grantwright/protocol/wire"
)

const (
	name     = "control.example.org"
	secret   = "canary-token"
	password = "canary-password"
)

// control answers what doctor asks of a control plane. A step is made to fail by replacing its part.
type control struct {
	date      time.Duration // added to the date it tells
	refuse    string        // code of the answer to a token's renewal and to the websocket
	noUpgrade bool          // something on the way drops the wish for a websocket
	silent    bool          // answers no ping
	garble    bool          // changes an echo
	cut       bool          // ends the connection at the echo
}

func (c *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", time.Now().Add(c.date).UTC().Format(http.TimeFormat))
	switch {
	case r.URL.Path == "/health":
		_, _ = io.WriteString(w, `{"status":"ok"}`)
	case c.refuse != "":
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"code":%q,"detail":"no"}`, c.refuse)
	case r.URL.Path == "/api/v1/agent/token":
		var req wire.TokenRequest
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || !req.DryRun {
			http.Error(w, "doctor must not renew", http.StatusTeapot)
			return
		}
		_ = json.NewEncoder(w).Encode(wire.TokenResponse{JoinSeq: req.JoinSeq})
	case r.URL.Path == "/api/v1/agent" && c.noUpgrade:
		_, _ = io.WriteString(w, "{}")
	case r.URL.Path == "/api/v1/agent":
		c.socket(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (c *control) socket(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{Subprotocols: []string{wire.Subprotocol}}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer ws.Close()
	if c.silent {
		ws.SetPingHandler(func(string) error { return nil })
	}
	for {
		_, msg, err := ws.ReadMessage()
		if err != nil || c.cut {
			return
		}
		if c.garble {
			msg = []byte(strings.Replace(string(msg), `"data":"`, `"data":"!`, 1))
		}
		if err := ws.WriteMessage(websocket.TextMessage, msg); err != nil {
			return
		}
	}
}

// authority signs certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, called string) *authority {
	t.Helper()
	a := &authority{t: t}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: called}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().AddDate(-1, 0, 0), NotAfter: time.Now().AddDate(1, 0, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	der, key := a.sign(template, nil, nil)
	a.key = key
	var err error
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *authority) sign(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
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

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// certificate is for a name, and valid until then. A nil authority makes it sign itself.
func certificate(t *testing.T, a *authority, called string, until time.Time) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: called},
		DNSNames:     []string{called},
		NotBefore: time.Now().
			AddDate(-1, 0, 0),
		NotAfter:    until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if a == nil {
		der, key := (&authority{t: t}).sign(template, nil, nil)
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
	der, key := a.sign(template, a.cert, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// listen serves h over TLS with the certificate and gives the address.
func listen(t *testing.T, h http.Handler, c tls.Certificate) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{c}, NextProtos: []string{"http/1.1"}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// proxy is a forward proxy that leads every name to one address, and may refuse.
func proxy(t *testing.T, to string, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth(); given != password {
			status = http.StatusProxyAuthRequired
		}
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		out, err := net.Dial("tcp", to)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		in, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(out, in); out.Close() }()
		_, _ = io.Copy(in, out)
		in.Close()
	}))
	t.Cleanup(s.Close)
	return "http://agent:" + password + "@" + s.Listener.Addr().String()
}

// enrolled makes a data directory of an agent.
func enrolled(t *testing.T, s config.Settings) *Doctor {
	t.Helper()
	d := config.Dir(filepath.Join(t.TempDir(), "data"))
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.EnsureKeys(); err != nil {
		t.Fatal(err)
	}
	if err := d.SaveSettings(s); err != nil {
		t.Fatal(err)
	}
	state := config.State{
		AgentID:   "agent-1",
		Name:      "site",
		Token:     secret,
		IssuedAt:  time.Now(),
		ExpiresAt: time.Now().Add(time.Hour),
		JoinSeq:   3,
	}
	if err := d.SaveState(state); err != nil {
		t.Fatal(err)
	}
	return &Doctor{Dir: d, Version: "test", Now: time.Now}
}

// examine runs doctor and checks what holds of every report.
func examine(t *testing.T, d *Doctor) map[string]Step {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r := d.Examine(ctx)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{secret, password, "canary"} {
		if strings.Contains(string(text), word) {
			t.Errorf("the report holds %q: %s", word, text)
		}
	}
	steps := map[string]Step{}
	for _, s := range r.Steps {
		steps[s.Name] = s
		if s.Detail == "" || (s.Status == Fail && s.Mend == "") {
			t.Errorf("%s = %+v; want what was found, and how to mend it", s.Name, s)
		}
	}
	if len(steps) != 16 {
		t.Errorf("%d steps; want 16", len(steps))
	}
	if (r.Failed() == nil) != r.OK {
		t.Errorf("ok is %v, and the first failure %+v", r.OK, r.Failed())
	}
	return steps
}

// first checks that one step failed with these words, and that what depends on it was not tried.
func first(t *testing.T, steps map[string]Step, name string, words ...string) {
	t.Helper()
	got := steps[name]
	for _, w := range words {
		if !strings.Contains(got.Detail+" "+got.Mend, w) {
			t.Errorf("%s says %q %q; want %q in it", name, got.Detail, got.Mend, w)
		}
	}
	if got.Status != Fail {
		t.Errorf("%s = %s (%s); want FAIL", name, got.Status, got.Detail)
	}
	for other, s := range steps {
		if s.Status == Fail && other != name {
			t.Errorf("%s failed as well: %s", other, s.Detail)
		}
	}
}

func TestAHealthyAgentPassesEveryStep(t *testing.T) {
	ca := newAuthority(t, "Site authority")
	addr := listen(t, &control{}, certificate(t, ca, name, time.Now().AddDate(0, 6, 0)))
	d := enrolled(
		t,
		config.Settings{
			URL:          "https://" + name,
			CA:           ca.pem(),
			Proxy:        proxy(t, addr, 0),
			AllowTargets: []string{"127.0.0.1"},
		},
	)
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { target.Close() })
	known := &config.Targets{Dir: d.Dir, Now: time.Now}
	var direct net.Dialer
	conn, err := known.Dial(direct.DialContext)(t.Context(), "tcp", target.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	steps := examine(t, d)
	for name, s := range steps {
		want := Pass
		if name == DNS || name == TCP {
			want = Skip // the proxy's business
		}
		if s.Status != want {
			t.Errorf("%s = %s: %s; want %s", name, s.Status, s.Detail, want)
		}
	}
	if !strings.Contains(steps[TLS].Detail, "Site authority") || !strings.Contains(steps[TLS].Detail, "--ca-file") {
		t.Errorf("tls says %q", steps[TLS].Detail)
	}
	if !strings.Contains(steps[Targets].Detail, target.Addr().String()) {
		t.Errorf("targets says %q", steps[Targets].Detail)
	}
	if !strings.Contains(steps[Policy].Detail, "allowed: 127.0.0.1") {
		t.Errorf("policy says %q", steps[Policy].Detail)
	}
	target.Close()
	first(t, examine(t, d), Targets, target.Addr().String(), "firewall")
}

func TestAWayWithoutAProxyIsLookedAtDirectly(t *testing.T) {
	s := httptest.NewServer(&control{})
	t.Cleanup(s.Close)
	steps := examine(t, enrolled(t, config.Settings{URL: strings.Replace(s.URL, "127.0.0.1", "localhost", 1)}))
	for step, want := range map[string]Status{DNS: Pass, TCP: Pass, Proxy: Skip, TLS: Skip, Websocket: Pass, Ping: Pass,
		Echo: Pass, Targets: Skip} {
		if steps[step].Status != want {
			t.Errorf("%s = %s: %s; want %s", step, steps[step].Status, steps[step].Detail, want)
		}
	}
}

func TestTheWayIsFollowedToWhereItBreaks(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	page := httptest.NewServer(
		http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>sign in</html>") },
		),
	)
	t.Cleanup(page.Close)
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	for _, tt := range []struct {
		called string
		s      config.Settings
		step   string
		words  []string
	}{
		{"no such name", config.Settings{URL: "https://control.invalid"}, DNS,
			[]string{"control.invalid", "name servers"}},
		{"a closed port", config.Settings{URL: "http://" + closed.Addr().String()}, TCP,
			[]string{"refused", "firewall"}},
		{"a proxy that is away", config.Settings{URL: "https://" + name, Proxy: "http://agent:" + password + "@" +
			closed.Addr().String()}, Proxy, []string{"refused", closed.Addr().String()}},
		{"a proxy that forbids", config.Settings{URL: "https://" + name, Proxy: proxy(t, "", 403)}, Proxy,
			[]string{"403", "lets this host through"}},
		{"a proxy that does not know us", config.Settings{URL: "https://" + name,
			Proxy: strings.Replace(proxy(t, "", 0), password, "wrong", 1)}, Proxy, []string{"user name or password"}},
		{"a sign-in page", config.Settings{URL: page.URL}, HTTP, []string{"sign-in page"}},
		{"another server", config.Settings{URL: missing.URL}, HTTP, []string{"404"}},
	} {
		t.Run(tt.called, func(t *testing.T) {
			steps := examine(t, enrolled(t, tt.s))
			first(t, steps, tt.step, tt.words...)
			if s := steps[Websocket]; s.Status != Skip || !strings.Contains(s.Detail, tt.step) {
				t.Errorf("websocket = %+v; want it skipped because of %s", s, tt.step)
			}
		})
	}
}

func TestTheCertificateIsLookedAt(t *testing.T) {
	site, public, mitm := newAuthority(
		t,
		"Site authority",
	), newAuthority(
		t,
		"Public authority",
	), newAuthority(
		t,
		"Inspecting firewall",
	)
	later, past := time.Now().AddDate(0, 6, 0), time.Now().AddDate(0, 0, -3)
	through := func(c tls.Certificate, ca []byte) config.Settings {
		return config.Settings{URL: "https://" + name, CA: ca, Proxy: proxy(t, listen(t, &control{}, c), 0)}
	}
	for _, tt := range []struct {
		called string
		s      config.Settings
		words  []string
	}{
		{"expired", through(certificate(t, site, name, past), site.pem()),
			[]string{"expired", past.UTC().Format(time.DateOnly), "renewed"}},
		{"for another name", through(certificate(t, site, "other.example.org", later), site.pem()),
			[]string{"other.example.org", "--url"}},
		{"signed by itself", through(certificate(t, nil, name, later), nil), []string{name, "--ca-file"}},
		{"opened on the way", through(certificate(t, mitm, name, later), site.pem()),
			[]string{"Inspecting firewall", "decrypts the traffic"}},
		{"no TLS at all", config.Settings{URL: "https://" + name, Proxy: proxy(t, plain(t), 0)}, []string{"speak TLS"}},
	} {
		t.Run(tt.called, func(t *testing.T) { first(t, examine(t, enrolled(t, tt.s)), TLS, tt.words...) })
	}
	t.Run("public", func(t *testing.T) {
		d := enrolled(t, through(certificate(t, public, name, later), public.pem()))
		d.Roots = public.pool()
		if s := examine(t, d)[TLS]; s.Status != Pass || !strings.Contains(s.Detail, "a public authority") ||
			strings.Contains(s.Detail, "WARN") {
			t.Errorf("tls = %+v", s)
		}
	})
	t.Run("ends soon", func(t *testing.T) {
		d := enrolled(t, through(certificate(t, site, name, time.Now().AddDate(0, 0, 5)), site.pem()))
		if s := examine(t, d)[TLS]; s.Status != Pass || !strings.Contains(s.Detail, "ends soon") {
			t.Errorf("tls = %+v", s)
		}
	})
}

func plain(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(&control{})
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// TestAnAuthorityOfTheHostsOwnStoreIsWarnedOf: the site has put its inspecting firewall's authority into the system's
// store, so that everything seems to be in order.
func TestAnAuthorityOfTheHostsOwnStoreIsWarnedOf(t *testing.T) {
	store := os.Getenv("SSL_CERT_FILE")
	if os.Getenv("DOCTOR_CHILD") == "" {
		// A process reads its store once, so this one gets a process of its own.
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		child.Env = append(
			os.Environ(),
			"DOCTOR_CHILD=1",
			"SSL_CERT_FILE="+filepath.Join(t.TempDir(), "store.pem"),
			"SSL_CERT_DIR="+t.TempDir(),
		)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	mitm := newAuthority(t, "Inspecting firewall")
	if err := os.WriteFile(store, mitm.pem(), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := listen(t, &control{}, certificate(t, mitm, name, time.Now().AddDate(0, 6, 0)))
	s := examine(t, enrolled(t, config.Settings{URL: "https://" + name, Proxy: proxy(t, addr, 0)}))[TLS]
	if s.Status != Pass || !strings.Contains(s.Detail, "Inspecting firewall") || !strings.Contains(s.Detail, "WARN") ||
		!strings.Contains(s.Mend, "decrypts the traffic") {
		t.Errorf("tls = %+v; want a warning that names the issuer", s)
	}
}

func TestTheControlPlanesWordIsTold(t *testing.T) {
	for _, tt := range []struct {
		called string
		c      control
		step   string
		words  []string
	}{
		{"revoked", control{refuse: "agent_revoked"}, Auth, []string{"agent_revoked", "--replace"}},
		{"disabled", control{refuse: "agent_disabled"}, Auth, []string{"disabled this agent"}},
		{"quarantined", control{refuse: "agent_quarantined"}, Auth, []string{"two places"}},
		{"unknown refusal", control{refuse: "something_new"}, Auth, []string{"something_new"}},
		{"clock ahead", control{date: -10 * time.Minute}, Clock, []string{"ahead of", "NTP"}},
		{"clock behind", control{date: 10 * time.Minute}, Clock, []string{"behind the", "NTP"}},
		{"no upgrade", control{noUpgrade: true}, Websocket, []string{"200", "Upgrade"}},
		{"echo changed", control{garble: true}, Echo, []string{"changed"}},
		{"echo cut", control{cut: true}, Echo, []string{"ended", "idle times"}},
	} {
		t.Run(tt.called, func(t *testing.T) {
			s := httptest.NewServer(&tt.c)
			t.Cleanup(s.Close)
			steps := examine(t, enrolled(t, config.Settings{URL: s.URL}))
			first(t, steps, tt.step, tt.words...)
			if tt.c.refuse != "" && steps[Auth].Code != tt.c.refuse {
				t.Errorf("code %q; want %q", steps[Auth].Code, tt.c.refuse)
			}
		})
	}
}

func TestASocketThatAnswersNoPingFails(t *testing.T) {
	s := httptest.NewServer(&control{silent: true})
	t.Cleanup(s.Close)
	e := &exam{Doctor: enrolled(t, config.Settings{URL: s.URL})}
	for _, look := range []func(context.Context) finding{e.config, e.identity, e.websocket} {
		if f := look(t.Context()); f.status != Pass {
			t.Fatalf("%+v", f)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if f := e.ping(ctx); f.status != Fail || !strings.Contains(f.detail, "no answer to a ping") {
		t.Errorf("ping = %+v", f)
	}
	e.socket.close()
}

func TestWhatIsWrongOnTheHostIsFound(t *testing.T) {
	s := httptest.NewServer(&control{})
	t.Cleanup(s.Close)
	for _, tt := range []struct {
		called string
		harm   func(dir string) error
		step   string
		words  []string
	}{
		{"open directory", func(dir string) error { return os.Chmod(dir, 0o755) }, DataDir, []string{"chmod 700"}},
		{"open key", func(dir string) error { return os.Chmod(filepath.Join(dir, "agent.json"), 0o644) }, DataDir,
			[]string{"chmod 600"}},
		{"damaged settings", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "config.json"),
				[]byte("{"), 0o600)
		}, Config, []string{"damaged"}},
		{"settings that cannot be", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"url":"http://far.example.org"}`), 0o600)
		}, Config, []string{"plain HTTP"}},
		{"no key", func(dir string) error { return os.Remove(filepath.Join(dir, "identity.key")) }, Identity,
			[]string{"--replace"}},
		{"damaged membership", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "agent.json"),
				[]byte("x"), 0o600)
		}, Identity, []string{"damaged"}},
	} {
		t.Run(tt.called, func(t *testing.T) {
			d := enrolled(t, config.Settings{URL: s.URL})
			if err := tt.harm(string(d.Dir)); err != nil {
				t.Fatal(err)
			}
			first(t, examine(t, d), tt.step, tt.words...)
		})
	}
}

func TestAnExpiredTokenIsNoFault(t *testing.T) {
	s := httptest.NewServer(&control{})
	t.Cleanup(s.Close)
	d := enrolled(t, config.Settings{URL: s.URL})
	state, err := d.Dir.LoadState()
	if err != nil {
		t.Fatal(err)
	}
	state.ExpiresAt = time.Now().Add(-time.Hour)
	if err := d.Dir.SaveState(state); err != nil {
		t.Fatal(err)
	}
	steps := examine(t, d)
	if steps[Auth].Status != Pass || steps[Websocket].Status != Skip ||
		!strings.Contains(steps[Websocket].Detail, "expired") {
		t.Errorf("auth %+v, websocket %+v", steps[Auth], steps[Websocket])
	}
}

func TestWhatConnectorsMayReachIsShown(t *testing.T) {
	s := httptest.NewServer(&control{})
	t.Cleanup(s.Close)
	at := strings.TrimPrefix(s.URL, "http://")
	d := enrolled(t, config.Settings{URL: s.URL})
	if err := os.WriteFile(
		filepath.Join(string(d.Dir), "targets.json"),
		[]byte(`[{"address":"`+at+`"}]`),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	steps := examine(t, d)
	if f := steps[Policy]; f.Status != Pass || !strings.Contains(f.Detail, "allow_targets") ||
		!strings.Contains(f.Detail, policy.Env) {
		t.Errorf("policy = %+v; want the settings named", f)
	}
	first(t, steps, Targets, "loopback", "allow_targets")
	d.AllowTargets = at
	if steps = examine(t, d); steps[Targets].Status != Pass || !strings.Contains(steps[Policy].Detail, at) {
		t.Errorf("policy = %+v, targets = %+v; want %s allowed", steps[Policy], steps[Targets], at)
	}
	d.AllowTargets = "*"
	if f := examine(t, d)[Policy]; f.Status != Fail || !strings.Contains(f.Mend, policy.Env) {
		t.Errorf("policy = %+v; want the setting named", f)
	}
}

func TestAdviceBeforeEnrolmentDoesNotSpeakOfEnrollingAgain(t *testing.T) {
	d := &Doctor{
		Dir:      config.Dir(t.TempDir()),
		Version:  "test",
		Now:      time.Now,
		Settings: &config.Settings{URL: "http://far.example.org"},
	}
	if err := os.Chmod(string(d.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	steps := examine(t, d)
	for name, word := range map[string]string{Config: "--url", DataDir: "before you enrol"} {
		if s := steps[name]; s.Status != Fail || strings.Contains(s.Mend, "--replace") ||
			!strings.Contains(s.Mend, word) {
			t.Errorf("%s = %+v; want advice with %q", name, s, word)
		}
	}
}

func TestAHostThatIsNotEnrolledCanTryAnAddress(t *testing.T) {
	s := httptest.NewServer(&control{})
	t.Cleanup(s.Close)
	d := &Doctor{Dir: config.Dir(filepath.Join(t.TempDir(), "none")), Version: "test", Now: time.Now}
	steps := examine(t, d)
	for name, s := range steps {
		if s.Status != Skip {
			t.Errorf("%s = %s: %s; want SKIP", name, s.Status, s.Detail)
		}
	}
	if !strings.Contains(steps[Config].Mend, "--url") {
		t.Errorf("config says %q", steps[Config].Mend)
	}
	d.Settings = &config.Settings{URL: s.URL}
	steps = examine(t, d)
	for step, want := range map[string]Status{Config: Pass, TCP: Pass, HTTP: Pass, Clock: Pass, Auth: Skip,
		Websocket: Skip, Identity: Skip} {
		if steps[step].Status != want {
			t.Errorf("%s = %s: %s; want %s", step, steps[step].Status, steps[step].Detail, want)
		}
	}
	if _, err := os.Stat(string(d.Dir)); !os.IsNotExist(err) {
		t.Errorf("doctor made the data directory (%v)", err)
	}
}

func TestTooLittleRoomForTheSpoolIsFound(t *testing.T) {
	s := httptest.NewServer(&control{})
	t.Cleanup(s.Close)
	huge, none := 1<<40, 0
	d := enrolled(t, config.Settings{URL: s.URL, SpoolMiB: &huge})
	if f := examine(t, d)[Spool]; f.Status != Pass || !strings.Contains(f.Detail, "WARN") {
		t.Errorf("spool = %+v", f)
	}
	d = enrolled(t, config.Settings{URL: s.URL, SpoolMiB: &none})
	if f := examine(t, d)[Spool]; f.Status != Skip {
		t.Errorf("spool = %+v", f)
	}
	e := &exam{Doctor: &Doctor{Dir: "/proc"}, limit: 1} // a file system without room
	if f := e.spool(t.Context()); f.status != Fail || !strings.Contains(f.mend, "room") {
		t.Errorf("spool = %+v", f)
	}
}
