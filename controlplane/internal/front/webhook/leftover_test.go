package webhook

import (
	"context"
	"errors"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

func TestEventsGoInTimeAlsoWhereNoWebhookIsLeft(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, _ := h.hook(to.server.URL, nil)
	h.publishMany(3)
	for {
		n, err := h.service.fanOne(ctx, h.tenant)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	h.call("admin", "DELETE", "/"+id, nil, 204)
	h.exec(`update event set at = now() - interval '31 days'`)
	h.service.purge(ctx)
	if n := h.count(`select count(*) from event`); n != 0 {
		t.Errorf("%d events of more than 30 days ago are left", n)
	}
}

func TestOneTenantsTroubleIsNobodyElses(t *testing.T) {
	h := open(t)
	var seen []string
	h.service.each(ctx, `select id::text from tenant order by id`, func(_ context.Context, tx *pg.Tx) error {
		seen = append(seen, tx.Viewer.Tenant)
		return errors.New("trouble")
	})
	if len(seen) != 2 {
		t.Errorf("seen to %d of 2 tenants", len(seen))
	}
}

// backlog makes deliveries that wait, many at once.
func (h *house) backlog(webhook string, n int) {
	h.t.Helper()
	h.exec(`
		insert into webhook_delivery (tenant_id, id, webhook_id, event_id, event_type, resource_id, sequence, format,
		    offsets, due_at)
		select current_tenant(), gen_random_uuid(), $1, gen_random_uuid(), 'identity.created', gen_random_uuid(), 1,
		    'standard', '{0}', now() + interval '1 hour'
		  from generate_series(1, $2)`, webhook, n)
}

// What a request does about a long log is bounded, since it has five seconds; the rest is done beside.
func TestALongLogKeepsNobodyFromDisablingOrDeleting(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, _ := h.hook(to.server.URL, nil)
	const rest = 7
	h.backlog(id, subscription.AtOnce+rest)
	h.call("admin", "POST", "/"+id+"/disable", nil, 200)
	if n := h.count(`select count(*) from webhook_delivery where state = 'pending'`); n != rest {
		t.Errorf("%d deliveries wait after disabling; want the %d beyond what is done at once", n, rest)
	}
	h.as(func(tx *pg.Tx) error { return h.service.sweepOne(ctx, tx) })
	if n := h.count(`select count(*) from webhook_delivery where state = 'skipped'`); n != subscription.AtOnce+rest {
		t.Errorf("%d deliveries are skipped; want all %d", n, subscription.AtOnce+rest)
	}
	h.call("admin", "DELETE", "/"+id, nil, 204)
	if n := h.count(`select count(*) from webhook_delivery`); n != rest {
		t.Errorf("%d deliveries are left of a webhook that was deleted; want %d", n, rest)
	}
	h.service.purge(ctx)
	if n := h.count(`select count(*) from webhook_delivery`); n != 0 {
		t.Errorf("%d deliveries are left of a webhook that was deleted; want none", n)
	}
}

func TestATenantHasSoManyWebhooksAndNoMore(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, _ := h.hook(to.server.URL, nil)
	h.exec(`
		insert into webhook (tenant_id, id, name, url, events)
		select tenant_id, gen_random_uuid(), name || n, url, events
		  from webhook, generate_series(2, $1) n`, subscription.MaxWebhooks)
	body := map[string]any{"name": "one more", "url": to.server.URL, "events": []string{"identity.created"}}
	got := h.call("admin", "POST", "", body, 409)
	if got["code"] != "too_many_webhooks" {
		t.Errorf("%v; want too_many_webhooks", got)
	}
	h.call("admin", "DELETE", "/"+id, nil, 204)
	h.call("admin", "POST", "", body, 201)
	if n := h.count(`select count(*) from webhook`); n != subscription.MaxWebhooks {
		t.Errorf("%d webhooks; want %d", n, subscription.MaxWebhooks)
	}
}
