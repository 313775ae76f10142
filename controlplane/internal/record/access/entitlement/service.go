package entitlement

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Reader reads a condition, whose language lies above this room: its normal form, and what it cannot be kept with, by
// pointers into it.
type Reader func(fields.EntitlementCondition) (normal fields.EntitlementCondition, wrong []fault.Field)

// Service reads and changes entitlements. All fields but Conditions are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time

	Conditions Reader // nil: no condition can be written
}

// List gives a page of entitlements with their counts, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []Entitlement, total int64, err error) {
	q, err := f.query(v)
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if items, total, err = listing.Fetch[Entitlement](ctx, tx, q, page); err != nil {
			return err
		}
		return countMembers(ctx, tx, items)
	})
	return items, total, err
}

// Read gives one entitlement with its nesting.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (d EntitlementDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d, err = detail(ctx, tx, id)
		return err
	})
	return d, err
}

func detail(ctx context.Context, tx *pg.Tx, id string) (d EntitlementDetail, err error) {
	if d.Entitlement, err = Find(ctx, tx, id); err != nil {
		return d, err
	}
	if d.Parents, err = nested(ctx, tx, parentsOf, id); err != nil {
		return d, err
	}
	if d.Children, err = nested(ctx, tx, childrenOf, id); err != nil {
		return d, err
	}
	d.LastUsedAt, d.UnusedGrantCount, err = used(ctx, tx, id, usual)
	return d, err
}

// Patch applies a merge patch to what the viewer may write of an entitlement.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (patched EntitlementDetail, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := writable(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		changes, err := s.apply(ctx, tx, before, body)
		if err != nil {
			return err
		}
		if patched, err = detail(ctx, tx, id); err != nil || len(changes) == 0 {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "entitlement.updated", Changes: changes, Subject: before.subject()},
		)
	})
	return patched, err
}

// writable finds an entitlement that the viewer may write something of, and locks it: owners those that they own,
// administrators all.
func writable(ctx context.Context, tx *pg.Tx, id string) (Entitlement, error) {
	if !tx.Viewer.SeesAll() {
		var owned bool
		if !listing.IsID(id) {
			return Lookup(ctx, tx, id, "")
		}
		if err := tx.QueryRow(ctx, `select exists (select from owned_entitlement() o where o.id = $1)`, id).
			Scan(&owned); err != nil {
			return Entitlement{}, fmt.Errorf("find owner of entitlement: %w", err)
		}
		if !owned {
			return Entitlement{}, fault.New(fault.NotFound, "Entitlement %s was not found.", id)
		}
	}
	if err := pg.Exec(
		ctx,
		tx,
		"lock entitlement",
		`select from entitlement where id::text = $1 for update`,
		id,
	); err != nil {
		return Entitlement{}, err
	}
	return Lookup(ctx, tx, id, "")
}

// apply writes what the patch changes, and records it.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, before Entitlement, body []byte) ([]audit.Change, error) {
	after, members, err := s.merge(before, body)
	if err != nil {
		return nil, err
	}
	if err := before.MayWrite(tx.Viewer, after, members); err != nil {
		return nil, err
	}
	changes, err := audit.Diff(before.EntitlementFields, after)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	if err := after.Check(ctx, tx, before.ID, before.EntitlementFields); err != nil {
		return nil, err
	}
	return changes, store(ctx, tx, []written{{before.ID, after, slices.Contains(members, "privileged")}}, s.Now())
}

// merge gives what an entitlement becomes under a merge patch, and the members that the patch names. A condition is
// replaced as a whole: two cannot be merged into one that anybody has meant.
func (s *Service) merge(before Entitlement, body []byte) (after fields.EntitlementFields, members []string, err error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(body, &given); err != nil {
		return after, nil, fault.Coded(fault.Malformed, "malformed_json", "the body must be a JSON object")
	}
	if after, err = mergepatch.Apply(before.EntitlementFields, body); err != nil {
		return after, nil, err
	}
	if raw, named := given["visible_to"]; named {
		after.VisibleTo = nil
		if err := json.Unmarshal(raw, &after.VisibleTo); err != nil {
			return after, nil, fault.New(fault.Invalid, "visible_to is a condition, or null").
				With(fault.Field{Pointer: "#/visible_to", Code: "invalid", Detail: "a condition, or null"})
		}
		if after.VisibleTo, err = s.condition(after.VisibleTo); err != nil {
			return after, nil, err
		}
	}
	return after, slices.Sorted(maps.Keys(given)), after.Complete(before.Description)
}

// condition checks whom something is offered to, and gives its normal form.
func (s *Service) condition(c fields.EntitlementCondition) (fields.EntitlementCondition, error) {
	if len(c) == 0 {
		return nil, nil
	}
	if s.Conditions == nil {
		return nil, fault.New(fault.Invalid, "Conditions are not available in this installation.").
			With(fault.Field{Pointer: "#/visible_to", Code: "invalid", Detail: "leave it out"})
	}
	normal, wrong := s.Conditions(c)
	for i := range wrong {
		wrong[i].Pointer = "#/visible_to" + strings.TrimPrefix(wrong[i].Pointer, "#")
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Invalid, "visible_to cannot be used: %s", wrong[0].Detail).With(wrong...)
	}
	return normal, nil
}
