package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-ldap/ldap/v3"
)

func noEnv(string) string { return "" }

// session is one run of the program.
type session struct {
	out   *bytes.Buffer
	stop  context.CancelFunc
	ended chan error
}

// begin runs the program until it says that it is ready.
func begin(t *testing.T, env func(string) string, args ...string) session {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	r, w := io.Pipe()
	s := session{out: &bytes.Buffer{}, stop: stop, ended: make(chan error, 1)}
	go func() {
		err := run(ctx, args, env, w, io.Discard)
		_ = w.CloseWithError(errors.Join(err, io.EOF))
		s.ended <- err
	}()
	for chunk := make([]byte, 1024); !strings.HasSuffix(s.out.String(), "ready\n"); {
		n, err := r.Read(chunk)
		s.out.Write(chunk[:n])
		if err != nil {
			t.Fatalf("the program ended with %v after saying %q", err, s.out)
		}
	}
	return s
}

func (s session) end(t *testing.T) {
	t.Helper()
	s.stop()
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("the program ended with %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the program does not stop")
	}
}

func read(t *testing.T, path string) state {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var st state
	if err := json.Unmarshal(raw, &st); err != nil {
		t.Fatal(err)
	}
	return st
}

func TestTheStateFileOpensAllThreeSystems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	s := begin(t, noEnv, "--people", "200", "--seed", "4", "--state", path)
	st := read(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the state file has mode %v, %v; want 0600", info.Mode(), err)
	}
	for _, secret := range []string{st.LDAP.BindPassword, st.SCIM.Token, st.REST.APIKey} {
		if len(secret) < 20 || strings.Contains(s.out.String(), secret) {
			t.Errorf("a credential is short or was printed (%d characters)", len(secret))
		}
	}
	if st.People != 200 || st.Seed != 4 || st.Wrinkles["SameName"] != 2 {
		t.Errorf("the state says %d people of seed %d, wrinkles %v", st.People, st.Seed, st.Wrinkles)
	}
	c, err := ldap.DialURL(st.LDAP.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err = c.Bind(st.LDAP.BindDN, st.LDAP.BindPassword); err != nil {
		t.Errorf("bind: %v", err)
	}
	for _, dn := range []string{st.LDAP.BaseDN, st.LDAP.PeopleDN, st.LDAP.GroupsDN} {
		if _, err = c.Search(
			ldap.NewSearchRequest(dn, ldap.ScopeBaseObject, 0, 0, 0, false, "(objectClass=*)", nil, nil),
		); err != nil {
			t.Errorf("%s: %v", dn, err)
		}
	}
	if got := status(t, st.SCIM.BaseURL+"/Users?count=1", "Authorization", "Bearer "+st.SCIM.Token); got != 200 {
		t.Errorf("SCIM answered %d", got)
	}
	if got := status(t, st.REST.BaseURL+"/employees", st.REST.Header, st.REST.APIKey); got != 200 {
		t.Errorf("REST answered %d", got)
	}
	s.end(t)
}

func status(t *testing.T, url, header, value string) int {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(header, value)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

func TestARestartKeepsPortsAndCredentials(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	args := []string{"--people", "120", "--state", path}
	begin(t, noEnv, args...).end(t)
	first := read(t, path)
	begin(t, noEnv, args...).end(t)
	second := read(t, path)
	if first.LDAP != second.LDAP || first.SCIM != second.SCIM || first.REST != second.REST {
		t.Errorf("a restart changed addresses or credentials")
	}
	if _, err := time.Parse(time.DateOnly, first.Day); err != nil || first.Day != second.Day {
		t.Errorf("the company is described on %q, then on %q; want one day", first.Day, second.Day)
	}
	env := func(name string) string {
		if name == "GRANTWRIGHT_TARGETS_SCIM_TOKEN" {
			return "given by hand"
		}
		return ""
	}
	begin(t, env, args...).end(t)
	if third := read(t, path); third.SCIM.Token != "given by hand" || third.REST != second.REST {
		t.Errorf("the environment did not set the token alone")
	}
}

func TestAStartThatCannotSucceedSaysWhyAndLeavesNothingRunning(t *testing.T) {
	dir := t.TempDir()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "--state is required"},
		{[]string{"--state", broken}, "is not a state file"},
		{[]string{"--state", filepath.Join(dir, "a.json"), "--ldap", "nonsense"}, "missing port"},
		{[]string{"--state", filepath.Join(dir, "b.json"), "--rest", taken.Addr().String(), "--people", "120"},
			"address already in use"},
		{[]string{"--state", filepath.Join(dir, "no", "such", "dir.json"), "--people", "120"},
			"no such file or directory"},
	} {
		err := run(context.Background(), tt.args, noEnv, io.Discard, io.Discard)
		if err == nil || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%v: %v; want an error with %q", tt.args, err, tt.want)
		}
	}
}
