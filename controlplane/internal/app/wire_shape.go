package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/drift"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
)

// addShapes adds how connectors write, and what compares accounts with it in every process.
func addShapes(_ context.Context, p *parts) error {
	shapes := &shape.Service{DB: p.db, Connectors: p.worker.Connectors, Dispatch: p.worker.Dispatch, Log: p.log}
	compared := &drift.Service{DB: p.db, Place: placeDrift, Cursors: p.cursors, Log: p.log, Now: time.Now}
	p.routes = append(append(p.routes, shapes.Routes()...), compared.Routes()...)
	p.kinds = append(p.kinds, compared.Kinds()...)
	return nil
}

// placeDrift hands what has to be written to provisioning.
func placeDrift(ctx context.Context, tx *pg.Tx, o drift.Order) (string, error) {
	return order.Place(
		ctx,
		tx,
		order.Order{
			Operation:   o.Operation,
			AccountID:   o.AccountID,
			Account:     &o.Account,
			CreatedFrom: o.CreatedFrom,
			Note:        o.Note,
		},
	)
}
