package scenarios

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

func TestProgramsComeInByServiceTokens(t *testing.T) {
	t.Parallel()
	h := harness.Open(t, "--behind-tls-proxy")
	second := h.Second()
	for _, number := range []string{"P1", "P2", "P3"} {
		h.Person(h.Admin, number)
	}
	for _, story := range []struct {
		name string
		tell func(*testing.T, *harness.House, *rig.ControlPlane)
	}{
		{"a token does what its scopes and its role allow, and hears what is missing", scoped},
		{"a token is replaced without a pause", rotated},
		{"a token that is revoked or disabled is dead in every process", revoked},
		{"a token ends on its day", expired},
		{"a token works from its networks alone", restricted},
		{"a token's rate is raised by an administrator", raised},
		{"a token falls with the administrator who made it", orphanedToken},
	} {
		t.Run(story.name, func(t *testing.T) { story.tell(t, h.For(t), second) })
	}
}

// issued is a service token as it is shown once; key holds it.
type issued struct {
	ID      string    `json:"id"`
	Token   string    `json:"token"`
	State   string    `json:"state"`
	Expires time.Time `json:"expires_at"`
	Tail    string    `json:"jti_tail"`
	From    *string   `json:"rotated_from_id"`
	key     *api.Client
}

// issue makes a token by what admin may do; more are further members and their values in turn.
func issue(h *harness.House, admin *api.Client, role string, scopes []string, more ...any) issued {
	wanted := map[string]any{"name": "export", "role": role, "scopes": scopes}
	for i := 0; i+1 < len(more); i += 2 {
		wanted[more[i].(string)] = more[i+1]
	}
	return received(h, admin, h.Expect("201", admin, "POST", "/settings/api-tokens", wanted))
}

func received(h *harness.House, by *api.Client, a api.Answer) issued {
	made := harness.Read[issued](h, a)
	made.key = by.As(made.Token)
	return made
}

const tokensPath = "/settings/api-tokens/"

var reading = []string{"identities:read"}

func scoped(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	reader := issue(h, h.Admin, "admin", reading)
	if life := time.Until(reader.Expires); life < 89*24*time.Hour || life > 90*24*time.Hour {
		t.Errorf("the token ends at %s; want in 90 days", reader.Expires)
	}
	for _, path := range []string{tokensPath + reader.ID, "/settings/api-tokens"} {
		if again := h.Expect("200", h.Admin, "GET", path, nil); strings.Contains(string(again.Body), reader.Token) {
			t.Errorf("%s shows the token again", path)
		}
	}
	if got := h.Total(reader.key, "/identities"); got != 3 {
		t.Errorf("the token reads %d people; want 3", got)
	}
	me := harness.Read[struct {
		Kind   string   `json:"kind"`
		Scopes []string `json:"scopes"`
	}](h, h.Expect("200", reader.key, "GET", "/auth/me", nil))
	if me.Kind != "service" || !slices.Equal(me.Scopes, reading) {
		t.Errorf("the token is told that it is %+v", me)
	}
	for want, try := range map[string][2]string{
		"accounts:read": {"GET", "/accounts"}, "identities:write": {"POST", "/identities"},
		"users:read":   {"GET", "/settings/users"},
		"tokens:write": {"DELETE", tokensPath + reader.ID}, "audit-events:read": {"GET", "/audit-events"},
	} {
		for _, key := range []*api.Client{reader.key, reader.key.At(second.URL())} {
			refusal := h.Expect("403 insufficient_scope", key, try[0], try[1], nil)
			told := harness.Read[struct {
				Scope string `json:"scope"`
			}](h, refusal)
			if challenge := refusal.Header.Get("WWW-Authenticate"); told.Scope != want ||
				!strings.Contains(challenge, `scope="`+want+`"`) {
				t.Errorf(
					"%s %s says that %q is missing, and %q; want %s in both",
					try[0],
					try[1],
					told.Scope,
					challenge,
					want,
				)
			}
		}
	}
	writer := issue(h, h.Admin, "auditor", []string{"identities:write", "identities:read"})
	h.Expect(
		"403 read_only_role",
		writer.key,
		"POST",
		"/identities",
		map[string]any{"external_id": "P4", "email": "p4@people.example"},
	)
	h.Expect("403 forbidden", reader.key, "POST", "/auth/logout-all", nil)
	h.Expect(
		"422 validation_failed",
		h.Admin,
		"POST",
		"/settings/api-tokens",
		map[string]any{"name": "x", "role": "admin", "scopes": []string{"everything:write"}},
	)
}

func rotated(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	old := issue(h, h.Admin, "auditor", reading)
	next := received(
		h,
		h.Admin,
		h.Expect("201", h.Admin, "POST", tokensPath+old.ID+"/rotate", map[string]string{"overlap": "PT5S"}),
	)
	h.Expect("409 already_rotated", h.Admin, "POST", tokensPath+old.ID+"/rotate", nil)
	if next.From == nil || *next.From != old.ID || next.Token == old.Token {
		t.Errorf("the successor is %s from %v; want another token, from %s", next.ID, next.From, old.ID)
	}
	for _, process := range []string{h.Plane.URL(), second.URL()} {
		h.Expect("200", next.key.At(process), "GET", "/identities", nil)
	}
	ending := h.Ask(old.key, "GET", "/identities", nil)
	if ending.Status == 200 && ending.Header.Get("Token-Expires-At") == "" {
		t.Error("a token that is about to end does not say so")
	}
	for _, process := range []string{h.Plane.URL(), second.URL()} {
		var saw string
		harness.Eventually(t, "the old token ends", func() bool {
			saw = harness.Outcome(h.Ask(old.key.At(process), "GET", "/identities", nil))
			return saw != "200"
		}, &saw)
		if saw != "401 token_expired" {
			t.Errorf("the old token ends with %s", saw)
		}
		h.Expect("200", next.key.At(process), "GET", "/identities", nil)
	}
}

func revoked(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	k := issue(h, h.Admin, "auditor", reading)
	there := k.key.At(second.URL())
	dead := func() bool { return harness.Outcome(h.Ask(there, "GET", "/identities", nil)) == "401 token_revoked" }
	h.Expect("200", there, "GET", "/identities", nil)
	h.Expect("200", h.Admin, "PATCH", tokensPath+k.ID, map[string]any{"enabled": false})
	h.Expect("401 token_revoked", k.key, "GET", "/identities", nil)
	harness.Soon(t, "a disabled token is dead in the second process", dead)
	h.Expect("200", h.Admin, "PATCH", tokensPath+k.ID, map[string]any{"enabled": true})
	h.Expect("200", k.key, "GET", "/identities", nil)
	harness.Soon(
		t,
		"an enabled token lives in the second process",
		func() bool { return h.Ask(there, "GET", "/identities", nil).Status == 200 },
	)

	h.Expect("204", h.Admin, "DELETE", tokensPath+k.ID, nil)
	h.Expect("401 token_revoked", k.key, "GET", "/identities", nil)
	harness.Soon(t, "a revoked token is dead in the second process", dead)
	if left := harness.Read[issued](
		h,
		h.Expect("200", h.Admin, "GET", tokensPath+k.ID, nil),
	); left.State != "revoked" ||
		left.Token != "" {
		t.Errorf("the token stays in the list as %s", left.State)
	}
	h.Expect("409 token_over", h.Admin, "PATCH", tokensPath+k.ID, map[string]any{"enabled": true})
}

func expired(t *testing.T, h *harness.House, _ *rig.ControlPlane) {
	end := func(in time.Duration) string { return time.Now().Add(in).UTC().Format(time.RFC3339) }
	for _, in := range []time.Duration{-time.Hour, 366 * 24 * time.Hour} {
		h.Expect("422 validation_failed", h.Admin, "POST", "/settings/api-tokens",
			map[string]any{"name": "x", "role": "auditor", "scopes": reading, "expires_at": end(in)})
	}
	k := issue(h, h.Admin, "auditor", reading, "expires_at", end(3*time.Second))
	if k.State != "expiring" {
		t.Errorf("a token with three seconds before it is %s", k.State)
	}
	var saw string
	harness.Eventually(t, "the token ends", func() bool {
		saw = harness.Outcome(h.Ask(k.key, "GET", "/identities", nil))
		return saw != "200"
	}, &saw)
	if saw != "401 token_expired" || time.Now().Before(k.Expires) {
		t.Errorf("the token ends with %s at %s; want token_expired, not before %s", saw, time.Now(), k.Expires)
	}
	if left := harness.Read[issued](h, h.Expect("200", h.Admin, "GET", tokensPath+k.ID, nil)); left.State != "expired" {
		t.Errorf("a token whose day has come is %s", left.State)
	}
}

func restricted(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	const datacenter, elsewhere = "203.0.113.9", "198.51.100.9"
	k := issue(h, h.Admin, "auditor", reading, "allowed_cidrs", []string{"203.0.113.0/28", "2001:db8::/32"})
	for _, process := range []string{h.Plane.URL(), second.URL()} {
		key := k.key.At(process)
		h.Expect("200", key, "GET", "/identities", nil, "X-Forwarded-For", datacenter)
		h.Expect("200", key, "GET", "/identities", nil, "X-Forwarded-For", elsewhere+", 2001:db8::9")
		h.Expect("403 network_not_allowed", key, "GET", "/identities", nil, "X-Forwarded-For", elsewhere)
		// What a client writes into the header itself counts for nothing: the proxy adds what it has seen.
		h.Expect(
			"403 network_not_allowed",
			key,
			"GET",
			"/identities",
			nil,
			"X-Forwarded-For",
			datacenter+", "+elsewhere,
		)
		h.Expect("403 network_not_allowed", key, "GET", "/identities", nil)
	}
	h.Expect(
		"422 validation_failed",
		h.Admin,
		"PATCH",
		tokensPath+k.ID,
		map[string]any{"allowed_cidrs": []string{"anywhere"}},
	)
	h.Expect("200", h.Admin, "PATCH", tokensPath+k.ID, map[string]any{"allowed_cidrs": []string{}})
	h.Expect("200", k.key, "GET", "/identities", nil, "X-Forwarded-For", elsewhere)
}

func raised(t *testing.T, h *harness.House, _ *rig.ControlPlane) {
	k := issue(
		h,
		h.Admin,
		"admin",
		[]string{"identities:read", "tokens:write", "tokens:read"},
		"rate_limit",
		map[string]int{"rps": 500, "burst": 900},
	)
	policy := func(want string) {
		t.Helper()
		if got := h.Expect(
			"200",
			k.key,
			"GET",
			"/identities?limit=1",
			nil,
		).Header.Get("RateLimit-Policy"); got != want {
			t.Errorf("the policy is %s; want %s", got, want)
		}
	}
	policy(`"default";q=500;w=1;grantwright-burst=900`)
	var passed atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 75 {
				if h.Ask(k.key, "GET", "/auth/.well-known/jwks.json", nil).Status == 200 {
					passed.Add(1)
				}
			}
		})
	}
	all.Wait()
	if passed.Load() != 600 {
		t.Errorf("of 600 requests at once %d pass; the token may make 900", passed.Load())
	}
	h.Expect(
		"403 forbidden",
		k.key,
		"PATCH",
		tokensPath+k.ID,
		map[string]any{"rate_limit": map[string]int{"rps": 5000}},
	)
	h.Expect("200", h.Admin, "PATCH", tokensPath+k.ID, map[string]any{"rate_limit": nil})
	policy(`"default";q=100;w=1;grantwright-burst=200`)
}

func orphanedToken(t *testing.T, h *harness.House, second *rig.ControlPlane) {
	ida := h.Member(h.Admin, "ida@main.example", "", "admin")
	k := issue(h, ida.Client, "auditor", reading)
	there := k.key.At(second.URL())
	h.Expect("200", there, "GET", "/identities", nil)
	h.Expect("200", h.Admin, "PATCH", "/settings/users/"+ida.ID, map[string]any{"roles": []string{"manager"}})
	h.Expect("401 token_revoked", k.key, "GET", "/identities", nil)
	harness.Soon(t, "the token of somebody who is no administrator any more is dead", func() bool {
		return harness.Outcome(h.Ask(there, "GET", "/identities", nil)) == "401 token_revoked"
	})
	left := harness.All[struct {
		ID     string  `json:"id"`
		Reason *string `json:"disabled_reason"`
	}](h, h.Admin, "/settings/api-tokens", url.Values{"state": {"disabled"}})
	if len(left) != 1 || left[0].ID != k.ID || left[0].Reason == nil || *left[0].Reason != "creator" {
		t.Errorf("the list of disabled tokens is %+v; want this one, because of its creator", left)
	}
}
