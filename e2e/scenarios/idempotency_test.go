package scenarios

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

func TestAWriteThatIsSentAgainIsDoneOnce(t *testing.T) {
	t.Parallel()
	h := harness.OpenBuilt(t, harness.MortalPrograms(t))
	for _, story := range []struct {
		name string
		tell func(*testing.T, *harness.House)
	}{
		{"a key belongs to one request of one caller for a day", keyed},
		{"what was not carried out may be sent again", notCarriedOut},
		{"of 200 at once one is carried out, whichever process they reach", crowded},
		{"a death right after the answer loses nothing", answered},
		{"a death at any step neither loses nor doubles", struckAt},
		{"a death amid many requests neither loses nor doubles", struckAmid},
	} {
		t.Run(story.name, func(t *testing.T) { story.tell(t, h.For(t)) })
	}
}

// once is the header of a request that is done once.
func once(key string) []string { return []string{"Idempotency-Key", key} }

func person(number string) map[string]any {
	return map[string]any{
		"external_id": number,
		"email":       number + "@people.example",
		"first_name":  "Lou",
		"last_name":   number,
	}
}

// again checks that an answer is an earlier one, byte by byte, and says so.
func again(t *testing.T, first, second api.Answer) {
	t.Helper()
	if second.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the answer %d does not say that it was given before", second.Status)
	}
	if second.Status != first.Status || !bytes.Equal(second.Body, first.Body) {
		t.Errorf("the first answer was %d %s, the second %d %s", first.Status, first.Body, second.Status, second.Body)
	}
	for _, name := range []string{"Location", "Etag", "Content-Type"} {
		if first.Header.Get(name) != second.Header.Get(name) {
			t.Errorf("%s was %q and is %q", name, first.Header.Get(name), second.Header.Get(name))
		}
	}
}

// effects checks that a person was made once, and that the audit log tells of it once.
func effects(t *testing.T, h *harness.House, number string) {
	t.Helper()
	found := harness.All[identity](h, h.Admin, "/identities", url.Values{"external_id": {number}})
	if len(found) != 1 {
		t.Errorf("there are %d people with the number %s; want one", len(found), number)
		return
	}
	if n := h.Total(h.Admin, "/audit-events?action=identity.created&subject_id="+found[0].ID); n != 1 {
		t.Errorf("the audit log tells %d times that %s was made; want once", n, number)
	}
}

func keyed(t *testing.T, h *harness.House) {
	key := uuid.NewString()
	first := h.Expect("201", h.Admin, "POST", "/identities", person("K1"), once(key)...)
	if said := first.Header.Get("Idempotent-Replayed"); said != "" {
		t.Errorf("the first answer says %q", said)
	}
	again(t, first, h.Expect("201", h.Admin, "POST", "/identities", person("K1"), once(`"`+key+`"`)...))
	email, password := harness.Account("main")
	anew := harness.Read[session](h, h.Expect("200", h.Client(), "POST", "/auth/login", credentials(email, password)))
	again(t, first, h.Expect("201", h.Admin.As(anew.Access), "POST", "/identities", person("K1"), once(key)...))
	effects(t, h, "K1")

	h.Expect("422 idempotency_key_reused", h.Admin, "POST", "/identities", person("K2"), once(key)...)
	h.Expect("422 idempotency_key_reused", h.Admin, "POST", "/settings/users", person("K1"), once(key)...)
	for _, bad := range []string{"order-17", "", key + "0"} {
		h.Expect("400 invalid_idempotency_key", h.Admin, "POST", "/identities", person("K2"), once(bad)...)
	}
	h.Expect(
		"400 invalid_idempotency_key",
		h.Admin,
		"POST",
		"/identities",
		person("K2"),
		append(once(key), once(uuid.NewString())...)...)
	if n := h.Total(h.Admin, "/identities?external_id=K2"); n != 0 {
		t.Error("what was refused was done")
	}
	h.Expect("200", h.Admin, "GET", "/identities", nil, once(key)...) // reading needs no key
	lou := h.Member(h.Admin, "lou@main.example", "", "admin")
	h.Expect(
		"409 duplicate_external_id",
		lou.Client,
		"POST",
		"/identities",
		person("K1"),
		once(key)...) // the key of somebody else
	h.Expect("201", h.Tenant("elsewhere"), "POST", "/identities", person("K1"), once(key)...)

	h.Exec(`update kept_answer set asked_at = asked_at - interval '25 hours'`)
	h.Expect("409 duplicate_external_id", h.Admin, "POST", "/identities", person("K1"), once(key)...) // its day is over
}

func notCarriedOut(t *testing.T, h *harness.House) {
	mo := h.Member(h.Admin, "mo@main.example", "", "manager")
	key := uuid.NewString()
	h.Expect("403 forbidden", mo.Client, "POST", "/identities", person("N1"), once(key)...)
	h.Expect("401 invalid_token", mo.As("x.y.z"), "POST", "/identities", person("N1"), once(key)...)
	h.Expect("200", h.Admin, "PATCH", "/settings/users/"+mo.ID, map[string]any{"roles": []string{"admin"}})
	first := h.Expect("201", mo.Client, "POST", "/identities", person("N1"), once(key)...)

	// A refusal that comes of looking at the request is an answer like any other.
	taken := uuid.NewString()
	refused := h.Expect("409 duplicate_external_id", mo.Client, "POST", "/identities", person("N1"), once(taken)...)
	id := harness.Read[identity](h, first).ID
	gone := uuid.NewString()
	away := h.Expect("204", mo.Client, "DELETE", "/identities/"+id, nil, once(gone)...)
	again(t, away, h.Expect("204", mo.Client, "DELETE", "/identities/"+id, nil, once(gone)...))
	again(
		t,
		refused,
		h.Expect("409 duplicate_external_id", mo.Client, "POST", "/identities", person("N1"), once(taken)...),
	)

	// Whoever has lost the right does not get the answer of when they had it.
	again(t, first, h.Expect("201", mo.Client, "POST", "/identities", person("N1"), once(key)...))
	h.Expect("200", h.Admin, "PATCH", "/settings/users/"+mo.ID, map[string]any{"roles": []string{"manager"}})
	h.Expect("403 forbidden", mo.Client, "POST", "/identities", person("N1"), once(key)...)
}

func crowded(t *testing.T, h *harness.House) {
	const n = 200
	second := h.Second()
	k := issue(
		h,
		h.Admin,
		"admin",
		[]string{"identities:write"},
		"rate_limit",
		map[string]int{"rps": 1000, "burst": 2000},
	)
	key := uuid.NewString()
	answers := make([]api.Answer, n)
	var all sync.WaitGroup
	for i := range n {
		client := k.key
		if i%2 == 1 {
			client = k.key.At(second.URL())
		}
		all.Go(func() { answers[i] = h.Ask(client, "POST", "/identities", person("C1"), once(key)...) })
	}
	all.Wait()
	carried, got := api.Answer{}, map[string]int{}
	for _, a := range answers {
		switch outcome := harness.Outcome(a); {
		case outcome == "201" && a.Header.Get("Idempotent-Replayed") == "":
			carried = a
			got["carried out"]++
		case outcome == "201":
			got["repeated"]++
		case outcome == "409 idempotency_in_progress" && a.Header.Get("Retry-After") == "1":
			got["turned away"]++
		default:
			got[outcome]++
		}
	}
	t.Log(got)
	if got["carried out"] != 1 || got["repeated"]+got["turned away"] != n-1 {
		t.Fatalf("of %d at once: %v; want one carried out, and the others repeated or turned away", n, got)
	}
	for _, a := range answers {
		if a.Status == http.StatusCreated && a.Header.Get("Idempotent-Replayed") != "" {
			again(t, carried, a)
		}
	}
	again(t, carried, h.Expect("201", k.key.At(second.URL()), "POST", "/identities", person("C1"), once(key)...))
	effects(t, h, "C1")
}

func answered(t *testing.T, h *harness.House) {
	key := uuid.NewString()
	first := h.Expect("201", h.Admin, "POST", "/identities", person("A1"), once(key)...)
	h.Plane.Kill()
	h.Start()
	again(t, first, h.Expect("201", h.Admin, "POST", "/identities", person("A1"), once(key)...))
	effects(t, h, "A1")
}

// leaseEnds lets the minute pass in which nobody else takes over what a process was working on when it died.
func leaseEnds(h *harness.House) {
	h.Exec(`update kept_answer set lease_until = now() - interval '1 second' where status is null`)
}

func struckAt(t *testing.T, h *harness.House) {
	for number, moment := range map[string]string{"S1": "key.reserved", "S2": "key.worked", "S3": "key.kept"} {
		t.Run(moment, func(t *testing.T) {
			h := h.For(t)
			h.StopPlane()
			h.Plane.Env = []string{crashpoint.Variable + "=" + moment}
			h.Start()
			key := uuid.NewString()
			if a, err := h.Admin.Ask(
				harness.Context(t),
				"POST",
				"/identities",
				person(number),
				once(key)...); err == nil {
				t.Fatalf("the control plane answers %s instead of dying", harness.Outcome(a))
			}
			<-h.Plane.Done()
			h.Plane.Env = nil
			h.Start()
			if moment != "key.kept" {
				if n := h.Total(h.Admin, "/identities?external_id="+number); n != 0 {
					t.Error("a part of what was not committed is there")
				}
				waiting := h.Expect(
					"409 idempotency_in_progress",
					h.Admin,
					"POST",
					"/identities",
					person(number),
					once(key)...)
				if waiting.Header.Get("Retry-After") == "" {
					t.Error("it does not say when to try again")
				}
				h.Expect("422 idempotency_key_reused", h.Admin, "POST", "/identities", person(number+"x"), once(key)...)
				leaseEnds(h)
			}
			first := h.Expect("201", h.Admin, "POST", "/identities", person(number), once(key)...)
			if replayed := first.Header.Get("Idempotent-Replayed") == "true"; replayed != (moment == "key.kept") {
				t.Errorf("after a death at %s the answer is one from before: %v", moment, replayed)
			}
			second := h.Expect("201", h.Admin, "POST", "/identities", person(number), once(key)...)
			again(t, first, second)
			effects(t, h, number)
		})
	}
}

func struckAmid(t *testing.T, h *harness.House) {
	const n = 60
	k := issue(
		h,
		h.Admin,
		"admin",
		[]string{"identities:write"},
		"rate_limit",
		map[string]int{"rps": 1000, "burst": 2000},
	)
	keys, answers := make([]string, n), make([]api.Answer, n)
	number := func(i int) string { return fmt.Sprintf("M%d", i) }
	var all sync.WaitGroup
	some := make(chan struct{}, n)
	for i := range n {
		keys[i] = uuid.NewString()
		all.Go(func() {
			time.Sleep(time.Duration(i) * 5 * time.Millisecond)
			a, err := k.key.Ask(harness.Context(t), "POST", "/identities", person(number(i)), once(keys[i])...)
			if err == nil && a.Status == http.StatusCreated {
				answers[i] = a
				some <- struct{}{}
			}
		})
	}
	for range n / 4 {
		<-some
	}
	h.Plane.Kill()
	all.Wait()
	h.Start()
	leaseEnds(h)
	before := 0
	for i := range n {
		now := h.Expect("201", k.key, "POST", "/identities", person(number(i)), once(keys[i])...)
		if answers[i].Status != 0 {
			before++
			again(t, answers[i], now)
		}
		effects(t, h, number(i))
	}
	if before == n {
		t.Error("all were answered before the control plane died: this was no test")
	}
	t.Logf("%d of %d were answered before the death", before, n)
}
