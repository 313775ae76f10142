package action

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

type unpinIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// As attribute_sources names them.
		Fields []string `json:"fields" minItems:"1" maxItems:"100" nullable:"false"`
	}
}

// unpin is POST …/unpin.
func (s *Service) unpin(ctx context.Context, v viewer.Viewer, in *unpinIn) (*httpapi.One[identity.Identity], error) {
	return identityOut(s.Unpin(ctx, v, in.ID, in.IfMatch, in.Body.Fields))
}

// Unpin gives fields back to their source: they become what it says.
func (s *Service) Unpin(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch,
	fields []string) (after identity.Identity, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := identity.LockVersion(ctx, tx, id, match)
		if err != nil {
			return err
		}
		if before.Status == rules.Archived {
			return identity.ArchivedError()
		}
		for i, f := range fields {
			if _, pinned := before.Pins[f]; !pinned {
				return fault.Coded(fault.Invalid, "not_pinned", "%s is not pinned", f).
					With(fault.Field{Pointer: fmt.Sprintf("#/fields/%d", i), Code: "not_pinned",
						Detail: "attribute_sources says which fields are"})
			}
		}
		after, err = unpin(ctx, tx, before, fields, s.Now())
		return err
	})
	return after, err
}

// unpin gives fields back the values of their source and removes the pins. Fields without a pin
// keep their value.
func unpin(ctx context.Context, tx *pg.Tx, before identity.Identity, fields []string,
	now time.Time) (identity.Identity, error) {
	after, patch, custom := before, map[string]any{}, map[string]any{}
	after.Pins = maps.Clone(before.Pins)
	for _, f := range fields {
		p := before.Pins[f]
		delete(after.Pins, f)
		switch name, is := strings.CutPrefix(f, pin.CustomPrefix); {
		case is:
			custom[name] = p.SourceValue
		case f != pin.StatusField:
			patch[f] = p.SourceValue
		case p.SourceValue != nil:
			after.Standing, _ = p.SourceValue.(string)
		}
	}
	if len(custom) > 0 {
		patch["attributes"] = custom
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return before, fmt.Errorf("unpin: %w", err)
	}
	if after.IdentityFields, err = mergepatch.Apply(before.IdentityFields, body); err != nil {
		return before, err
	}
	after.Normalize()
	if after.DisplayName == "" {
		after.DisplayName = after.DefaultName(after.ExternalID)
	}
	changes, err := audit.Diff(before.IdentityFields, after.IdentityFields)
	if err != nil {
		return before, err
	}
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return before, err
	}
	after.ApplyDates(l.Clock(now), "hr")
	if after.Status != before.Status {
		changes = append(changes, identity.StatusChanges(before, after)...)
	}
	changes = append(
		changes,
		audit.Change{
			Field: "pinned",
			From:  slices.Sorted(maps.Keys(before.Pins)),
			To:    slices.Sorted(maps.Keys(after.Pins)),
		},
	)
	if err := identity.Store(ctx, tx, after, now); err != nil {
		return before, err
	}
	stored, err := identity.Find(ctx, tx, before.ID)
	if err != nil {
		return before, err
	}
	return stored, identity.Record(ctx, tx, identity.ActionOf(before.Status, after.Status), stored, changes)
}

// unpinDue ends the pins whose time is over.
func unpinDue(ctx context.Context, tx *pg.Tx, c rules.Clock) error {
	const sql = `
		select i.id::text, array_agg(e.key order by e.key)
		  from identity i
		 cross join jsonb_each(i.pins) e
		 where i.tenant_id = current_tenant()
		   and i.pins <> '{}'
		   and i.status <> 'archived'
		   and (e.value ->> 'until')::timestamptz <= $1
		 group by i.id
		 order by i.id
		 limit 500`
	rows, err := tx.Query(ctx, sql, c.Now)
	if err != nil {
		return fmt.Errorf("find pins that are over: %w", err)
	}
	type over struct {
		ID     string
		Fields []string
	}
	due, err := pgx.CollectRows(rows, pgx.RowToStructByPos[over])
	if err != nil {
		return fmt.Errorf("find pins that are over: %w", err)
	}
	for _, d := range due {
		before, err := identity.Lock(ctx, tx, d.ID)
		if err != nil {
			return err
		}
		if _, err := unpin(ctx, tx, before, d.Fields, c.Now); err != nil {
			return err
		}
	}
	return nil
}
