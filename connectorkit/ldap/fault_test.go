package ldap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// cutter passes a connection to target on and cuts it when so many bytes came from there.
func cutter(t *testing.T, target int, after int64) int {
	t.Helper()
	return listener(t, func(c net.Conn) {
		up, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", target))
		if err != nil {
			_ = c.Close()
			return
		}
		go func() { _, _ = io.Copy(up, c) }()
		_, _ = io.CopyN(c, up, after)
		_ = c.Close()
		_ = up.Close()
	})
}

func TestAConnectionCutInMidRunIsTransientAndProvesNothing(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 1200, Groups: 2, PerGroup: 500})
	for _, after := range []int64{40, 20_000, 200_000, 400_000} {
		auth := with(s, map[string]any{"port": cutter(t, s.Port, after)})
		got, err := read(t, agentEnv(), auth, nil)
		d := detailOf(t, err)
		if d.Class != v1.ClassTransient || !d.Retryable || d.Code != "ldap_connection_lost" {
			t.Errorf("cut after %d bytes: %s %s %q", after, d.Class, d.Code, d.Message)
		}
		if len(got.scopes) != 0 {
			t.Errorf("cut after %d bytes: scopes %v", after, got.scopes)
		}
		if after == 400_000 && len(got.Accounts) == 0 {
			t.Error("nothing was handed on before the cut")
		}
		noSecrets(t, auth, d)
	}
}

// onceCut passes connections on, and resets the first of them when so many bytes came from the target.
func onceCut(t *testing.T, target int, after int64, connections *atomic.Int32) int {
	t.Helper()
	return listener(t, func(c net.Conn) {
		up, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", target))
		if err != nil {
			_ = c.Close()
			return
		}
		defer up.Close()
		defer c.Close()
		go func() { _, _ = io.Copy(up, c) }()
		if connections.Add(1) == 1 {
			_, _ = io.CopyN(c, up, after)
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
			return
		}
		_, _ = io.Copy(c, up)
	})
}

func TestAConnectionThatIsResetOnceIsMadeAnew(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3000, Groups: 3, PerGroup: 500})
	whole := mustRead(t, with(s, nil), nil)
	for _, after := range []int64{20_000, 300_000, 900_000} {
		var connections atomic.Int32
		auth := with(s, map[string]any{"port": onceCut(t, s.Port, after, &connections)})
		got, err := read(t, agentEnv(), auth, nil)
		if err != nil || connections.Load() != 2 {
			t.Errorf("cut once after %d bytes: %v, %d connections", after, err, connections.Load())
			continue
		}
		seen := map[string]bool{}
		for _, a := range got.Accounts {
			seen[a.ExternalID] = true
		}
		if len(seen) != 3000 || got.scopes[v1.Accounts] != whole.scopes[v1.Accounts] ||
			got.scopes[v1.Grants] != whole.scopes[v1.Grants] {
			t.Errorf(
				"cut once after %d bytes: %d accounts, scopes %v, want %v", after, len(seen), got.scopes, whole.scopes,
			)
		}
		if again := len(got.Accounts) - 3000; after == 900_000 && again > 1500 {
			t.Errorf("%d accounts were read again after %d bytes", again, after)
		}
		if !hasWarning(got.warnings, "connection_lost") {
			t.Errorf("nothing says that the connection was lost: %v", got.warnings)
		}
	}
}

func TestARunIsCancelledAtOnce(t *testing.T) {
	s := ldaptest.StartSlapd(t, ldaptest.Options{Users: 3000})
	var open atomic.Int32
	env := agentEnv()
	env.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &counted{Conn: c, open: &open}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	err := ldap.New(env).Sync(ctx, v1.SyncRequest{
		AuthConfig: with(s, map[string]any{"page_size": 100}),
	}, func(context.Context, v1.SyncResponse) error {
		cancelled = time.Now()
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Sync = %v, want the context's error", err)
	}
	if took := time.Since(cancelled); took > time.Second {
		t.Errorf("it took %s to end", took)
	}
	if n := open.Load(); n != 0 {
		t.Errorf("%d connections are still open", n)
	}
}

func TestATestEndsWithItsDeadline(t *testing.T) {
	port := listener(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	got, err := ldap.New(agentEnv()).Test(
		ctx, v1.TestRequest{AuthConfig: v1.AuthConfig{"host": "127.0.0.1", "port": port, "base_dn": "dc=x"}}, nil,
	)
	if err != nil || got.Success || got.Error == nil || got.Error.Code != "ldap_timeout" || len(got.Steps) != 3 {
		t.Errorf("Test = %+v, %v", got, err)
	}
}

// counted counts itself out once when closed.
type counted struct {
	net.Conn
	open *atomic.Int32
	done atomic.Bool
}

func (c *counted) Close() error {
	if c.done.CompareAndSwap(false, true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

func TestALimitOfTheDirectoryIsAnErrorNotAShortRead(t *testing.T) {
	for _, code := range []int{3, 4, 11} {
		f := newFake(t, openLDAPRoot())
		f.search = func(r fakeSearch) fakeAnswer {
			return fakeAnswer{
				entries: []fakeEntry{{"uid=a,dc=x", attrs{"entryUUID": {"1"}, "uid": {"a"}}}}, code: code,
				diagnostic: "enough",
			}
		}
		got, err := read(t, agentEnv(), f.auth(), nil)
		if d := detailOf(t, err); d.Code != fmt.Sprintf("ldap_%d", code) || d.Class != v1.ClassPermission ||
			d.Hint == "" || len(got.scopes) != 0 {
			t.Errorf("result %d: %+v, scopes %v", code, d, got.scopes)
		}
	}
}

func TestADirectoryWithoutPagingIsReadButProvesNothing(t *testing.T) {
	for name, answer := range map[string]func(fakeSearch) fakeAnswer{
		"refuses the control": func(r fakeSearch) fakeAnswer {
			if r.pageSize > 0 {
				return fakeAnswer{code: 12, diagnostic: "unsupported control"}
			}
			return fakeAnswer{entries: []fakeEntry{{"uid=a,dc=x", attrs{"entryUUID": {"1"}, "uid": {"a"}}}}}
		},
		"ignores the control": func(fakeSearch) fakeAnswer {
			return fakeAnswer{
				entries: []fakeEntry{{"uid=a,dc=x", attrs{"entryUUID": {"1"}, "uid": {"a"}}}}, ignorePaging: true,
			}
		},
	} {
		f := newFake(t, openLDAPRoot())
		f.search = answer
		got := mustRead(t, f.auth(), &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}})
		if len(got.Accounts) != 1 || got.scopes[v1.Accounts].Complete ||
			!hasWarning(got.warnings, "paging_unsupported") {
			t.Errorf(
				"%s: %d accounts, scope %+v, warnings %v", name, len(got.Accounts), got.scopes[v1.Accounts],
				got.warnings,
			)
		}
		if tested := probe(t, agentEnv(), f.auth()); !tested.Success ||
			!hasWarning(tested.Warnings, "paging_unsupported") {
			t.Errorf("%s: test %+v", name, tested)
		}
	}
}

func TestPagesThatRepeatAreNoticed(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	f.search = func(fakeSearch) fakeAnswer {
		return fakeAnswer{entries: []fakeEntry{{"uid=a,dc=x", attrs{"entryUUID": {"1"}}}}, cookie: "same"}
	}
	_, err := read(t, agentEnv(), f.auth(), nil)
	if d := detailOf(t, err); d.Code != "paging_loop" {
		t.Errorf("error %+v", d)
	}

	// 389 Directory Server sends one and the same cookie for every page.
	f = newFake(t, openLDAPRoot())
	page := 0
	f.search = func(fakeSearch) fakeAnswer {
		page++
		a := fakeAnswer{
			entries: []fakeEntry{{fmt.Sprintf("uid=%d,dc=x", page), attrs{"entryUUID": {fmt.Sprint(page)}}}},
			cookie:  "0",
		}
		if page == 5 {
			a.cookie = ""
		}
		return a
	}
	got := mustRead(t, f.auth(), &v1.SyncOptions{Objects: []v1.ObjectKind{v1.Accounts}})
	if len(got.Accounts) != 5 || !got.scopes[v1.Accounts].Complete {
		t.Errorf("%d accounts, scope %+v", len(got.Accounts), got.scopes[v1.Accounts])
	}
}

func TestReferralsAreNotFollowed(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	f.search = func(fakeSearch) fakeAnswer { return fakeAnswer{references: []string{"ldap://elsewhere/dc=y"}} }
	got := mustRead(t, f.auth(), nil)
	if !hasWarning(got.warnings, "referral_ignored") || !got.scopes[v1.Entitlements].Complete {
		t.Errorf("warnings %v, scopes %v", got.warnings, got.scopes)
	}
	f.search = func(fakeSearch) fakeAnswer { return fakeAnswer{code: 10} }
	_, err := read(t, agentEnv(), f.auth(), nil)
	if d := detailOf(t, err); d.Code != "ldap_10" || d.Class != v1.ClassConfig {
		t.Errorf("error %+v", d)
	}
}

func TestASecretInADiagnosticIsMasked(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	auth := f.auth()
	f.bind = func(string, string) (int, string) { return 49, "no match for " + auth["bind_password"].(string) }
	got := probe(t, agentEnv(), auth)
	if got.Success || got.Error.Target.LDAP.Diagnostic != "no match for [secret]" {
		t.Errorf("error %+v", got.Error)
	}
}

func TestASilentDirectoryIsGivenUp(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	f.search = func(fakeSearch) fakeAnswer { return fakeAnswer{hang: true} }
	auth := f.auth()
	auth["timeout_s"] = 1
	began := time.Now()
	_, err := read(t, agentEnv(), auth, nil)
	if d := detailOf(t, err); d.Code != "ldap_timeout" || d.Class != v1.ClassTransient ||
		time.Since(began) > 5*time.Second {
		t.Errorf("error %+v after %s", d, time.Since(began))
	}
}

func TestTheKeyOfAnUnknownDirectoryIsFoundOnItsEntries(t *testing.T) {
	group := fakeEntry{
		"cn=g,dc=x",
		attrs{"objectClass": {"groupOfNames"}, "cn": {"g"}, "nsuniqueid": {"a-b-c-d"}, "member": {"", "uid=a,dc=x"}},
	}
	f := newFake(t, attrs{"vendorName": {"Somebody"}})
	f.search = func(r fakeSearch) fakeAnswer {
		if r.wants("groupOfNames") {
			return fakeAnswer{entries: []fakeEntry{group}}
		}
		return fakeAnswer{}
	}
	got := mustRead(t, f.auth(), nil)
	if len(got.Entitlements) != 1 || got.Entitlements[0].ExternalID != "a-b-c-d" || len(got.Grants) != 1 {
		t.Errorf("groups %+v, grants %+v", got.Entitlements, got.Grants)
	}
	delete(group.attrs, "nsuniqueid")
	_, err := read(t, agentEnv(), f.auth(), nil)
	if d := detailOf(t, err); d.Code != "no_key_attribute" || d.Class != v1.ClassConfig {
		t.Errorf("error %+v", d)
	}
}

func TestValuesBeyondAllMeasureAreLeftOut(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	f.search = func(r fakeSearch) fakeAnswer {
		if r.wants("inetOrgPerson") {
			return fakeAnswer{
				entries: []fakeEntry{
					{
						"uid=a,dc=x",
						attrs{
							"entryUUID": {"1"}, "uid": {"a"}, "info": {strings.Repeat("x", 70_000)},
							"note": {"a\x00b"},
						},
					},
				},
			}
		}
		return fakeAnswer{}
	}
	got := mustRead(t, f.auth(), nil)
	want := map[string]any{
		"entryUUID": "1", "uid": "a", "info": map[string]any{"$truncated": 1}, "note": map[string]any{"$bin": "YQBi"},
	}
	if diff := cmp.Diff(want, got.Accounts[0].Attributes); diff != "" || !hasWarning(got.warnings, "value_truncated") {
		t.Errorf("warnings %v, attributes (-want +got)\n%s", got.warnings, diff)
	}
}

func TestDamagedDataAfterGoodAnswersIsNoWrongPort(t *testing.T) {
	f := newFake(t, openLDAPRoot())
	port := listener(t, func(c net.Conn) {
		up, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", f.port))
		if err != nil {
			_ = c.Close()
			return
		}
		defer up.Close()
		defer c.Close()
		go func() { _, _ = io.Copy(up, c) }()
		buffer := make([]byte, 4096)
		for {
			n, err := up.Read(buffer)
			if err != nil {
				return
			}
			if strings.Contains(string(buffer[:n]), "uid=damaged") {
				_, _ = c.Write([]byte("HTTP/1.1 502"))
				return
			}
			_, _ = c.Write(buffer[:n])
		}
	})
	f.search = func(r fakeSearch) fakeAnswer {
		if r.wants("inetOrgPerson") {
			return fakeAnswer{
				entries: []fakeEntry{
					{
						"uid=damaged,dc=x",
						attrs{"entryUUID": {"e-1"}, "objectClass": {"inetOrgPerson"}, "uid": {"damaged"}},
					},
				},
			}
		}
		return fakeAnswer{}
	}
	auth := f.auth()
	auth["port"] = port
	_, err := read(t, agentEnv(), auth, nil)
	if d := detailOf(t, err); strings.Contains(d.Hint, "Check that host and port") ||
		!strings.Contains(d.Hint, "It has answered in LDAP before") {
		t.Errorf("%s: %s %q", d.Code, d.Message, d.Hint)
	}
}
