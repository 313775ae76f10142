package config

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newDir(t *testing.T) Dir {
	t.Helper()
	d := Dir(filepath.Join(t.TempDir(), "data"))
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEverythingStoredIsPrivate(t *testing.T) {
	d := newDir(t)
	if _, err := d.EnsureKeys(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		d.SaveSettings(Settings{URL: "https://x", CA: []byte("pem")}), d.SaveState(State{Token: "t"}),
		d.SaveStatus(Status{}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(string(d))
	if err != nil || len(entries) != 6 {
		t.Fatalf("%d files, %v; want 6 and no leftovers", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(string(d)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory has mode %v, %v; want 0700", info.Mode(), err)
	}
}

func TestPrepareClosesADirectoryThatWasOpen(t *testing.T) {
	d := Dir(filepath.Join(t.TempDir(), "open"))
	if err := os.Mkdir(string(d), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(string(d)); info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, want 0700", info.Mode())
	}
}

func TestKeysAreMadeOnceAndSign(t *testing.T) {
	d := newDir(t)
	first, err := d.EnsureKeys()
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.EnsureKeys()
	if err != nil {
		t.Fatal(err)
	}
	if first.IdentityPublic() != again.IdentityPublic() || first.SealingPublic() != again.SealingPublic() {
		t.Error("the second call made other keys")
	}
	public, err := base64.RawURLEncoding.DecodeString(again.IdentityPublic())
	if err != nil {
		t.Fatal(err)
	}
	signature, err := base64.RawURLEncoding.DecodeString(first.Sign([]byte("hello")))
	if err != nil || !ed25519.Verify(public, []byte("hello"), signature) {
		t.Errorf("signature does not verify (%v)", err)
	}
	if f := first.SealingFingerprint(); !strings.HasPrefix(f, "SHA256:") || f == first.IdentityFingerprint() {
		t.Errorf("fingerprint %q", f)
	}
}

func TestKeysThatOthersCanReadAreRefused(t *testing.T) {
	d := newDir(t)
	if _, err := d.EnsureKeys(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.path(identityFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := d.LoadKeys(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("LoadKeys = %v, want a refusal that says how to mend it", err)
	}
}

func TestStateAndSettingsComeBack(t *testing.T) {
	d := newDir(t)
	if _, err := d.LoadState(); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("LoadState = %v, want ErrNotEnrolled", err)
	}
	if _, err := d.LoadSettings(); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("LoadSettings = %v, want ErrNotEnrolled", err)
	}
	state := State{
		AgentID:   "a",
		Token:     "t",
		ExpiresAt: time.Unix(1e9, 0).UTC(),
		JoinSeq:   3,
		Renewal:   &Renewal{Nonce: "n", BootID: "b"},
	}
	settings := Settings{URL: "https://x", Proxy: "http://u:p@proxy:3128", CA: []byte("pem")}
	if err := errors.Join(d.SaveState(state), d.SaveSettings(settings)); err != nil {
		t.Fatal(err)
	}
	gotState, err := d.LoadState()
	if diff := cmp.Diff(state, gotState); err != nil || diff != "" {
		t.Errorf("state: %v %s", err, diff)
	}
	gotSettings, err := d.LoadSettings()
	if diff := cmp.Diff(settings, gotSettings); err != nil || diff != "" {
		t.Errorf("settings: %v %s", err, diff)
	}
	if err := d.SaveSettings(Settings{URL: "https://y"}); err != nil {
		t.Fatal(err)
	}
	if s, err := d.LoadSettings(); err != nil || len(s.CA) != 0 {
		t.Errorf("old certificates are still trusted: %v %v", s, err)
	}
	if err := d.Forget(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.LoadState(); !errors.Is(err, ErrNotEnrolled) {
		t.Errorf("after Forget: %v", err)
	}
}

func TestADamagedStateIsSaidToBe(t *testing.T) {
	d := newDir(t)
	if err := os.WriteFile(d.path(stateFile), []byte(`{"agent`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.LoadState(); err == nil || errors.Is(err, ErrNotEnrolled) ||
		!strings.Contains(err.Error(), "damaged") {
		t.Errorf("LoadState = %v, want damaged", err)
	}
}

func TestAnOldStatusMeansThatTheAgentIsGone(t *testing.T) {
	d, now := newDir(t), time.Now()
	for _, tt := range []struct {
		state string
		age   time.Duration
		want  string
	}{{Online, time.Second, Online}, {Online, 2 * time.Minute, Stopped}, {Revoked, time.Hour, Revoked}} {
		if err := d.SaveStatus(Status{State: tt.state, UpdatedAt: now.Add(-tt.age)}); err != nil {
			t.Fatal(err)
		}
		if s, err := d.LoadStatus(now); err != nil || s.State != tt.want {
			t.Errorf("%s %v ago is %s, %v; want %s", tt.state, tt.age, s.State, err, tt.want)
		}
	}
	if s, err := newDir(t).LoadStatus(now); err != nil || s.State != Stopped {
		t.Errorf("no file is %s, %v; want stopped", s.State, err)
	}
}

func TestPlainHTTPIsForLoopbackOnlyUnlessAllowed(t *testing.T) {
	for _, tt := range []struct {
		url      string
		insecure bool
		want     string
	}{
		{"https://grantwright.example.org/", false, ""},
		{"http://127.0.0.1:8080", false, ""},
		{"http://[::1]:8080", false, ""},
		{"http://localhost:8080", false, ""},
		{"http://grantwright.example.org", false, "--insecure-http"},
		{"http://localhost.example.org", false, "--insecure-http"},
		{"http://grantwright.example.org", true, ""},
		{"ftp://grantwright.example.org", true, "https://"},
		{"grantwright.example.org", false, "not a URL"},
		{"https://user:pw@grantwright.example.org", false, "path only"},
	} {
		_, err := Settings{URL: tt.url, InsecureHTTP: tt.insecure}.Base()
		if (err == nil) != (tt.want == "") || (err != nil && !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("Base(%s, %v) = %v, want %q", tt.url, tt.insecure, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}
