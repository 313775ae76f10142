package target_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	"github.com/grantwright/grantwright/connectorkit/target/internal/shared"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// caller makes one call after the other with the same shared knowledge, by a clock that the test moves.
type caller struct {
	t      *testing.T
	base   string
	shared shared.State
	clock  clock
}

func (c *caller) client(auth target.Auth) *target.Client {
	c.t.Helper()
	env := onSite()
	env.Now = c.clock.now
	out, err := target.New(
		c.t.Context(), env, target.Options{BaseURL: c.base, Auth: auth, Shared: &c.shared, Sleep: (&sleeper{}).sleep},
	)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(out.Close)
	return out
}

func TestATargetThatFailsTenTimesIsLeftAloneForAMinute(t *testing.T) {
	var calls atomic.Int32
	var up atomic.Bool
	c := &caller{t: t, base: serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1); !up.Load() {
			w.WriteHeader(502)
			return
		}
		fmt.Fprint(w, "{}")
	})}
	auth := target.Bearer{Token: "one"}
	for i := range 2 {
		if d := detail(t, get(t, c.client(auth))); d.Code != "http_502" {
			t.Fatalf("call %d: %+v", i+1, d)
		}
	}
	d := detail(t, get(t, c.client(auth)))
	if d.Code != "circuit_open" || !d.Retryable || d.Class != v1.ClassTransient || *d.RetryAfterMS > 60000 ||
		*d.RetryAfterMS < 50000 || calls.Load() != 10 {
		t.Errorf("third call: %+v after %d requests; want circuit_open for about a minute after 10", d, calls.Load())
	}
	if !strings.Contains(d.Message, "502") || d.Target.HTTP.Status != 502 {
		t.Errorf("the error does not tell what opened the circuit: %+v", d)
	}
	if d := detail(t, get(t, c.client(target.Bearer{Token: "other"}))); d.Code != "http_502" {
		t.Errorf("other credentials: %+v, want an answer of their own", d)
	}
	c.clock.ahead.Store(int64(61 * time.Second))
	n := calls.Load()
	if d := detail(t, get(t, c.client(auth))); d.Code != "http_502" || calls.Load() != n+1 {
		t.Errorf("after a minute: %+v after %d requests; want one try", d, calls.Load()-n)
	}
	if d := detail(t, get(t, c.client(auth))); d.Code != "circuit_open" || calls.Load() != n+1 {
		t.Errorf("after that: %+v after %d requests; want it open again", d, calls.Load()-n)
	}
	up.Store(true)
	if err := get(t, c.client(auth).WithoutRetry()); err != nil {
		t.Errorf("a probe: %v; it must be let through", err)
	}
	if err := get(t, c.client(auth)); err != nil {
		t.Errorf("after a probe that succeeded: %v", err)
	}
}

func TestARefusedLoginIsNotTriedAgainByOthers(t *testing.T) {
	for _, status := range []int{401, 403} {
		var calls atomic.Int32
		c := &caller{t: t, base: serve(t, func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			if r.Header.Get("Authorization") != "Bearer right" {
				w.WriteHeader(status)
				return
			}
			if r.URL.Path == "/forbidden" {
				w.WriteHeader(403)
				return
			}
			fmt.Fprint(w, "{}")
		})}
		wrong := target.Bearer{Token: "wrong"}
		first := c.client(wrong)
		for range 2 { // the call itself goes on: some targets protect single addresses
			if d := detail(t, get(t, first)); d.Target.HTTP.Status != status || d.Code == "circuit_open" {
				t.Fatalf("%d: %+v", status, d)
			}
		}
		d := detail(t, get(t, c.client(wrong)))
		if d.Code != "circuit_open" || d.Class == v1.ClassTransient || d.Retryable || calls.Load() != 2 ||
			d.Target.HTTP.Status != status {
			t.Errorf("%d: the next call: %+v after %d requests", status, d, calls.Load())
		}
		if d := detail(t, get(t, c.client(wrong).WithoutRetry())); d.Code != fmt.Sprintf("http_%d", status) {
			t.Errorf("%d: a probe: %+v, want the target's own answer", status, d)
		}
		right := target.Bearer{Token: "right"}
		if err := get(t, c.client(right)); err != nil {
			t.Errorf("corrected credentials: %v", err)
		}
		_ = c.client(right).JSON(t.Context(), target.Request{URL: "/forbidden"}, new(any))
		if err := get(t, c.client(right)); err != nil {
			t.Errorf("after a 403 for one address: %v; a missing right is no refused login", err)
		}
	}
	anonymous := &caller{t: t, base: serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })}
	for range 2 {
		if d := detail(t, get(t, anonymous.client(nil))); d.Code != "http_401" {
			t.Errorf("without credentials: %+v; there is no account to lock", d)
		}
	}
}

func TestARefusedTokenRequestOpensTheCircuit(t *testing.T) {
	var asked atomic.Int32
	idp := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(400)
		fmt.Fprint(w, `{"error":"invalid_client"}`)
	})
	c := &caller{t: t, base: serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })}
	auth := target.ClientCredentials{TokenURL: idp, ClientID: "id", ClientSecret: "secret-value"}
	if d := detail(t, get(t, c.client(auth))); d.Code != "oauth_invalid_client" {
		t.Fatalf("first: %+v", d)
	}
	if d := detail(t, get(t, c.client(auth))); d.Code != "circuit_open" || d.Class != v1.ClassAuth ||
		asked.Load() != 1 {
		t.Errorf("second: %+v after %d token requests", d, asked.Load())
	}
}

func TestWhatATargetTellsOneCallHoldsForAll(t *testing.T) {
	var left atomic.Int32
	left.Store(1)
	c := &caller{t: t, base: serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("RateLimit", fmt.Sprintf(`"hour";r=%d;t=20`, left.Load()))
		fmt.Fprint(w, "{}")
	})}
	auth := target.Bearer{Token: "one"}
	for i, want := range []bool{false, false, true} {
		one := c.client(auth)
		if err := get(t, one); err != nil || (one.Waited() > 15*time.Second) != want {
			t.Errorf("call %d: %v after waiting %s", i+1, err, one.Waited())
		}
		left.Store(0)
	}
	var told []v1.Progress
	ctx := connectorkit.WithReport(t.Context(), func(p v1.Progress) { told = append(told, p) })
	if err := c.client(auth).JSON(ctx, target.Request{URL: "/x", Phase: "users"}, new(any)); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0].Phase != "users" || told[0].RateWaitUntil.Before(c.clock.now().Add(10*time.Second)) {
		t.Errorf("told %+v, want the wait of one call", told)
	}
}

func TestATargetThatWantsALongRestGetsItFromAll(t *testing.T) {
	var calls atomic.Int32
	c := &caller{t: t, base: serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(503)
	})}
	auth := target.Bearer{Token: "one"}
	for i := range 2 {
		d := detail(t, get(t, c.client(auth)))
		if d.Class != v1.ClassRateLimited || !d.Retryable || *d.RetryAfterMS < 3590000 || calls.Load() != 1 {
			t.Errorf("call %d: %+v after %d requests; want rate_limited for an hour after one", i+1, d, calls.Load())
		}
	}
}

func TestA403ThatCountsRequestsIsALimitAndNoRefusal(t *testing.T) {
	var calls atomic.Int32
	c := &caller{t: t, base: serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("X-RateLimit-Remaining", "0")
			w.Header().Set("X-RateLimit-Reset", "7")
			w.WriteHeader(403)
			return
		}
		fmt.Fprint(w, "{}")
	})}
	one := c.client(target.Bearer{Token: "one"})
	if err := get(t, one); err != nil || one.Waited() < 6*time.Second || one.Waited() > 8*time.Second {
		t.Errorf("%v after waiting %s; want to wait the 7 s and go on", err, one.Waited())
	}
}
