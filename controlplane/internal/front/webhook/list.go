package webhook

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// ListFilters narrow the list of webhooks.
type ListFilters struct {
	Enabled string `query:"enabled" enum:"true,false"`
}

type listIn struct {
	httpapi.Paging
	ListFilters
}

func (s *Service) list(
	ctx context.Context,
	v viewer.Viewer,
	in *listIn,
) (*httpapi.ListOut[subscription.Webhook], error) {
	walk, err := s.Cursors.Walk(v, "webhooks", in.Paging, in.ListFilters)
	if err != nil {
		return nil, err
	}
	var found []subscription.Webhook
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const query = `from webhook w where w.tenant_id = current_tenant() and (@enabled = ''
			or (w.state = 'enabled')::text = @enabled)`
		rows, n, err := subscription.Page[subscription.Row](
			ctx,
			tx,
			subscription.Columns,
			query,
			"w",
			"",
			pgx.NamedArgs{"enabled": in.Enabled},
			walk.Page,
		)
		if err != nil {
			return err
		}
		found, total = nil, n
		ids := make([]string, len(rows))
		for i, r := range rows {
			ids[i] = r.ID
		}
		secrets, err := subscription.SecretsOf(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, r := range rows {
			w, err := r.Shown(subscription.Some(secrets[r.ID]), s.Now())
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
		func(w subscription.Webhook) []string { return []string{w.CreatedAt.Format(time.RFC3339Nano), w.ID} },
	), nil
}
