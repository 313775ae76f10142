package webhook

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/delivery"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/health"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/retry"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event/signature"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

func TestAnEventArrivesSignedAtWhoWantsIt(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, secret := h.hook(
		to.server.URL+"/in",
		map[string]any{"headers": map[string]string{"Authorization": "Bearer CANARY-token"}},
	)
	to.verifies(secret)
	h.hook(to.server.URL+"/other", map[string]any{"events": []string{"agent.online"}})
	h.hook(
		to.server.URL+"/filtered",
		map[string]any{
			"filter": map[string]any{
				"match": "all",
				"rules": []any{map[string]any{"field": "status", "op": "ne", "value": "active"}},
			},
		},
	)
	h.run(h.service)
	person := subscription.NewID()
	h.publish(person)
	got := to.has(1)[0]
	var sent delivery.Message
	if err := json.Unmarshal([]byte(got.body), &sent); err != nil {
		t.Fatal(err)
	}
	want := delivery.Message{
		ID:        got.id,
		Type:      event.IdentityCreated,
		Timestamp: sent.Timestamp,
		TenantID:  h.tenant.Tenant,
		Sequence:  1,
		Data: map[string]any{
			"id":          person,
			"version":     1.0,
			"changed":     []any{},
			"external_id": "x-" + person,
			"status":      "active",
		},
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
	if got.path != "/in" || got.attempt != "1" || got.header.Get("Content-Type") != "application/json" ||
		got.header.Get("Authorization") != "Bearer CANARY-token" {
		t.Errorf("got %+v", got)
	}
	if at, err := time.Parse(
		time.RFC3339Nano,
		sent.Timestamp,
	); err != nil || !strings.HasSuffix(sent.Timestamp, "Z") ||
		time.Since(at) > time.Minute {
		t.Errorf("timestamp %s", sent.Timestamp)
	}
	eventually(t, "a delivery that succeeded", func() bool {
		return h.call("admin", "GET", "/"+id+"/deliveries?state=succeeded&event_type=identity.created", nil,
			200)["total"] == 1.0
	})
	if n := len(to.all()); n != 1 {
		t.Errorf("%d requests; want 1", n)
	}
}

func TestCloudEventsAreAnOption(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	_, secret := h.hook(to.server.URL, map[string]any{"format": "cloudevents"})
	to.verifies(secret)
	h.run(h.service)
	person := subscription.NewID()
	h.publish(person)
	got := to.has(1)[0]
	var sent map[string]any
	if err := json.Unmarshal([]byte(got.body), &sent); err != nil {
		t.Fatal(err)
	}
	for member, want := range map[string]any{"specversion": "1.0", "id": got.id, "source": "/tenants/" +
		h.tenant.Tenant, "type": "identity.created", "subject": person,
		"datacontenttype": "application/json", "sequence": "1"} {
		if sent[member] != want {
			t.Errorf("%s = %v; want %v", member, sent[member], want)
		}
	}
	if got.header.Get("Content-Type") != "application/cloudevents+json" {
		t.Errorf("content type %q", got.header.Get("Content-Type"))
	}
}

// elapse makes the deliveries as old as they would be after d.
func (h *house) elapse(d time.Duration) {
	h.exec(
		`update webhook_delivery set first_at = first_at - make_interval(secs => $1),
		due_at = due_at - make_interval(secs => $1), created_at = created_at - make_interval(secs => $1)`,
		d.Seconds(),
	)
}

// planned gives when the next attempt of the only pending delivery is due, from the start of its first.
func (h *house) offset() (seconds float64) {
	h.as(func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select extract(epoch from due_at - first_at)::float8 from webhook_delivery
			where state = 'pending'`).
			Scan(&seconds)
	})
	return seconds
}

func TestAFailingDeliveryIsTriedFiveTimesWithTheSameBytes(t *testing.T) {
	h := open(t)
	to := receive(t, status(500))
	id, secret := h.hook(to.server.URL, nil)
	to.verifies(secret)
	h.run(h.service)
	h.publish(subscription.NewID())
	for n := 1; n <= retry.Attempts; n++ {
		to.has(n)
		eventually(t, fmt.Sprintf("attempt %d being noted", n), func() bool {
			return h.count(`select count(*) from webhook_delivery where attempt = $1 and lease_owner is null`, n) == 1
		})
		if n == retry.Attempts {
			break
		}
		due := time.Duration(h.offset() * float64(time.Second))
		if w := retry.Windows[n]; due < w.From || due > w.To+time.Second {
			t.Errorf("attempt %d is due after %s; want within %v", n+1, due, w)
		}
		h.elapse(
			due - time.Duration(
				h.count(`select extract(epoch from now() - first_at)::int from webhook_delivery`),
			)*time.Second,
		)
		h.service.Wake()
	}
	h.elapse(8 * time.Hour)
	h.service.Wake()
	time.Sleep(300 * time.Millisecond)
	got := to.all()
	if len(got) != retry.Attempts {
		t.Fatalf("%d attempts; want %d", len(got), retry.Attempts)
	}
	for i, d := range got {
		if d.id != got[0].id || d.body != got[0].body || d.attempt != fmt.Sprint(i+1) {
			t.Errorf("attempt %d is another delivery: %s %s", i+1, d.id, d.attempt)
		}
	}
	list := h.call("auditor", "GET", "/"+id+"/deliveries", nil, 200)
	first := list["items"].([]any)[0].(map[string]any)
	if first["state"] != delivery.Exhausted || first["attempt"] != 5.0 || first["last_status"] != 500.0 ||
		first["next_attempt_at"] != nil {
		t.Errorf("delivery %v", first)
	}
	detail := h.call("auditor", "GET", "/"+id+"/deliveries/"+first["id"].(string), nil, 200)
	if tries := detail["attempts"].([]any); len(tries) != 5 || tries[4].(map[string]any)["n"] != 5.0 ||
		tries[0].(map[string]any)["body_sha256"] != tries[4].(map[string]any)["body_sha256"] {
		t.Errorf("attempts %v", tries)
	}
}

func TestWhatTheProcessDiedOfIsPostedAgainByTheSameNumber(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, secret := h.hook(to.server.URL, nil)
	to.verifies(secret)
	dead, alive := h.process("127.0.0.0/8"), h.process("127.0.0.0/8")
	h.publish(subscription.NewID())
	if _, err := dead.fanOne(ctx, h.tenant); err != nil {
		t.Fatal(err)
	}
	h.exec(`update webhook_delivery set due_at = now()`)
	h.as(func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, id, "")
		if err != nil {
			return err
		}
		target, err := dead.target(ctx, tx, h.tenant, r)
		if err != nil {
			return err
		}
		jobs, err := dead.claim(ctx, tx, r, 4)
		if len(jobs) == 1 {
			dead.send(ctx, target, jobs[0], 1) // and dies before it could note that
		}
		return err
	})
	h.run(alive)
	time.Sleep(300 * time.Millisecond)
	if n := len(to.all()); n != 1 {
		t.Fatalf("%d requests while the lease holds; want 1", n)
	}
	h.exec(`update webhook_delivery set lease_until = now() - interval '1 second'`)
	got := to.has(2)
	if got[0].id != got[1].id || got[0].body != got[1].body || got[1].attempt != "1" {
		t.Errorf("posted again as %s, attempt %s; want %s, attempt 1", got[1].id, got[1].attempt, got[0].id)
	}
	eventually(t, "a note of the attempt", func() bool {
		return h.count(
			`select count(*) from webhook_delivery where state = 'succeeded' and attempt = 1
				and (attempts -> 0 ->> 'repeated')::int = 1`,
		) == 1
	})
}

func TestALeaseThatWasLostChangesNothing(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, _ := h.hook(to.server.URL, nil)
	h.publish(subscription.NewID())
	if _, err := h.service.fanOne(ctx, h.tenant); err != nil {
		t.Fatal(err)
	}
	h.exec(`update webhook_delivery set due_at = now()`)
	var slow, quick []job
	take := func(into *[]job) {
		h.as(func(tx *pg.Tx) error {
			r, err := subscription.Find(ctx, tx, id, "")
			if err != nil {
				return err
			}
			*into, err = leaseUpTo(ctx, tx, r, 4)
			return err
		})
	}
	take(&slow)
	h.exec(`update webhook_delivery set lease_until = now() - interval '1 second'`)
	take(&quick)
	if len(slow) != 1 || len(quick) != 1 {
		t.Fatalf("leased %d and %d", len(slow), len(quick))
	}
	failed := outcome{Attempt: delivery.Attempt{N: 1, Error: "x"}}
	if _, err := h.service.finish(
		ctx,
		target{viewer: h.tenant, hook: subscription.Row{ID: id}},
		slow[0],
		failed,
		false,
	); err != nil {
		t.Fatal(err)
	}
	if n := h.count(`select attempt from webhook_delivery`); n != 0 {
		t.Errorf("%d attempts were noted by whoever had lost the lease", n)
	}
}

func TestGoneDisablesAndATestOpensTheWayBack(t *testing.T) {
	h := open(t)
	answer := http.StatusGone
	to := receive(t, func(w http.ResponseWriter, _ delivered) { w.WriteHeader(answer) })
	id, secret := h.hook(to.server.URL, nil)
	to.verifies(secret)
	h.run(h.service)
	h.publish(subscription.NewID())
	eventually(t, "being disabled", func() bool {
		found := h.call("admin", "GET", "/"+id, nil, 200)["health"].(map[string]any)
		return found["state"] == "disabled" && found["disabled_by"] == "service" &&
			found["reason"] == health.ReasonGone
	})
	missedOne := subscription.NewID()
	h.publish(missedOne)
	eventually(
		t,
		"a skipped delivery",
		func() bool { return h.count(`select count(*) from webhook_delivery where state = 'skipped'`) == 1 },
	)
	if out := h.call("admin", "POST", "/"+id+"/enable", nil, 409); out["code"] != "test_required" {
		t.Errorf("enable: %v", out)
	}
	h.call("admin", "PATCH", "/"+id, map[string]any{"enabled": true}, 409)
	if tested := h.call(
		"admin",
		"POST",
		"/"+id+"/test",
		nil,
		200,
	); tested["success"] != false ||
		tested["status"] != 410.0 {
		t.Errorf("tested %v", tested)
	}
	h.call("admin", "POST", "/"+id+"/enable", nil, 409)
	answer = http.StatusOK
	if tested := h.call("admin", "POST", "/"+id+"/test", nil, 200); tested["success"] != true {
		t.Errorf("tested %v", tested)
	}
	h.call("admin", "POST", "/"+id+"/enable", nil, 200)
	if out := h.call(
		"admin",
		"POST",
		"/"+id+"/replay",
		map[string]any{"from": time.Now().Add(-time.Hour), "undelivered_only": true},
		202,
	); out["count"] != 2.0 {
		t.Errorf("replay %v; want both events that have not arrived", out)
	}
	before := len(to.all())
	to.has(before + 2)
	if got := to.all()[before:]; !strings.Contains(got[0].body+got[1].body, missedOne) {
		t.Error("the event that was skipped did not come")
	}
	want := []string{
		"webhook.created",
		"webhook.disabled_auto",
		"webhook.tested",
		"webhook.tested",
		"webhook.enabled",
		"webhook.replayed",
	}
	if diff := cmp.Diff(want, h.actions()); diff != "" {
		t.Error(diff)
	}
}

func TestRedirectsAreFailuresAndAnswersAreShownWithoutSecrets(t *testing.T) {
	h := open(t)
	var inner int
	to := receive(t, func(w http.ResponseWriter, d delivered) {
		switch d.path {
		case "/redirect":
			w.Header().Set("Location", "/inner")
			w.WriteHeader(307)
		case "/inner":
			inner++
		case "/echo":
			fmt.Fprintf(
				w,
				"you sent %s and %s%s",
				d.header.Get("X-Key"),
				d.header.Get("Authorization"),
				strings.Repeat("é", 20_000),
			)
		}
	})
	id, _ := h.hook(to.server.URL+"/redirect", nil)
	tested := h.call("admin", "POST", "/"+id+"/test", nil, 200)
	if tested["success"] != false || tested["status"] != 307.0 || inner != 0 {
		t.Errorf("redirect: %v, %d calls behind it", tested, inner)
	}
	id, _ = h.hook(
		to.server.URL+"/echo",
		map[string]any{"headers": map[string]string{"X-Key": "CANARY-one", "Authorization": "Bearer CANARY-two"}},
	)
	tested = h.call("admin", "POST", "/"+id+"/test", nil, 200)
	shown := tested["excerpt"].(string)
	if tested["success"] != true || len(shown) > maxExcerpt ||
		!strings.HasPrefix(shown, "you sent [secret] and [secret]") {
		t.Errorf("echo: %v", tested)
	}
	to.server.Close()
	if tested := h.call("admin", "POST", "/"+id+"/test", nil, 200); tested["error"] != "the connection was refused" {
		t.Errorf("nobody there: %v", tested)
	}
}

func TestAnAddressThatWasClosedIsNotCalledAndDisablesInTheEnd(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, _ := h.hook(to.server.URL, nil)
	closed := h.process()
	h.run(closed)
	h.exec(`update webhook set blocked = 2`)
	h.publish(subscription.NewID())
	eventually(t, "a first attempt", func() bool {
		return h.count(`select count(*) from webhook_delivery where attempt = 1 and lease_owner is null`) == 1
	})
	h.exec(`update webhook_delivery set attempt = 4, first_at = now() - interval '20700 seconds', due_at = now()`)
	closed.Wake()
	eventually(t, "being disabled", func() bool {
		return h.call("admin", "GET", "/"+id, nil, 200)["health"].(map[string]any)["reason"] == health.ReasonBlocked
	})
	if n := len(to.all()); n != 0 {
		t.Errorf("%d calls to a closed address", n)
	}
	var entry string
	h.as(func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select attempts::text from webhook_delivery`).Scan(&entry)
	})
	if strings.Contains(entry, "excerpt") || !strings.Contains(entry, "without TLS") {
		t.Errorf("attempts %s", entry)
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	h := open(t)
	to := receive(
		t,
		func(w http.ResponseWriter, _ delivered) { w.Header().Set("Retry-After", "1000"); w.WriteHeader(503) },
	)
	h.hook(to.server.URL, nil)
	h.run(h.service)
	h.publish(subscription.NewID())
	eventually(t, "a note", func() bool {
		return h.count(`select count(*) from webhook_delivery where attempt = 1 and lease_owner is null`) == 1
	})
	if due := h.offset(); due < 999 || due > 1030 {
		t.Errorf("the next attempt is due after %.0f s; want 1000", due)
	}
}

func TestTwoSecretsSignWhileOneRetires(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, old := h.hook(to.server.URL, nil)
	rotated := h.call("admin", "POST", "/"+id+"/rotate-secret", map[string]any{"overlap": "PT1H"}, 200)
	young := rotated["secret"].(string)
	if states := rotated["secrets"].([]any); len(states) != 2 || states[0].(map[string]any)["state"] != "active" ||
		states[1].(map[string]any)["state"] != "retiring" {
		t.Errorf("secrets %v", states)
	}
	h.call("admin", "POST", "/"+id+"/test", nil, 200)
	got := to.has(1)[0]
	verify(t, old, got)
	verify(t, young, got)
	if first := strings.Fields(got.header.Get("webhook-signature"))[0]; !strings.HasPrefix(first, "v1,") ||
		len(strings.Fields(got.header.Get("webhook-signature"))) != 2 {
		t.Errorf("signatures %q", got.header.Get("webhook-signature"))
	}
	h.exec(`update webhook_secret set expires_at = now() - interval '1 second' where state = 'retiring'`)
	h.call("admin", "POST", "/"+id+"/test", nil, 200)
	if got := to.has(2)[1]; len(strings.Fields(got.header.Get("webhook-signature"))) != 1 {
		t.Errorf("signatures after the overlap %q", got.header.Get("webhook-signature"))
	}
	for range 4 {
		h.call("admin", "POST", "/"+id+"/rotate-secret", nil, 200)
	}
	if n := h.count(`select count(*) from webhook_secret`); n != 1+subscription.MaxRetiring {
		t.Errorf("%d secrets; want %d", n, 1+subscription.MaxRetiring)
	}
	for _, overlap := range []string{"P8D", "1h", "P", "PT", "P1M", "-PT1H"} {
		h.call("admin", "POST", "/"+id+"/rotate-secret", map[string]any{"overlap": overlap}, 422)
	}
}

func TestASecretIsNeverSeenAgain(t *testing.T) {
	h := open(t)
	to := receive(t, func(w http.ResponseWriter, d delivered) {
		w.WriteHeader(500)
		fmt.Fprint(w, d.header, d.body)
	})
	id, secret := h.hook(to.server.URL, map[string]any{"headers": map[string]string{"X-Key": "CANARY-header-value"}})
	to.verifies(secret)
	h.run(h.service)
	h.publish(subscription.NewID())
	to.has(1)
	h.call("admin", "POST", "/"+id+"/test", nil, 200)
	eventually(t, "a note", func() bool {
		return h.count(`select count(*) from webhook_delivery where attempt = 1 and lease_owner is null`) == 2
	})
	for _, item := range h.call("auditor", "GET", "/"+id+"/deliveries", nil, 200)["items"].([]any) {
		h.call("auditor", "GET", "/"+id+"/deliveries/"+item.(map[string]any)["id"].(string), nil, 200)
	}
	h.call(
		"admin",
		"PATCH",
		"/"+id,
		map[string]any{"name": "x", "headers": map[string]any{"X-Key": "CANARY-header-value-2"}},
		200,
	)
	h.call("auditor", "GET", "", nil, 200)
	var stored string
	h.as(func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select (select jsonb_agg(to_jsonb(a))::text
			    from audit_event a) || (select jsonb_agg(to_jsonb(d))::text from webhook_delivery d)
			|| (select jsonb_agg(to_jsonb(w))::text from webhook w) || (select jsonb_agg(to_jsonb(s))::text
			    from webhook_secret s)`).
			Scan(&stored)
	})
	var sent strings.Builder
	for _, d := range to.all() {
		fmt.Fprint(&sent, d.body)
		for name, values := range d.header {
			if name != "X-Key" {
				fmt.Fprint(&sent, name, values)
			}
		}
	}
	key, err := signature.Key(secret)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"the log": h.log.String(), "an answer": h.answers.String(),
		"the database": stored, "a delivery": sent.String()} {
		if len(text) < 100 && where != "the log" {
			t.Errorf("there is next to nothing in %s", where)
		}
		for form, secret := range map[string]string{"raw": string(key),
			"base64": base64.StdEncoding.EncodeToString(key), "base64url": base64.URLEncoding.EncodeToString(key),
			"hex": hex.EncodeToString(key), "header": "CANARY-header-value"} {
			if strings.Contains(text, secret) {
				t.Errorf("the secret is in %s, %s", where, form)
			}
		}
	}
}

func TestAnEndpointWhoseCertificateIsNotTrustedIsNotSpokenTo(t *testing.T) {
	h := open(t)
	to := &receiver{t: t}
	to.server = httptest.NewTLSServer(to)
	t.Cleanup(to.server.Close)
	id, _ := h.hook(to.server.URL, nil)
	tested := h.call("admin", "POST", "/"+id+"/test", nil, 200)
	if tested["success"] != false ||
		!strings.HasPrefix(tested["error"].(string), "TLS: the certificate is not signed") ||
		len(to.all()) != 0 {
		t.Errorf("tested %v, %d requests", tested, len(to.all()))
	}
}
