package webhook

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/health"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/retry"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// publishMany tells of n identities that became known, by one statement.
func (h *house) publishMany(n int) {
	h.t.Helper()
	h.as(func(tx *pg.Tx) error {
		_, err := event.PublishEach(ctx, tx, "identity", fmt.Sprintf(`
			select 'identity.created', gen_random_uuid(), 1, '{}'::text[], '{"status":"active"}'::jsonb from generate_series(1, %d)`, n), nil)
		return err
	})
}

func TestADeadEndpointDelaysNobodyElse(t *testing.T) {
	h := open(t)
	release := make(chan struct{})
	hanging := receive(t, func(http.ResponseWriter, delivered) { <-release })
	t.Cleanup(func() { close(release) })
	well := receive(t, nil)
	h.hook(hanging.server.URL, nil)
	h.hook(well.server.URL, nil)
	h.run(h.service)
	h.publishMany(40)
	hanging.has(perWebhook)
	began := time.Now()
	for range 5 {
		h.publish(subscription.NewID())
	}
	well.has(45)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the healthy endpoint had everything after %s", took)
	}
	if n := len(hanging.all()); n != perWebhook {
		t.Errorf("%d calls to the dead endpoint at once; want %d", n, perWebhook)
	}
}

func TestATenantsCallsAreBoundedOverAllItsWebhooksAndProcesses(t *testing.T) {
	h := open(t)
	var flying, most atomic.Int64
	to := receive(t, func(http.ResponseWriter, delivered) {
		now := flying.Add(1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		time.Sleep(100 * time.Millisecond)
		flying.Add(-1)
	})
	for range 6 {
		h.hook(to.server.URL, nil)
	}
	h.run(h.service)
	h.run(h.process("127.0.0.0/8"))
	h.publishMany(20)
	got := to.has(120)
	if most.Load() > perTenant || most.Load() < perTenant/2 {
		t.Errorf("%d calls at once; want at most %d, and not many fewer", most.Load(), perTenant)
	}
	time.Sleep(200 * time.Millisecond)
	if len(to.all()) != 120 {
		t.Errorf("%d calls; want 120, each once", len(to.all()))
	}
	times := map[string]int{}
	for _, d := range got {
		times[d.id]++
	}
	for id, n := range times {
		if n != 6 {
			t.Errorf("the event %s came %d times to six webhooks", id, n)
		}
	}
}

func TestAnEndpointThatKeepsFailingIsTriedNowAndThen(t *testing.T) {
	h := open(t)
	var healed atomic.Bool
	to := receive(t, func(w http.ResponseWriter, _ delivered) {
		if !healed.Load() {
			w.WriteHeader(500)
		}
	})
	id, _ := h.hook(to.server.URL, nil)
	h.run(h.service)
	h.publishMany(60)
	eventually(
		t,
		"the endpoint being left alone",
		func() bool { return h.count(`select count(*) from webhook where probe_at is not null`) == 1 },
	)
	time.Sleep(500 * time.Millisecond)
	tried := len(to.all())
	if tried < health.BreakAfter || tried > health.BreakAfter+perWebhook {
		t.Errorf("%d calls before it was left alone; want about %d", tried, health.BreakAfter)
	}
	if n := h.count(`select count(*) from webhook_delivery where attempt = 0`); n < 60-tried {
		t.Errorf("%d deliveries wait untried; want %d", n, 60-tried)
	}
	if found := h.call("admin", "GET", "/"+id, nil, 200)["health"].(map[string]any); found["state"] != "failing" ||
		found["next_probe_at"] == nil {
		t.Errorf("health %v", found)
	}
	for n := 1; n <= 2; n++ {
		h.exec(`update webhook set probe_at = now()`)
		h.service.Wake()
		to.has(tried + n)
		time.Sleep(300 * time.Millisecond)
		if got := len(to.all()); got != tried+n {
			t.Errorf("%d calls for %d probes", got-tried, n)
		}
	}
	if wait := h.count(`select extract(epoch from probe_at - now())::int from webhook`); wait < 60 || wait > 240 {
		t.Errorf("the next probe comes in %d s", wait)
	}
	healed.Store(true)
	h.exec(`update webhook set probe_at = now()`)
	h.service.Wake()
	eventually(t, "all that was not tried having arrived", func() bool {
		return h.count(`select count(*) from webhook_delivery where state = 'pending' and attempt = 0`) == 0
	})
	if found := h.call("admin", "GET", "/"+id, nil, 200)["health"].(map[string]any); found["state"] != "ok" {
		t.Errorf("health %v", found)
	}
}

func TestEventsOfAResourceKeepTheirOrder(t *testing.T) {
	for _, strict := range []bool{false, true} {
		h := open(t)
		var failing atomic.Bool
		failing.Store(true)
		to := receive(t, func(w http.ResponseWriter, d delivered) {
			if failing.Load() && d.path == "/first" {
				w.WriteHeader(500)
			}
			time.Sleep(20 * time.Millisecond)
		})
		_, secret := h.hook(to.server.URL+"/first", map[string]any{"ordered_per_subject": strict})
		to.verifies(secret)
		h.run(h.service)
		person, other := subscription.NewID(), subscription.NewID()
		for range 3 {
			h.publish(person)
		}
		h.publish(other)
		want := 2 // the first of each
		if !strict {
			want = 4
		}
		got := to.has(want)
		time.Sleep(1500 * time.Millisecond)
		if n := len(to.all()); n != want {
			t.Errorf("strict %v: %d calls; want %d", strict, n, want)
		}
		if !strict {
			var order []string
			for _, d := range got {
				order = append(order, d.id)
			}
			var events []string
			h.as(func(tx *pg.Tx) error {
				return tx.QueryRow(ctx, `select array_agg(id::text order by sequence) from event
					where resource_id = $1`, person).
					Scan(&events)
			})
			seen := slices.DeleteFunc(order, func(id string) bool { return !slices.Contains(events, id) })
			if diff := cmp.Diff(events, seen); diff != "" {
				t.Errorf("order: %s", diff)
			}
			continue
		}
		failing.Store(false)
		h.exec(
			`update webhook_delivery set due_at = now(), first_at = first_at - interval '80 seconds' where attempt = 1`,
		)
		h.service.Wake()
		to.has(want + 4)
	}
}

func TestMaxRPSIsKept(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	h.hook(to.server.URL, map[string]any{"max_rps": 10})
	h.run(h.service)
	h.publishMany(25)
	got := to.has(25)
	for i := 11; i < len(got); i++ {
		if gap := got[i].at.Sub(got[i-11].at); gap < 950*time.Millisecond {
			t.Errorf("12 deliveries within %s", gap)
		}
	}
}

func TestASuspendedTenantWaits(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	h.hook(to.server.URL, nil)
	h.exec(`update tenant set status = 'suspended'`)
	h.run(h.service)
	h.publish(subscription.NewID())
	time.Sleep(1500 * time.Millisecond)
	if n := len(to.all()); n != 0 || h.count(`select count(*) from event_due`) != 1 {
		t.Errorf("%d calls for a suspended tenant", n)
	}
	h.exec(`update tenant set status = 'active'`)
	to.has(1)
}

func TestWhatAnOutageSwallowedIsMadeUpForOnceOrGivenUp(t *testing.T) {
	h := open(t)
	to := receive(t, status(500))
	id, _ := h.hook(to.server.URL, nil)
	h.run(h.service)
	h.publish(subscription.NewID())
	to.has(1)
	eventually(t, "a note", func() bool {
		return h.count(`select count(*) from webhook_delivery where attempt = 1 and lease_owner is null`) == 1
	})
	// The attempts at 80 s and at 560 s were missed.
	h.exec(
		`update webhook_delivery set first_at = now() - interval '1000 seconds',
			due_at = now() - interval '920 seconds'`,
	)
	h.service.Wake()
	eventually(t, "being put off", func() bool {
		return h.count(
			`select count(*) from webhook_delivery where overdue and due_at <= now() + interval '60 seconds'`,
		) == 1
	})
	h.exec(`update webhook_delivery set due_at = now()`)
	h.service.Wake()
	to.has(2)
	eventually(t, "a note", func() bool {
		return h.count(`select count(*) from webhook_delivery where attempt = 2 and lease_owner is null`) == 1
	})
	if due := time.Duration(
		h.offset(),
	) * time.Second; due < retry.Windows[3].From-time.Second ||
		due > retry.Windows[3].To {
		t.Errorf("after two missed attempts the next is due after %s; want within %v", due, retry.Windows[3])
	}
	h.exec(`update webhook_delivery set first_at = now() - interval '7 hours', due_at = now() - interval '1 hour'`)
	h.service.Wake()
	time.Sleep(300 * time.Millisecond)
	h.as(func(tx *pg.Tx) error { return h.service.sweepOne(ctx, tx) })
	if n := h.count(
		`select count(*) from webhook_delivery where state = 'exhausted' and attempt = 2`,
	); n != 1 ||
		len(to.all()) != 2 {
		t.Errorf("%d given up after %d calls; want 1 after 2", n, len(to.all()))
	}
	if found := h.call("admin", "GET", "/"+id, nil,
		200)["health"].(map[string]any); found["exhausted_since_success"] != 1.0 {
		t.Errorf("health %v", found)
	}
}

func TestAWebhookThatFailsForDaysIsWarnedOfAndDisabled(t *testing.T) {
	h := open(t)
	id, _ := h.hook(address, nil)
	give := func(n int) {
		h.as(func(tx *pg.Tx) error {
			r, err := subscription.Find(ctx, tx, id, "")
			if err != nil {
				return err
			}
			return h.service.gaveUp(ctx, tx, r, n, 0)
		})
	}
	h.exec(
		`update webhook set state_changed_at = now() - interval '3 days',
			exhausted_since = now() - interval '20 hours'`,
	)
	give(15)
	give(1)
	h.exec(
		`update webhook set state_changed_at = now() - interval '6 days',
			exhausted_since = now() - interval '30 hours'`,
	)
	give(1)
	if found := h.call("admin", "GET", "/"+id, nil, 200)["health"].(map[string]any); found["state"] != "ok" {
		t.Errorf("found %v", found)
	}
	give(3)
	if found := h.call("admin", "GET", "/"+id, nil, 200)["health"].(map[string]any); found["reason"] != health.ReasonSilent {
		t.Errorf("found %v", found)
	}
	if diff := cmp.Diff(
		[]string{"webhook.created", "webhook.failing", "webhook.disabled_auto"},
		h.actions(),
	); diff != "" {
		t.Error(diff)
	}
}

func TestEventsAreSentAgainByTheirOriginalIDs(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, secret := h.hook(to.server.URL, map[string]any{"events": []string{"identity.created", "agent.online"}})
	to.verifies(secret)
	h.run(h.service)
	for range 3 {
		h.publish(subscription.NewID())
	}
	h.as(func(tx *pg.Tx) error {
		return event.Publish(
			ctx,
			tx,
			event.Event{Kind: event.AgentOnline, Resource: event.Resource{Type: "agent", ID: subscription.NewID()}},
		)
	})
	first := to.has(4)
	eventually(
		t,
		"all noted",
		func() bool { return h.count(`select count(*) from webhook_delivery where state = 'succeeded'`) == 4 },
	)
	delivery := h.call("admin", "GET", "/"+id+"/deliveries?limit=1&event_id="+first[1].id, nil,
		200)["items"].([]any)[0].(map[string]any)
	again := h.call("admin", "POST", "/"+id+"/deliveries/"+delivery["id"].(string)+"/redeliver", nil, 202)
	if got := to.has(5)[4]; got.id != first[1].id || got.body != first[1].body ||
		again["redelivery_of_id"] != delivery["id"] ||
		again["purpose"] != "redelivery" {
		t.Errorf("sent again as %s: %v", got.id, again)
	}
	from := time.Now().Add(-time.Hour)
	for _, tt := range []struct {
		body map[string]any
		want float64
	}{
		{map[string]any{"from": from}, 4},
		{map[string]any{"from": from, "events": []string{"agent.online"}}, 1},
		{map[string]any{"from": from, "ids": []string{first[0].id, first[2].id, subscription.NewID()}}, 2},
		{map[string]any{"from": from, "undelivered_only": true}, 0},
		{map[string]any{"from": from, "to": from.Add(time.Minute)}, 0},
	} {
		if out := h.call(
			"admin",
			"POST",
			"/"+id+"/replay?dry_run=true",
			tt.body,
			202,
		); out["count"] != tt.want ||
			out["dry_run"] != true {
			t.Errorf("replay %v = %v; want %v", tt.body, out, tt.want)
		}
	}
	for _, bad := range []map[string]any{{"from": time.Now().AddDate(0, 0, -31)}, {"from": from, "to": from},
		{"from": from, "events": []string{"x"}}, {"from": from, "ids": []string{"x"}}, {}} {
		h.call("admin", "POST", "/"+id+"/replay", bad, 422)
	}
	if n := h.count(`select count(*) from webhook_delivery`); n != 5 {
		t.Errorf("%d deliveries after dry runs and refusals; want 5", n)
	}
	h.call("admin", "POST", "/"+id+"/replay", map[string]any{"from": from}, 202)
	known := map[string]bool{}
	for _, d := range first {
		known[d.id] = true
	}
	for _, d := range to.has(9)[5:] {
		if !known[d.id] {
			t.Errorf("a replay sent the new id %s", d.id)
		}
	}
	h.call("admin", "POST", "/"+id+"/disable", nil, 200)
	h.call("admin", "POST", "/"+id+"/replay", map[string]any{"from": from}, 409)
	h.call("admin", "POST", "/"+id+"/deliveries/"+delivery["id"].(string)+"/redeliver", nil, 409)
}

func TestWhatIsOldIsDeleted(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	h.hook(to.server.URL, nil)
	stop := h.run(h.service)
	h.publishMany(3)
	eventually(
		t,
		"all noted",
		func() bool { return h.count(`select count(*) from webhook_delivery where state = 'succeeded'`) == 3 },
	)
	stop()
	h.exec(
		`update webhook_delivery set created_at = now() - interval '31 days' where id = (select min(id::text)::uuid
			from webhook_delivery)`,
	)
	h.exec(`update event set at = now() - interval '31 days' where id = (select min(id::text)::uuid from event)`)
	h.as(func(tx *pg.Tx) error { return purgeOne(ctx, tx) })
	if d, e := h.count(
		`select count(*) from webhook_delivery`,
	), h.count(
		`select count(*) from event`,
	); d != 2 ||
		e != 2 {
		t.Errorf("%d deliveries and %d events are left; want 2 and 2", d, e)
	}
}

// BenchmarkDeliveries measures one process and one tenant, from events to answers of the webhooks' endpoints.
func BenchmarkDeliveries(b *testing.B) {
	for _, hooks := range []int{1, 4} {
		b.Run(fmt.Sprintf("webhooks=%d", hooks), func(b *testing.B) {
			h := open(b)
			to := receive(b, nil)
			for range hooks {
				h.hook(to.server.URL, nil)
			}
			h.publishMany(b.N)
			b.ResetTimer()
			h.run(h.service)
			for len(to.all()) < b.N*hooks {
				time.Sleep(5 * time.Millisecond)
			}
			b.ReportMetric(float64(b.N*hooks)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}
