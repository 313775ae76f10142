package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// crowdOfCallers asks all the time, reading, writing, signing in and refreshing, until it is sent home.
type crowdOfCallers struct {
	ctx     context.Context
	home    chan struct{}
	callers sync.WaitGroup

	mu      sync.Mutex
	counts  map[string]int
	trouble []string
}

// gather lets the callers in. Tokens that were there before are used to the end, and new ones as well.
func gather(t *testing.T, h *harness.House) *crowdOfCallers {
	t.Helper()
	c := &crowdOfCallers{ctx: harness.Context(t), home: make(chan struct{}), counts: map[string]int{}}
	for name, call := range map[string]func(n int) api.Answer{
		"read":  func(int) api.Answer { return c.ask(h.Admin, "GET", "/identities?limit=5", nil) },
		"write": func(n int) api.Answer { return c.ask(h.Admin, "POST", "/identities", someone(n)) },
		"seal": func(n int) api.Answer {
			return c.ask(h.Admin, "POST", "/connectors",
				sealed(fmt.Sprint("steady-", n)))
		},
		"sign in": func(int) api.Answer { return c.signIn(h.Client()) },
	} {
		c.callers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-c.home:
					return
				case <-time.After(40 * time.Millisecond):
				}
				c.note(name, call(n))
			}
		})
	}
	return c
}

func someone(n int) map[string]any {
	return map[string]any{
		"external_id": fmt.Sprint("steady-", n),
		"email":       fmt.Sprintf("steady-%d@people.example", n),
		"first_name":  "S",
		"last_name":   fmt.Sprint(n),
	}
}

// sealed is a connector that is never called, for the sake of its credentials.
func sealed(name string) map[string]any {
	return map[string]any{
		"business_id": name,
		"name":        name,
		"type":        "ldap",
		"connection":  map[string]any{"host": "127.0.0.1", "base_dn": "dc=x", "bind_dn": "cn=x"},
		"credentials": map[string]any{"bind_password": "canary-steady-5c1d7e"},
	}
}

// ask tells of an answer that did not come as of one with the status 0.
func (c *crowdOfCallers) ask(as *api.Client, method, path string, in any) api.Answer {
	answer, _ := as.Ask(c.ctx, method, path, in)
	return answer
}

// signIn signs in, refreshes, and reads as the one it has become.
func (c *crowdOfCallers) signIn(nobody *api.Client) api.Answer {
	email, password := harness.Account("main")
	var pair struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	in := c.ask(nobody, "POST", "/auth/login", map[string]any{"email": email, "password": password})
	if in.Status != 200 || in.Into(&pair) != nil {
		return in
	}
	again := c.ask(nobody.As(pair.Refresh), "POST", "/auth/refresh", nil)
	if again.Status != 200 || again.Into(&pair) != nil {
		return again
	}
	return c.ask(nobody.As(pair.Access), "GET", "/auth/me", nil)
}

func (c *crowdOfCallers) note(name string, a api.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[name]++
	if (a.Status < 200 || a.Status >= 300) && a.Status != 429 {
		c.trouble = append(c.trouble, name+" got "+harness.Outcome(a))
	}
}

// disperse sends them home and fails the test when anybody was refused, or had nothing to do.
func (c *crowdOfCallers) disperse(t *testing.T) {
	t.Helper()
	close(c.home)
	c.callers.Wait()
	for _, name := range []string{"read", "write", "seal", "sign in"} {
		if c.counts[name] < 3 {
			t.Errorf("only %d requests to %s: that shows nothing", c.counts[name], name)
		}
	}
	if len(c.trouble) > 0 {
		t.Errorf("%d of %v requests were refused: %v", len(c.trouble), c.counts, c.trouble[:min(5, len(c.trouble))])
	}
}

// fingerprint is a line of `keys status` about a master key.
var fingerprint = regexp.MustCompile(`(?m)^([0-9a-f]{8})\s+(seals|opens|missing)\s+(\d+)`)

type masterKey struct{ role, count string }

func masterKeys(text string) map[string]masterKey {
	found := map[string]masterKey{}
	for _, m := range fingerprint.FindAllStringSubmatch(text, -1) {
		found[m[1]] = masterKey{m[2], m[3]}
	}
	return found
}

func TestEveryKeyIsExchangedWhileNobodyNotices(t *testing.T) {
	t.Parallel()
	h, s := open(t, 100, 0)
	workspace, personnel := h.Connect(h.Admin, s.state.Workspace()), h.Connect(h.Admin, s.state.Personnel())
	h.Sync(h.Admin, workspace, api.Sync{})
	old := filepath.Join(h.Dir, "old.key")
	raw, err := os.ReadFile(filepath.Join(h.Plane.Data, "keys", "master.key"))
	if err == nil {
		err = os.WriteFile(old, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	before := masterKeys(h.MustOperate("keys", "status"))
	oldName := only(t, before)
	h.Expect("200", h.Admin, "GET", "/auth/me", nil)
	agent := h.Agent(h.Admin, "site")
	callers := gather(t, h)

	if out := h.MustOperate(
		"keys",
		"rotate",
		"signing",
		"--now",
	); !strings.Contains(out, "api key") ||
		!strings.Contains(out, "signs from now on") {
		t.Errorf("rotate signing says %s", out)
	}
	if out := h.MustOperate("keys", "list"); !strings.Contains(out, "verify") {
		t.Errorf("after the rotation, keys list says %s", out)
	}
	if out, code := h.Operate("keys", "drop", oldName); code != 1 || !strings.Contains(out, "is in use") {
		t.Errorf("dropping the only master key: %d %s", code, out)
	}
	newKey := filepath.Join(h.Dir, "new.key")
	h.MustOperate("keys", "rotate", "master", "--add-only", "--new-key-file", newKey)
	after := masterKeys(h.MustOperate("keys", "rotate", "master", "--new-key-file", newKey))
	if len(after) != 2 || after[oldName] != (masterKey{"opens", "0"}) {
		t.Errorf("after the rotation of the master key: %v; want nothing under %s", after, oldName)
	}
	if out := h.MustOperate(
		"keys",
		"rotate",
		"data",
		"--tenant",
		"main",
	); !strings.Contains(out, "tenant main:") ||
		!strings.Contains(out, "encrypted with version 2") {
		t.Errorf("rotate data says %s", out)
	}
	if out := h.MustOperate(
		"keys",
		"rotate",
		"signing",
	); !strings.Contains(out, "may sign from") &&
		!strings.Contains(out, "signs from now on") {
		t.Errorf("rotate signing says %s", out)
	}
	h.MustOperate("keys", "drop", oldName)
	h.MustOperate("keys", "prune")
	h.Sync(h.Admin, workspace, api.Sync{})
	h.Sync(h.Admin, personnel, api.Sync{})
	callers.disperse(t)
	status := h.MustOperate("keys", "status")
	if now := masterKeys(status); len(now) != 1 || now[oldName] != (masterKey{}) ||
		!regexp.MustCompile(`main\s+version 2\s+\d+\s+0`).MatchString(status) {
		t.Errorf("in the end keys status says %s", status)
	}
	if a, err := h.Admin.Agent(harness.Context(t), agent.ID); err != nil || a.State != "online" {
		t.Errorf("the agent is %s, %v", a.State, err)
	}
	if n := h.Total(h.Admin, "/audit-events?action=key.rotated"); n < 1 {
		t.Error("the rotation is not in the audit log")
	}

	// The old key opens nothing any more, and a server that has it alone does not begin.
	if out := h.MustOperate(
		"keys",
		"status",
		"--master-key-file",
		old,
	); !strings.Contains(out, "missing") ||
		masterKeys(out)[oldName].count == before[oldName].count {
		t.Errorf("with the old key alone, keys status says %s", out)
	}
	h.StopPlane()
	if out, code := h.Operate(
		"serve",
		"--listen",
		h.Plane.Listen,
		"--master-key-file",
		old,
	); code != 1 ||
		!strings.Contains(out, "master key") {
		t.Errorf(
			"a server with the old key alone ended with %d %s; want a refusal that names the master key",
			code,
			out,
		)
	}
	h.Start()
	h.Sync(h.Admin, workspace, api.Sync{})
}

// only is the one key there is.
func only(t *testing.T, keys map[string]masterKey) (name string) {
	t.Helper()
	if len(keys) != 1 {
		t.Fatalf("there are the master keys %v; want one", keys)
	}
	for name = range keys {
	}
	return name
}
