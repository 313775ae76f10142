package scenarios

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/e2e/canary"
	"github.com/grantwright/grantwright/e2e/harness"
)

// recorder is a test of which it is only noted what it was failed for.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

// about reports whether a failure names both a place and a secret.
func (r *recorder) about(place, secret string) bool {
	return slices.ContainsFunc(
		r.failures,
		func(f string) bool { return strings.Contains(f, place) && strings.Contains(f, secret) },
	)
}

// TestTheSweepSeesASecretWhereverItIs plants secrets wherever no secret must be, for the sweep that ends every other
// test says nothing about a place at which it does not look.
func TestTheSweepSeesASecretWhereverItIs(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	agent := h.Agent(h.Admin, "site")
	k := makeHook(t, h.Admin, "tickets", "http://"+freeAddress(t), "identity.created")
	person := h.Person(h.Admin, "E1")
	logged(t, h, k, 1, func(d delivery) bool { return d.Attempt == 1 })

	// A jar of its own: the secrets planted here are known to this sweep, and not to the one that ends the test.
	seen := &recorder{TB: t}
	spy := h.For(seen)
	spy.Secrets = &canary.Jar{}
	spy.Sweep()
	if len(seen.failures) > 0 {
		t.Fatalf("with nothing planted, the sweep finds %v", seen.failures)
	}
	secret := func(what string) string {
		s := fmt.Sprintf(`planted "%s" %x/+`, what, what)
		spy.Secrets.Add("the "+what+" canary", s)
		return s
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("before "+text+" after\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Remove(path) })
	}
	write(filepath.Join(h.Logs(), "planted.log"), secret("log"))
	write(filepath.Join(agent.Data, "spool-planted"), hex.EncodeToString([]byte(secret("agent"))))
	h.Exec(
		`update audit_event set event = jsonb_set(event::jsonb, '{planted}', to_jsonb($1::text))::text where seq = 3`,
		secret("audit"),
	)
	h.Exec(
		`update webhook_delivery set attempts = jsonb_build_array(jsonb_build_object('excerpt', $1::text))`,
		secret("delivery"),
	)
	h.Exec(`update identity i set attributes = attributes || jsonb_build_object('note', $1::text)
	          from (select set_config('app.tenant_id', (select tenant_id::text from identity
	              where id = $2), false)) as_tenant where i.id = $2`,
		base64.StdEncoding.EncodeToString([]byte("user:"+secret("attribute"))), person)
	h.Exec(`create table planted (content bytea)`)
	h.Exec(`insert into planted values ($1)`, []byte(secret("bytes")))
	answered := []byte(`{"bearer_token":"` + "planted-in-an-answer" + `"}`)
	spy.Secrets.Answered("the first answer", answered)
	spy.Secrets.Answered("the second answer", answered)

	spy.Sweep()
	for place, planted := range map[string]string{
		"logs/planted.log": "log", "agent-site/spool-planted": "agent", "public.audit_event": "audit",
		"public.webhook_delivery": "delivery", "public.identity:": "attribute",
		"public.planted": "bytes",
	} {
		if !seen.about(place, "the "+planted+" canary") {
			t.Errorf("the sweep does not see the secret in %s", place)
		}
	}
	if !seen.about("the second answer", "bearer_token") || seen.about("the first answer", "bearer_token") {
		t.Error("the sweep does not see the secret that an answer shows a second time")
	}
	if len(seen.failures) != 7 {
		t.Errorf(
			"the sweep finds %d secrets; want the seven that were planted:\n%s",
			len(seen.failures),
			strings.Join(seen.failures, "\n"),
		)
	}
	h.Exec(`drop table planted`)
}
