package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// page reads a page of what a query finds, and one row more if there is one, and counts all of it. The order is by
// created_at and id; query begins with "from", args are named.
func page[T any](
	ctx context.Context,
	tx *pg.Tx,
	columns, query, alias, direction string,
	args pgx.NamedArgs,
	p pg.Page,
) (items []T, total int64, err error) {
	if err := tx.QueryRow(ctx, "select count(*) "+query, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count: %w", err)
	}
	all := pgx.NamedArgs{"page_rows": p.Limit + 1, "page_offset": p.Offset}
	for name, value := range args {
		all[name] = value
	}
	if len(p.After) == 2 {
		beyond := map[string]string{"": ">", "desc": "<"}[direction]
		query += fmt.Sprintf(
			" and (%[1]s.created_at, %[1]s.id) %[2]s (@page_at::timestamptz, @page_id::uuid)",
			alias,
			beyond,
		)
		all["page_at"], all["page_id"] = p.After[0], p.After[1]
	}
	sql := fmt.Sprintf(
		"select %[1]s %[2]s order by %[3]s.created_at %[4]s, %[3]s.id %[4]s limit @page_rows offset @page_offset",
		columns,
		query,
		alias,
		direction,
	)
	rows, err := tx.Query(ctx, sql, all)
	if err != nil {
		return nil, 0, fmt.Errorf("list: %w", err)
	}
	if items, err = pgx.CollectRows(rows, pgx.RowToStructByName[T]); err != nil {
		return nil, 0, fmt.Errorf("list: %w", err)
	}
	return items, total, nil
}

// ListFilters narrow the list of webhooks.
type ListFilters struct {
	Enabled string `query:"enabled" enum:"true,false"`
}

type listIn struct {
	httpapi.Paging
	ListFilters
}

func (s *Service) list(ctx context.Context, v viewer.Viewer, in *listIn) (*httpapi.ListOut[Webhook], error) {
	walk, err := s.Cursors.Walk(v, "webhooks", in.Paging, in.ListFilters)
	if err != nil {
		return nil, err
	}
	var found []Webhook
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const query = `from webhook w where w.tenant_id = current_tenant() and (@enabled = ''
			or (w.state = 'enabled')::text = @enabled)`
		rows, n, err := page[row](ctx, tx, columns, query, "w", "", pgx.NamedArgs{"enabled": in.Enabled}, walk.Page)
		if err != nil {
			return err
		}
		found, total = nil, n
		ids := make([]string, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
		}
		secrets, err := secretsOf(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, r := range rows {
			w, err := r.shown(some(secrets[r.ID]), s.Now())
			if err != nil {
				return err
			}
			found = append(found, w)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return httpapi.Out(
		walk,
		found,
		total,
		func(w Webhook) []string { return []string{w.CreatedAt.Format(time.RFC3339Nano), w.ID} },
	), nil
}

// DeliveryFilters narrow the list of deliveries; each one given must hold.
type DeliveryFilters struct {
	State     []string  `query:"state" enum:"pending,succeeded,exhausted,skipped" doc:"Several values, separated by commas."`
	EventType []string  `query:"event_type" doc:"Several values, separated by commas."`
	Purpose   []string  `query:"purpose" enum:"event,redelivery,replay,ping" doc:"Several values, separated by commas."`
	EventID   string    `query:"event_id" format:"uuid"`
	From      time.Time `query:"from" doc:"Made then or later."`
	To        time.Time `query:"to" doc:"Made before."`
}

type deliveriesIn struct {
	ID string `path:"id"`
	httpapi.Paging
	DeliveryFilters
}

func (f DeliveryFilters) query(webhook string) (string, pgx.NamedArgs) {
	sql := strings.Builder{}
	sql.WriteString(`from webhook_delivery d where d.tenant_id = current_tenant() and d.webhook_id = @webhook`)
	args := pgx.NamedArgs{"webhook": webhook}
	where := func(given bool, condition, name string, value any) {
		if given {
			sql.WriteString(" and " + condition)
			args[name] = value
		}
	}
	where(len(f.State) > 0, "d.state = any(@state)", "state", f.State)
	where(len(f.EventType) > 0, "d.event_type = any(@type)", "type", f.EventType)
	where(len(f.Purpose) > 0, "d.purpose = any(@purpose)", "purpose", f.Purpose)
	where(f.EventID != "", "d.event_id = @event", "event", f.EventID)
	where(!f.From.IsZero(), "d.created_at >= @from", "from", f.From)
	where(!f.To.IsZero(), "d.created_at < @to", "to", f.To)
	return sql.String(), args
}

func (s *Service) deliveries(
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
		if _, err := find(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		query, args := in.query(in.ID)
		found, total, err = page[Delivery](ctx, tx, deliveryColumns, query, "d", "desc", args, walk.Page)
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
