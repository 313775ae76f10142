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
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Who sees somebody today sees how they were, and nobody else does.
const (
	everybodyThen = `(select * from identity_at(@as_of) where (select sees_all())) i`
	visibleThen   = `(select t.* from visible_identity() d cross join lateral (select x.* from identity_at(@as_of) x where x.id = d.id offset 0) t) i`
	readableThen  = `(select t.* from identity_at(@as_of) t where exists (select from readable_identity(own => true) d where d.id = t.id)) i`
)

// ReadableThen are the people i as they were @as_of whom the viewer may read.
func ReadableThen(v viewer.Viewer) string {
	if v.SeesAll() {
		return everybodyThen
	}
	return readableThen
}

func (s *Service) listThen(ctx context.Context, v viewer.Viewer, in *listIn) (*ListThen[Identity], error) {
	if in.ManagerCycle != "" {
		return nil, NotThen("manager_cycle", "the line of managers is walked as it is today")
	}
	walk, err := s.Cursors.Walk(v, "identities", in.Paging, []any{in.PointInTime, in.IdentityFilters})
	if err != nil {
		return nil, err
	}
	q, err := in.query(v)
	if err != nil {
		return nil, err
	}
	var m Moment
	var items []Identity
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if m, err = in.Moment(ctx, tx, s.Now()); err != nil {
			return err
		}
		if q.From, q.Counted = ReadableThen(v), everybodyThen; !v.SeesAll() {
			q.Counted = visibleThen
		}
		q.Args(pgx.NamedArgs{"as_of": m.At})
		items, total, err = fetchIdentities(ctx, tx, q, walk.Page)
		return err
	})
	return Then(m, httpapi.Out(walk, items, total, in.after), err)
}

// FindThen reads an identity as it was, if the viewer may see it today. Whoever was not known then is a fault of kind NotFound.
func FindThen(ctx context.Context, tx *pg.Tx, id string, m Moment) (Identity, error) {
	today, err := Find(ctx, tx, id)
	if err != nil {
		return today, err
	}
	rows, err := tx.Query(ctx, `select `+columns+` from identity_at(@as_of) i where i.id = @id`, pgx.NamedArgs{"id": id, "as_of": m.At})
	if err != nil {
		return Identity{}, fmt.Errorf("find identity of the past: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Identity])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Identity{}, fault.Coded(fault.NotFound, "not_known_then", "%s was not known here at %s; history is kept since %s",
			today.DisplayName, m.At.UTC().Format(time.RFC3339), m.Kept.UTC().Format(time.RFC3339))
	case err != nil:
		return Identity{}, fmt.Errorf("find identity of the past: %w", err)
	}
	return found, nil
}

func (s *Service) readOrThen(ctx context.Context, v viewer.Viewer, in *readIn) (*OneThen[IdentityDetail], error) {
	if in.AsOf != "" {
		return s.readThen(ctx, v, in)
	}
	return oneNow(s.read(ctx, v, in))
}

// readThen answers how one identity was.
func (s *Service) readThen(ctx context.Context, v viewer.Viewer, in *readIn) (*OneThen[IdentityDetail], error) {
	if slices.Contains(in.Expand, "accounts") {
		return nil, NotThen("expand", "accounts are shown as they are today; GET /identities/{id}/timeline and /accounts/{id}/history tell how they were")
	}
	d := IdentityDetail{AttributeSources: map[string]AttributeSource{}}
	var m Moment
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
	return &OneThen[IdentityDetail]{Told: m.Told(), Body: d}, nil
}

// OneThen is a single resource that can be one of the past, and then has no ETag.
type OneThen[T any] struct {
	Told
	ETag string `header:"ETag"`
	Body T
}

// oneNow is a single resource of today.
func oneNow[T any](one *httpapi.One[T], err error) (*OneThen[T], error) {
	if err != nil {
		return nil, err
	}
	return &OneThen[T]{ETag: one.ETag, Body: one.Body}, nil
}

// heldThen is what somebody's accounts of then held.
const heldThen = `owner_at(@as_of) o cross join lateral (select x.* from grant_at(@as_of) x where x.account_id = o.account_id offset 0) h`

// GrantsThen are the grants g that people's accounts held @as_of, with whose those were as identity_id, of which the viewer may read: those
// of whom they manage, their own, and of what they own those of whom they see today.
func GrantsThen(v viewer.Viewer) string {
	if v.SeesAll() {
		return `(select h.*, o.identity_id, 'active' as status, false as reappeared from ` + heldThen + ` where (select sees_all())) g`
	}
	return `(select h.*, o.identity_id, 'active' as status, false as reappeared
	           from ` + heldThen + `
	          where exists (select from managed_identity() m where m.id = o.identity_id)
	             or o.identity_id = (select viewer_identity())
	             or exists (select from owned_entitlement() e where e.id = h.entitlement_id)
	            and exists (select from readable_identity(own => false) i where i.id = o.identity_id)) g`
}

func countThen(ctx context.Context, tx *pg.Tx, d *IdentityDetail, m Moment) error {
	sql := `
		select (select count(*)
		          from owner_at(@as_of) o
		          join ` + listing.Readable(tx.Viewer, "account", "a") + ` on a.id = o.account_id
		         where o.identity_id = @id),
		       (select count(*) from ` + GrantsThen(tx.Viewer) + ` where g.identity_id = @id),
		       array(select t.id::text from identity_at(@as_of) t where t.merged_into_id = @id order by t.id)`
	args := pgx.NamedArgs{"id": d.ID, "as_of": m.At}
	if err := tx.QueryRow(ctx, sql, args).Scan(&d.Counts.Accounts, &d.Counts.Grants, &d.MergedIDs); err != nil {
		return fmt.Errorf("count accounts and grants of the past: %w", err)
	}
	return nil
}

func expandThen(ctx context.Context, tx *pg.Tx, d *IdentityDetail, m Moment, names []string) (err error) {
	if slices.Contains(names, "manager") && d.ManagerID != nil {
		switch boss, err := FindThen(ctx, tx, *d.ManagerID, m); {
		case err == nil:
			d.Manager = &Reference{ID: boss.ID, Display: boss.DisplayName}
		case !fault.Is(err, fault.NotFound):
			return err
		}
	}
	if slices.Contains(names, "grants") {
		d.Grants, err = expandedGrantsThen(ctx, tx, d.ID, m)
	}
	return err
}

func expandedGrantsThen(ctx context.Context, tx *pg.Tx, id string, m Moment) ([]HeldGrant, error) {
	sql := `
		select g.id, g.connector_id, ` + ConnectorName("g.connector_id") + ` as connector_name, g.directness, 'active' as status,
		       jsonb_build_object('id', e.id, 'display', coalesce(nullif(e.display_name, ''), e.name)) as entitlement,
		       jsonb_build_object('id', g.account_id, 'display', coalesce(` + AccountDisplay + `, '')) as account
		  from ` + GrantsThen(tx.Viewer) + `
		  join entitlement e on e.id = g.entitlement_id
		  left join account a on a.id = g.account_id
		 where g.identity_id = @id
		 order by g.since, g.id
		 limit @limit`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": id, "as_of": m.At, "limit": httpapi.MaxLimit})
	if err != nil {
		return nil, fmt.Errorf("expand grants of the past: %w", err)
	}
	grants, err := pgx.CollectRows(rows, pgx.RowToStructByName[HeldGrant])
	if err != nil {
		return nil, fmt.Errorf("expand grants of the past: %w", err)
	}
	return grants, nil
}
