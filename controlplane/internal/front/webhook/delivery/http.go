package delivery

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Service reads the delivery log, and sends events again. It needs all fields.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

type deliveryIn struct {
	ID         string `path:"id"`
	DeliveryID string `path:"delivery_id"`
}

// Read answers with one delivery and its attempts.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, in *deliveryIn) (*httpapi.One[DeliveryDetail], error) {
	var d DeliveryDetail
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		d, err = Find(ctx, tx, in.ID, in.DeliveryID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DeliveryDetail]{Body: d}, nil
}

type deliveriesIn struct {
	ID string `path:"id"`
	httpapi.Paging
	DeliveryFilters
}

// List answers with a page of the deliveries of a webhook, the latest first.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	in *deliveriesIn,
) (*httpapi.ListOut[Delivery], error) {
	walk, err := s.Cursors.Walk(v, "webhook-deliveries/"+in.ID, in.Paging, in.DeliveryFilters)
	if err != nil {
		return nil, err
	}
	var found []Delivery
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := subscription.Find(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		query, args := in.query(in.ID)
		found, total, err = subscription.Page[Delivery](ctx, tx, Columns, query, "d", "desc", args, walk.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(
		walk,
		found,
		total,
		func(d Delivery) []string { return []string{d.CreatedAt.Format(time.RFC3339Nano), d.ID} },
	), nil
}

// Redeliver makes another delivery of the event of a delivery, to the same webhook.
func (s *Service) Redeliver(ctx context.Context, v viewer.Viewer, in *deliveryIn) (*httpapi.One[Delivery], error) {
	var made Delivery
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := subscription.Find(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		old, err := Find(ctx, tx, in.ID, in.DeliveryID)
		if err != nil {
			return err
		}
		if err := mustBeEnabled(r); err != nil {
			return err
		}
		e, err := eventOf(ctx, tx, old.Delivery)
		if err != nil {
			return err
		}
		p := Plan(r, e, forRedelivery)
		p.RedeliveryOf = &old.ID
		if err := Insert(ctx, tx, []Planned{p}); err != nil {
			return err
		}
		found, err := Find(ctx, tx, in.ID, p.ID)
		if err != nil {
			return err
		}
		made = found.Delivery
		return audit.Record(ctx, tx, audit.Entry{Action: "webhook.redelivered", Subject: subscription.Subject(r),
			Context: map[string]any{"delivery_id": made.ID, "redelivery_of_id": old.ID, "event_id": e.ID}})
	})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Delivery]{Body: made}, nil
}
