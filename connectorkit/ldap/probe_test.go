package ldap_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestProbeTakesTheSpecifiedSteps(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3, Groups: 1, PerGroup: 2})
	plain := []string{"dns ok", "tcp ok", "anonymous_bind 0", "paged_search_anonymous 0"}
	for _, tt := range []struct {
		name    string
		changes map[string]any
		want    []string
	}{
		{"anonymous", map[string]any{"bind_dn": nil, "bind_password": nil}, plain},
		{"simple", nil, append(plain[:4:4], "bind 0", "paged_search 0")},
		{
			"naming context found by itself", map[string]any{"base_dn": nil},
			append(plain[:4:4], "bind 0", "paged_search 0"),
		},
		{
			"StartTLS", map[string]any{"security": "starttls", "ca_pem": s.CAPEM},
			[]string{
				"dns ok", "tcp ok", "start_tls 0", "anonymous_bind 0", "paged_search_anonymous 0", "bind 0",
				"paged_search 0",
			},
		},
		{
			"ldaps",
			map[string]any{"security": nil, "tls": "ldaps", "port": s.TLSPort, "ca_pem": s.CAPEM, "host": "localhost"},
			[]string{
				"dns ok", "tcp ok", "tls ok", "anonymous_bind 0", "paged_search_anonymous 0", "bind 0",
				"paged_search 0",
			},
		},
		{
			"ldaps without verification",
			map[string]any{"tls": true, "security": nil, "port": s.TLSPort, "tls_insecure_skip_verify": true},
			[]string{
				"dns ok", "tcp ok", "tls ok", "anonymous_bind 0", "paged_search_anonymous 0", "bind 0",
				"paged_search 0",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			auth := with(s, tt.changes)
			got := probe(t, agentEnv(), auth)
			if !got.Success || got.Error != nil {
				t.Fatalf("the test failed: %+v", got.Error)
			}
			if diff := cmp.Diff(tt.want, steps(got)); diff != "" {
				t.Errorf("steps (-want +got)\n%s", diff)
			}
			if r := got.Result; r == nil || r.LDAP == nil || r.LDAP.Name != "success" {
				t.Errorf("result = %+v", r)
			}
			if f := got.Facts; f == nil || f.Vendor != "OpenLDAP" ||
				!cmp.Equal(f.NamingContexts, []string{ldaptest.Suffix}) ||
				!strings.Contains(strings.Join(f.SupportedControls, " "), "1.2.840.113556.1.4.319") {
				t.Errorf("facts = %+v", f)
			}
			if wantPlain := strings.Contains(
				strings.Join(tt.want, " "), "tls",
			) == false; hasWarning(got.Warnings, "plaintext") != wantPlain {
				t.Errorf("warnings = %v", got.Warnings)
			}
			if skip := auth["tls_insecure_skip_verify"] == true; hasWarning(got.Warnings, "tls_not_verified") != skip {
				t.Errorf("warnings = %v", got.Warnings)
			}
			if got.ExecutedBy == nil || got.ExecutedBy.AgentID != "agt_1" {
				t.Errorf("executed by %+v", got.ExecutedBy)
			}
			if read := mustRead(t, auth, nil); len(read.Accounts) != 3 || len(read.Grants) != 2 {
				t.Errorf("a sync reads %d accounts and %d grants", len(read.Accounts), len(read.Grants))
			}
		})
	}
}

func TestProbeNamesWhatIsWrong(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3})
	closed := closedPort(t)
	mute := listener(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	web := listener(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1))
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n<html>")
		_ = c.Close()
	})
	for _, tt := range []struct {
		name    string
		changes map[string]any
		code    string
		class   v1.ErrorClass
		last    string // the step that failed
		hint    string
	}{
		{
			"wrong password", map[string]any{"bind_password": "not-the-password"}, "ldap_49", v1.ClassAuth, "bind",
			"Wrong bind DN or password",
		},
		{
			"wrong bind DN", map[string]any{"bind_dn": "cn=nobody,dc=iga,dc=test"}, "ldap_49", v1.ClassAuth, "bind",
			"Wrong bind DN or password",
		},
		{
			"bind DN that is none", map[string]any{"bind_dn": "nobody"}, "ldap_34", v1.ClassConfig, "bind",
			"A DN is not written correctly",
		},
		{
			"wrong base DN", map[string]any{"base_dn": "ou=x,ou=people,dc=iga,dc=test"}, "ldap_32", v1.ClassNotFound,
			"paged_search",
			`What exists of it is ou=people,dc=iga,dc=test. This server's naming contexts: "dc=iga,dc=test"`,
		},
		{
			"foreign base DN", map[string]any{"base_dn": "dc=other"}, "ldap_32", v1.ClassNotFound, "paged_search",
			`naming contexts: "dc=iga,dc=test"`,
		},
		{"wrong host", map[string]any{"host": "no-such-host.invalid"}, "dns_", "", "dns", ""},
		{
			"wrong port", map[string]any{"port": closed}, "tcp_refused", v1.ClassTransient, "tcp",
			"Nothing listens on this port",
		},
		{
			"ldaps with unknown authority", map[string]any{"security": "ldaps", "port": s.TLSPort},
			"tls_unknown_authority", v1.ClassConfig, "tls", "ca_pem",
		},
		{
			"StartTLS with unknown authority", map[string]any{"security": "starttls"}, "tls_unknown_authority",
			v1.ClassConfig, "start_tls", "ca_pem",
		},
		{
			"name not in the certificate",
			map[string]any{"security": "ldaps", "port": s.TLSPort, "ca_pem": s.CAPEM, "tls_server_name": "dc1.corp"},
			"tls_name_mismatch", v1.ClassConfig, "tls", "tls_server_name",
		},
		{
			"ldaps on the plain port", map[string]any{"security": "ldaps", "port": s.Port, "ca_pem": s.CAPEM}, "tls_",
			"", "tls", "636",
		},
		{"plain on the ldaps port", map[string]any{"port": s.TLSPort}, "ldap_", v1.ClassTransient, "bind", "ldaps"},
		{
			"a server that says nothing", map[string]any{"port": mute, "timeout_s": 1}, "ldap_timeout",
			v1.ClassTransient, "anonymous_bind", "timeout_s",
		},
		{"a web server", map[string]any{"port": web}, "ldap_protocol", v1.ClassProtocol, "bind", "LDAP service"},
		{
			"settings", map[string]any{"host": nil, "user_filter": "(cn=", "page_size": 0}, "invalid_settings",
			v1.ClassConfig, "", "Correct",
		},
		{"empty password", map[string]any{"bind_password": ""}, "invalid_settings", v1.ClassConfig, "", "Correct"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			auth := with(s, tt.changes)
			got := probe(t, agentEnv(), auth)
			if got.Success || got.Error == nil {
				t.Fatalf("the test succeeded: %+v", got)
			}
			d := got.Error
			if !strings.HasPrefix(d.Code, tt.code) || tt.class != "" && d.Class != tt.class ||
				!strings.Contains(d.Hint, tt.hint) {
				t.Errorf(
					"error %s (%s) %q, hint %q; want %s (%s), hint %q", d.Code, d.Class, d.Message, d.Hint, tt.code,
					tt.class, tt.hint,
				)
			}
			if n := len(got.Steps); tt.last == "" && n > 0 || tt.last != "" && (n == 0 || got.Steps[n-1].OK ||
				got.Steps[n-1].Name != tt.last) {
				t.Errorf("steps = %v, want a failed %s at the end", steps(got), tt.last)
			}
			_, err := read(t, agentEnv(), auth, nil)
			if same := detailOf(t, err); !strings.HasPrefix(same.Code, tt.code) {
				t.Errorf("a sync fails with %s, %s", same.Code, same.Message)
			}
			noSecrets(t, auth, err.Error())
		})
	}
}

func TestCertificateFailuresTellWhoseCertificateItIs(t *testing.T) {
	ca, err := ldaptest.NewAuthority("Corp CA")
	if err != nil {
		t.Fatal(err)
	}
	certPEM, keyPEM, err := ca.Issue(time.Now().Add(-time.Hour), "dc1.corp", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair([]byte(certPEM), []byte(keyPEM))
	if err != nil {
		t.Fatal(err)
	}
	port := listener(t, func(c net.Conn) {
		_ = tls.Server(c, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}).Handshake()
		_ = c.Close()
	})
	got := probe(
		t, agentEnv(),
		v1.AuthConfig{"host": "127.0.0.1", "port": port, "security": "ldaps", "ca_pem": ca.PEM, "base_dn": "dc=x"},
	)
	if got.Error == nil || got.Error.Code != "tls_expired" {
		t.Fatalf("error = %+v", got.Error)
	}
	r := got.Steps[len(got.Steps)-1].TLS
	if r == nil || r.Subject != "CN=dc1.corp" || r.Issuer != "CN=Corp CA" || r.NotAfter == "" || r.VerifyError == "" {
		t.Errorf("certificate = %+v", r)
	}
}

func TestADirectoryThatRefusesAnonymousClientsIsStillRead(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3, DenyAnonymous: true})
	got := probe(t, agentEnv(), with(s, nil))
	want := []string{
		"dns ok", "tcp ok", "anonymous_bind inappropriateAuthentication", "paged_search_anonymous unwillingToPerform",
		"bind 0", "paged_search 0",
	}
	if diff := cmp.Diff(want, steps(got)); diff != "" || !got.Success {
		t.Errorf("success %v, steps (-want +got)\n%s", got.Success, diff)
	}
	got = probe(t, agentEnv(), with(s, map[string]any{"bind_dn": nil, "bind_password": nil}))
	if got.Success || got.Error.Code != "ldap_48" || got.Error.Class != v1.ClassAuth {
		t.Errorf("anonymous: success %v, error %+v", got.Success, got.Error)
	}
}

func TestADirectoryThatWantsTLSSaysSo(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3, RequireTLS: true})
	got := probe(t, agentEnv(), with(s, nil))
	if got.Success || got.Error.Code != "ldap_13" || !strings.Contains(got.Error.Hint, "starttls") {
		t.Errorf("success %v, error %+v", got.Success, got.Error)
	}
	if got = probe(t, agentEnv(), with(s, map[string]any{"security": "starttls", "ca_pem": s.CAPEM})); !got.Success {
		t.Errorf("with StartTLS: %+v", got.Error)
	}
}

func TestADirectoryThatDeniesPagingSaysSo(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3, PagingDisabled: true})
	got := probe(t, agentEnv(), with(s, nil))
	if got.Success || got.Error.Target.LDAP.Diagnostic == "" || !strings.Contains(got.Error.Hint, "paged results") {
		t.Errorf("success %v, error %+v", got.Success, got.Error)
	}
}

func TestASearchThatFindsNobodyIsAWarning(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{})
	got := probe(t, agentEnv(), with(s, nil))
	if !got.Success || !hasWarning(got.Warnings, "no_entries") || !hasWarning(got.Warnings, "no_groups") {
		t.Errorf("success %v, warnings %v", got.Success, got.Warnings)
	}
}

func TestHostedModeRefusesWhatItsGuardsRefuse(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{})
	env := agentEnv()
	env.AllowInsecureTLS = false
	env.By = v1.ExecutedBy{Mode: "hosted"}
	env.Plaintext = func(context.Context, string) (bool, error) { return false, errors.New("not to this network") }
	if got := probe(t, env, with(s, nil)); got.Success || got.Error.Class != v1.ClassPolicy ||
		got.Error.Code != "plaintext_not_allowed" || len(got.Steps) != 0 {
		t.Errorf("plaintext: %+v", got)
	}
	if got := probe(
		t, env, with(s, map[string]any{"security": "starttls", "tls_insecure_skip_verify": true}),
	); got.Success || got.Error.Class != v1.ClassConfig {
		t.Errorf("unverified TLS: %+v", got)
	}
	env.Dial = func(context.Context, string, string) (net.Conn, error) {
		return nil, &v1.ErrorDetail{
			Class: v1.ClassPolicy, Code: "destination_not_allowed", Message: "this destination is not allowed",
		}
	}
	got := probe(t, env, with(s, map[string]any{"security": "starttls"}))
	if got.Success || got.Error.Code != "destination_not_allowed" {
		t.Errorf("dial: %+v", got.Error)
	}
	got = probe(t, env, with(s, map[string]any{"security": "starttls", "host": "localhost"}))
	if detail := got.Steps[0].Detail; strings.Contains(detail, "127.0.0.1") || strings.Contains(detail, "::1") {
		t.Errorf("hosted mode tells the address: %q", detail)
	}
}

func TestStepsAreReportedAsTheyEnd(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{})
	var names []string
	got, err := ldap.New(agentEnv()).Test(t.Context(), v1.TestRequest{AuthConfig: with(s, nil)}, func(p v1.Progress) {
		names = append(names, p.Step.Name)
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, step := range got.Steps {
		want = append(want, step.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("reported steps (-want +got)\n%s", diff)
	}
}

// listener serves each connection by serve on a free port.
func listener(t *testing.T, serve func(net.Conn)) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			go serve(c)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
