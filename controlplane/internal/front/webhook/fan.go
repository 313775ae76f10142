package webhook

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/delivery"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/filter"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// fanSize is how many events become deliveries in one transaction.
const fanSize = 2000

// fan makes deliveries of all events that are there. It says whether something may be left.
func (s *Service) fan(ctx context.Context) (left bool) {
	tenants, err := event.Waiting(ctx, s.DB, subscription.Listener)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot look for events", "err", err)
		}
		return false
	}
	for _, tenant := range tenants {
		n, err := s.fanOne(ctx, viewer.System(tenant))
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot make deliveries of events", "tenant", tenant, "err", err)
		}
		left = left || n == fanSize
	}
	return left
}

// fanOne makes deliveries of some of a tenant's events: one for each webhook that wants the event and whose filter lets
// it pass.
func (s *Service) fanOne(ctx context.Context, v viewer.Viewer) (taken int, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		events, err := event.Take(ctx, tx, subscription.Listener, fanSize)
		if taken = len(events); err != nil || taken == 0 {
			return err
		}
		hooks, err := pg.All[subscription.Row](
			ctx,
			tx,
			"read webhooks",
			`select `+subscription.Columns+` from webhook w where w.tenant_id = current_tenant() for key share of w`,
		)
		if err != nil {
			return err
		}
		list, err := fanOut(events, hooks)
		if err != nil {
			return err
		}
		return delivery.Insert(ctx, tx, list)
	})
	return taken, err
}

// fanOut pairs events with the webhooks that want them.
func fanOut(events []event.Stored, hooks []subscription.Row) (list []delivery.Planned, err error) {
	wanting := map[event.Kind][]subscription.Row{}
	filters := map[string]*filter.Filter{}
	for _, h := range hooks {
		if filters[h.ID], err = h.ReadFilter(); err != nil {
			return nil, err
		}
		for _, kind := range h.Events {
			wanting[event.Kind(kind)] = append(wanting[event.Kind(kind)], h)
		}
	}
	for _, e := range events {
		for _, h := range wanting[e.Kind] {
			passes, err := delivery.Matches(filters[h.ID], e)
			if err != nil {
				return nil, err
			}
			if passes {
				list = append(list, delivery.Plan(h, e, delivery.ForEvent))
			}
		}
	}
	return list, nil
}
