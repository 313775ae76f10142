package hub

import (
	"crypto/ed25519"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/registry"
	"github.com/grantwright/grantwright/protocol/wire"
)

func TestAnInvitationIsShownOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	made := h.must(
		t,
		201,
		"POST",
		"/settings/agents",
		"admin",
		map[string]any{"name": "HQ", "group": "dc", "description": "basement"},
	)
	id, token := made.text("id"), made.text("enrollment_token")
	if made.text("state") != agents.Pending || strings.Count(token, ".") != 2 ||
		made.header.Get("Location") != "/api/v1/settings/agents/"+id {
		t.Errorf("created: %s", made.raw)
	}
	install, _ := made.body["install"].(map[string]any)
	want := map[string]any{
		"enroll": "grantwright-agent enroll --url https://iga.example.com --data /var/lib/grantwright-agent " +
			"--token-stdin",
		"run": "grantwright-agent run --data /var/lib/grantwright-agent",
	}
	if diff := cmp.Diff(want, install); diff != "" {
		t.Errorf("install (-want +got):\n%s", diff)
	}
	for _, path := range []string{"/settings/agents", "/settings/agents/" + id} {
		if a := h.must(
			t,
			200,
			"GET",
			path,
			"auditor",
			nil,
		); strings.Contains(a.raw, "token\":\"") ||
			strings.Contains(a.raw, token) {
			t.Errorf("GET %s shows the token: %s", path, a.raw)
		}
	}
	if strings.Contains(h.log.String(), token) {
		t.Error("the token is in the log")
	}
}

func TestOnlyAdministratorsChangeAgents(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": "HQ"}).text("id")
	one := "/settings/agents/" + id
	h.refused(t, 403, "read_only_role", "POST", "/settings/agents", "auditor", map[string]any{"name": "x"})
	h.refused(t, 403, "forbidden", "GET", "/settings/agents", "manager", nil)
	h.refused(t, 403, "forbidden", "POST", one+"/revoke", "manager", map[string]any{"reason": "x"})
	h.refused(t, 409, "duplicate_name", "POST", "/settings/agents", "admin", map[string]any{"name": "hq"})
	h.refused(t, 422, "validation_failed", "POST", "/settings/agents", "admin", map[string]any{"name": ""})
	h.refused(t, 404, "not_found", "GET", "/settings/agents/"+uuid.NewString(), "admin", nil)
	h.refused(t, 404, "not_found", "GET", "/settings/agents/nothing", "admin", nil)

	changed := h.must(t, 200, "PATCH", one, "admin", map[string]any{"name": "HQ 2", "group": "dc"})
	if changed.text("name") != "HQ 2" || changed.text("group") != "dc" || changed.header.Get("ETag") != `"2"` {
		t.Errorf("changed: %s %s", changed.header.Get("ETag"), changed.raw)
	}
	if diff := cmp.Diff([]string{"agent.created", "agent.updated"}, h.actions()); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func TestAgentsAreListedByStateAndGroupAndInPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, name := range []string{"a", "b", "c"} {
		h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": name, "group": "g-" + name})
	}
	h.enrol("d", "g-c")
	names := func(query string) (out []string, a answer) {
		a = h.must(t, 200, "GET", "/settings/agents"+query, "admin", nil)
		items, _ := a.body["items"].([]any)
		for _, i := range items {
			out = append(out, i.(map[string]any)["name"].(string))
		}
		return out, a
	}
	for query, want := range map[string][]string{
		"": {"d", "c", "b", "a"}, "?state=registered": {"d"}, "?state=pending&group=g-c": {"c"}, "?group=nobody": nil,
		"?offset=3": {"a"},
	} {
		if got, _ := names(query); !slices.Equal(got, want) {
			t.Errorf("list %s = %v; want %v", query, got, want)
		}
	}
	first, a := names("?limit=3")
	second, b := names("?limit=3&cursor=" + a.text("next_cursor"))
	if diff := cmp.Diff(
		[]string{"d", "c", "b", "a"},
		append(first, second...),
	); diff != "" || b.body["next_cursor"] != nil ||
		b.body["total"] != 4.0 {
		t.Errorf("walk (-want +got):\n%s\n%s", diff, b.raw)
	}
}

func TestAnEnrolmentTokenIsForOneKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	made := h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": "HQ"})
	token := made.text("enrollment_token")
	m, other := newHost(t, h), newHost(t, h)

	bad := m.registration(token)
	bad["proof"] = other.registration(token)["proof"]
	h.refused(t, 401, "invalid_proof", "POST", "/agent/register", token, bad)
	h.refused(t, 401, "authentication_required", "POST", "/agent/register", "", m.registration(token))
	h.refused(t, 401, "invalid_token", "POST", "/agent/register", "admin", m.registration(token))
	short := m.registration(token)
	short["sealing_key"] = "AAAA"
	h.refused(t, 422, "validation_failed", "POST", "/agent/register", token, short)
	big := m.registration(token)
	big["padding"] = strings.Repeat("x", registry.MaxAgentBody)
	h.refused(t, 413, "payload_too_large", "POST", "/agent/register", token, big)

	first := h.must(t, 200, "POST", "/agent/register", token, m.registration(token))
	again := h.must(t, 200, "POST", "/agent/register", token, m.registration(token))
	for _, name := range []string{"agent_id", "instance_id", "tenant_id", "name"} {
		if first.text(name) == "" || first.text(name) != again.text(name) {
			t.Errorf("%s = %q, then %q; a lost answer must be repeated", name, first.text(name), again.text(name))
		}
	}
	if first.body["join_seq"] != 1.0 || again.body["join_seq"] != 1.0 {
		t.Errorf("join_seq = %v, then %v; want 1", first.body["join_seq"], again.body["join_seq"])
	}
	h.refused(t, 401, "invalid_token", "POST", "/agent/register", token, other.registration(token))
	// The kinds of token are apart.
	h.refused(t, 401, "invalid_token", "POST", "/agent/register", first.text("token"), m.registration(token))
	if a := h.call(t, "GET", "/settings/agents", first.text("token"), nil); a.status != 401 {
		t.Errorf("an agent's token opened the administrators' list: %d", a.status)
	}

	shown := h.must(t, 200, "GET", "/settings/agents/"+made.text("id"), "admin", nil)
	fp := agents.Fingerprint(m.identity.Public().(ed25519.PublicKey))
	if shown.text("state") != agents.Registered || shown.text("identity_fingerprint") != *fp ||
		shown.text("hostname") != "srv7" {
		t.Errorf("shown: %s", shown.raw)
	}
	if diff := cmp.Diff([]string{"agent.created", "agent.registered"}, h.actions()); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

func TestOfTwentyHostsWithOneTokenOneWins(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	token := h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": "HQ"}).text("enrollment_token")
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		m := newHost(t, h)
		r := m.registration(token)
		wg.Go(func() {
			switch a := h.call(t, "POST", "/agent/register", token, r); a.status {
			case 200:
				won.Add(1)
			case 401:
				lost.Add(1)
			default:
				t.Errorf("status %d: %s", a.status, a.raw)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 19 {
		t.Errorf("%d won and %d lost; want 1 and 19", won.Load(), lost.Load())
	}
	// Twenty attempts are what an address has in a burst.
	a := h.call(t, "POST", "/agent/register", token, newHost(t, h).registration(token))
	if a.status != 429 || a.header.Get("Retry-After") == "" {
		t.Errorf(
			"attempt 21 = %d, Retry-After %q; want 429 and when to come back",
			a.status,
			a.header.Get("Retry-After"),
		)
	}
}

func TestAnEnrolmentTokenEnds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	made := h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": "HQ"})
	token := made.text("enrollment_token")
	again := h.must(t, 200, "POST", "/settings/agents/"+made.text("id")+"/enroll", "admin", nil)
	m := newHost(t, h)
	h.refused(t, 401, "invalid_token", "POST", "/agent/register", token, m.registration(token)) // replaced
	token = again.text("enrollment_token")
	h.setClock(time.Now().Add(time.Hour + time.Minute))
	h.refused(t, 401, "token_expired", "POST", "/agent/register", token, m.registration(token))
}

func TestATokenIsRenewedByProofOfTheKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	other := h.enrol("Branch", "")
	first := m.renewal("n1")
	bad := m.renewal("n1")
	bad["signature"] = other.renewal("n1")["signature"]
	h.refused(t, 401, "invalid_proof", "POST", "/agent/token", m.token, bad)
	h.refused(t, 403, "agent_identity_mismatch", "POST", "/agent/token", m.token, other.renewal("n1"))
	h.refused(t, 401, "authentication_required", "POST", "/agent/token", "", first)

	a := h.must(t, 200, "POST", "/agent/token", m.token, first)
	lost := h.must(t, 200, "POST", "/agent/token", m.token, first) // its answer was lost
	if a.body["join_seq"] != 2.0 || lost.body["join_seq"] != 2.0 {
		t.Errorf("join_seq = %v, repeated %v; want 2 both times", a.body["join_seq"], lost.body["join_seq"])
	}
	m.joined(lost)
	// A day switched off: the token is long dead, the key is not.
	h.setClock(time.Now().Add(24 * time.Hour))
	if _, resp, err := dial(h.process, m.token, nil); err == nil || resp.StatusCode != 401 {
		t.Errorf("an expired token connected: %v", err)
	}
	m.joined(h.must(t, 200, "POST", "/agent/token", m.token, m.renewal("n2")))
	ahead := *m
	ahead.joinSeq += 5
	h.refused(t, 409, "join_counter_ahead", "POST", "/agent/token", m.token, ahead.renewal("n3"))
	if got := h.state(m.id); got != agents.Registered {
		t.Errorf("state = %s; want %s", got, agents.Registered)
	}
	if got := h.actions(); got[len(got)-1] != "agent.identity_mismatch" {
		t.Errorf("audit = %v; want agent.identity_mismatch at the end", got)
	}
}

func TestACopiedAgentIsQuarantinedUntilItIsEnrolledAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	copied := *m
	m.joined(h.must(t, 200, "POST", "/agent/token", m.token, m.renewal("n1")))
	l := m.connect()
	h.refused(t, 403, "agent_quarantined", "POST", "/agent/token", copied.token, copied.renewal("n2"))
	if got := l.closed(); got != wire.CloseClone {
		t.Errorf("closed with %d; want %d", got, wire.CloseClone)
	}
	h.refused(t, 403, "agent_quarantined", "POST", "/agent/token", m.token, m.renewal("n3"))
	if _, resp, err := dial(h.process, m.token, nil); err == nil || resp.StatusCode != 403 {
		t.Errorf("a quarantined agent connected: %v", err)
	}
	if got := h.state(m.id); got != agents.Quarantined || !slices.Contains(h.actions(), "agent.clone_detected") {
		t.Errorf("state = %s, audit = %v", got, h.actions())
	}
	token := h.must(t, 200, "POST", "/settings/agents/"+m.id+"/enroll", "admin", nil).text("enrollment_token")
	fresh := newHost(t, h)
	fresh.id = m.id
	fresh.joined(h.must(t, 200, "POST", "/agent/register", token, fresh.registration(token)))
	fresh.connect()
	h.eventually(m.id, agents.Online)
	h.refused(t, 401, "token_revoked", "POST", "/agent/token", m.token, m.renewal("n4"))
}

func TestARevokedAgentIsCutOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	began := time.Now()
	a := h.must(t, 200, "POST", "/settings/agents/"+m.id+"/revoke", "admin", map[string]any{"reason": "host stolen"})
	if a.text("state") != agents.Revoked || a.text("revoked_reason") != "host stolen" {
		t.Errorf("revoked: %s", a.raw)
	}
	if got := l.closed(); got != wire.CloseRevoked || time.Since(began) > 5*time.Second {
		t.Errorf("closed with %d after %s; want %d within 5 s", got, time.Since(began), wire.CloseRevoked)
	}
	if _, resp, err := dial(h.process, m.token, nil); err == nil || resp.StatusCode != 403 {
		t.Errorf("a revoked agent connected: %v", err)
	}
	h.refused(t, 403, "agent_revoked", "POST", "/agent/token", m.token, m.renewal("n1"))
	h.refused(t, 409, "conflict", "POST", "/settings/agents/"+m.id+"/enroll", "admin", nil)
	h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": "HQ"}) // its name is free again
}

func TestALostHostIsReplaced(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	h.must(t, 200, "POST", "/settings/agents/"+m.id+"/enroll", "admin", nil)
	if got := l.closed(); got != wire.CloseRevoked {
		t.Errorf("closed with %d; want %d", got, wire.CloseRevoked)
	}
	h.refused(t, 401, "token_revoked", "POST", "/agent/token", m.token, m.renewal("n1"))
	if got := h.state(m.id); got != agents.Pending {
		t.Errorf("state = %s; want %s", got, agents.Pending)
	}
}

func TestAnAgentThatConnectorsNeedStays(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	err := h.db.As(ctx, h.system, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into connector (tenant_id, id, business_id, name, type, mode, agent_id)
			values (current_tenant(), $1, 'AD', 'AD', 'ldap', 'agent', $2)`, uuid.NewString(), m.id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.refused(t, 409, "agent_in_use", "DELETE", "/settings/agents/"+m.id, "admin", nil)
	err = h.db.As(ctx, h.system, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update connector set deleted_at = now()`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.must(t, http.StatusNoContent, "DELETE", "/settings/agents/"+m.id, "admin", nil)
	if got := l.closed(); got != wire.CloseRevoked {
		t.Errorf("closed with %d; want %d", got, wire.CloseRevoked)
	}
	h.refused(t, 403, "agent_revoked", "POST", "/agent/token", m.token, m.renewal("n1"))
}

func TestALimiterLetsABurstThroughAndThenTheRate(t *testing.T) {
	t.Parallel()
	l := agents.Limiter{Every: time.Second, Burst: 3}
	now := time.Unix(1000, 0)
	passed := 0
	for range 10 {
		if l.Take("a", now) == 0 {
			passed++
		}
	}
	if wait := l.Take("a", now); passed != 3 || wait != time.Second {
		t.Errorf("%d passed, then a wait of %s; want 3 and 1s", passed, wait)
	}
	if l.Take("b", now) != 0 || l.Take("a", now.Add(time.Second)) != 0 {
		t.Error("another key, or the same one a second later, was held back")
	}
}

func TestANewHostGetsStoredCredentialsOnlyWhenAPersonReleasesThem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "dc")
	err := h.db.As(ctx, h.system, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into connector (tenant_id, id, business_id, name, type, mode, agent_group, credentials)
			values (current_tenant(), gen_random_uuid(), 'ad', 'AD', 'ldap', 'agent', 'dc', '\x00')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	other := h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": "free"}).text("id")
	release := map[string]any{"release_credentials": true}
	for _, tt := range []struct {
		method, path string
		body         map[string]any
		granted      int
	}{
		{"POST", "/settings/agents", map[string]any{"name": "second", "group": "dc"}, 201},
		{"PATCH", "/settings/agents/" + other, map[string]any{"group": "dc"}, 200},
		{"POST", "/settings/agents/" + m.id + "/enroll", map[string]any{}, 200},
	} {
		h.refused(t, 409, "release_required", tt.method, tt.path, "admin", tt.body)
		for name, value := range release {
			tt.body[name] = value
		}
		h.refused(t, 403, "forbidden", tt.method, tt.path, "service", tt.body)
		h.must(t, tt.granted, tt.method, tt.path, "admin", tt.body)
	}
	var released int
	for _, a := range h.actions() {
		if a == "agent.credentials_released" {
			released++
		}
	}
	if released != 3 {
		t.Errorf("%d releases are audited; want 3", released)
	}
	h.must(t, 200, "PATCH", "/settings/agents/"+other, "admin", map[string]any{"description": "still there"})
}
