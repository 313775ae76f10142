package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// listThen is list with as_of: the identities as they were at an instant. Rows come from the views
// over the history instead of the table; everything else of the query is the same.
func (s *Service) listThen(ctx context.Context, v viewer.Viewer, in *listIn) (*asof.List[identity.Identity], error) {
	if in.ApproverWithoutSignIn != "" {
		return nil, asof.Unsupported("approver_without_sign_in", "users are known as they are today")
	}
	if in.ManagerCycle != "" {
		return nil, asof.Unsupported("manager_cycle", "the line of managers is walked as it is today")
	}
	walk, err := s.Cursors.Walk(v, "identities", in.Paging, []any{in.Parameter, in.Filters})
	if err != nil {
		return nil, err
	}
	q, err := in.Query(v)
	if err != nil {
		return nil, err
	}
	var m asof.Moment
	var items []identity.Identity
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if m, err = in.Moment(ctx, tx, s.Now()); err != nil {
			return err
		}
		if q.From, q.Counted = asof.Identities(v), asof.AllIdentities; !v.SeesAll() {
			q.Counted = asof.VisibleIdentities
		}
		q.Args(pgx.NamedArgs{"as_of": m.At})
		items, total, err = identity.Fetch(ctx, tx, q, walk.Page)
		return err
	})
	return asof.ListOf(m, httpapi.Out(walk, items, total, in.After), err)
}

// FindThen reads an identity as it was, if the viewer may see it today. One that was unknown then is a fault of kind
// NotFound.
func FindThen(ctx context.Context, tx *pg.Tx, id string, m asof.Moment) (identity.Identity, error) {
	today, err := identity.Find(ctx, tx, id)
	if err != nil {
		return today, err
	}
	found, err := pg.One[identity.Identity](
		ctx,
		tx,
		"find identity of the past",
		`select `+identity.Columns+` from identity_at(@as_of) i where i.id = @id`,
		pgx.NamedArgs{"id": id, "as_of": m.At},
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return identity.Identity{}, fault.Coded(
			fault.NotFound,
			"not_known_then",
			"%s was not known here at %s; history is kept since %s",
			today.DisplayName,
			m.At.UTC().Format(time.RFC3339),
			m.Kept.UTC().Format(time.RFC3339),
		)
	case err != nil:
		return identity.Identity{}, err
	}
	return found, nil
}

// readOrThen is GET of one identity, now or at an instant.
func (s *Service) readOrThen(ctx context.Context, v viewer.Viewer, in *readIn) (*asof.One[IdentityDetail], error) {
	if in.AsOf != "" {
		return s.readThen(ctx, v, in)
	}
	return asof.Current(s.read(ctx, v, in))
}

// readThen answers how one identity was.
func (s *Service) readThen(ctx context.Context, v viewer.Viewer, in *readIn) (*asof.One[IdentityDetail], error) {
	if slices.Contains(in.Expand, "accounts") {
		return nil, asof.Unsupported(
			"expand",
			"accounts are shown as they are today; GET /identities/{id}/timeline and /accounts/{id}/history tell how "+
				"they were",
		)
	}
	d := IdentityDetail{AttributeSources: map[string]AttributeSource{}}
	var m asof.Moment
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if m, err = in.Moment(ctx, tx, s.Now()); err != nil {
			return err
		}
		if d.Identity, err = FindThen(ctx, tx, in.ID, m); err != nil {
			return err
		}
		if err := countThen(ctx, tx, &d, m); err != nil {
			return err
		}
		return expandThen(ctx, tx, &d, m, in.Expand)
	})
	if err != nil {
		return nil, err
	}
	return &asof.One[IdentityDetail]{Headers: m.Headers(), Body: d}, nil
}

// countThen fills in the numbers of accounts and grants at the instant, as far as the viewer sees
// them today.
func countThen(ctx context.Context, tx *pg.Tx, d *IdentityDetail, m asof.Moment) error {
	sql := `
		select (select count(*)
		          from owner_at(@as_of) o
		          join ` + listing.Readable(tx.Viewer, "account", "a") + ` on a.id = o.account_id
		         where o.identity_id = @id),
		       (select count(*) from ` + asof.Grants(tx.Viewer) + ` where g.identity_id = @id),
		       array(select t.id::text from identity_at(@as_of) t where t.merged_into_id = @id order by t.id)`
	args := pgx.NamedArgs{"id": d.ID, "as_of": m.At}
	if err := tx.QueryRow(ctx, sql, args).Scan(&d.Counts.Accounts, &d.Counts.Grants, &d.MergedIDs); err != nil {
		return fmt.Errorf("count accounts and grants of the past: %w", err)
	}
	return nil
}

// expandThen fills in what was asked for by expand, as it was. A manager who is not visible, or was
// not there yet, is left out.
func expandThen(ctx context.Context, tx *pg.Tx, d *IdentityDetail, m asof.Moment, names []string) (err error) {
	if slices.Contains(names, "manager") && d.ManagerID != nil {
		switch boss, err := FindThen(ctx, tx, *d.ManagerID, m); {
		case err == nil:
			d.Manager = &identity.Reference{ID: boss.ID, Display: boss.DisplayName}
		case !fault.Is(err, fault.NotFound):
			return err
		}
	}
	if slices.Contains(names, "grants") {
		d.Grants, err = expandedGrantsThen(ctx, tx, d.ID, m)
	}
	return err
}

// expandedGrantsThen are the grants of that time, the oldest first, up to a page. Names of
// entitlements and accounts are those of today.
func expandedGrantsThen(ctx context.Context, tx *pg.Tx, id string, m asof.Moment) ([]HeldGrant, error) {
	sql := `
		select g.id, g.connector_id, ` + listing.ConnectorName("g.connector_id") + ` as connector_name, g.directness,
		       'active' as status, jsonb_build_object('id', e.id, 'display',
		       coalesce(nullif(e.display_name, ''), e.name)) as entitlement,
		           jsonb_build_object('id', g.account_id, 'display', coalesce(` + account.Display + `, '')) as account
		  from ` + asof.Grants(tx.Viewer) + `
		  join entitlement e on e.id = g.entitlement_id
		  left join account a on a.id = g.account_id
		 where g.identity_id = @id
		 order by g.since, g.id
		 limit @limit`
	return pg.All[HeldGrant](
		ctx,
		tx,
		"expand grants of the past",
		sql,
		pgx.NamedArgs{"id": id, "as_of": m.At, "limit": httpapi.MaxLimit},
	)
}
