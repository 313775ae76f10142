package entitlement

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// BulkEntitlementUpdate changes many entitlements in one way.
type BulkEntitlementUpdate struct {
	// This or filter.
	IDs []string `json:"ids,omitempty" maxItems:"500" format:"uuid" nullable:"false"`
	// All that meet it, at most 500.
	Filter *BulkEntitlementFilter `json:"filter,omitempty"`
	// What each becomes, as by a merge patch: lists are replaced as a whole.
	Set map[string]any `json:"set" minProperties:"1" maxProperties:"20" example:"{\"risk_level\":\"high\"}"`
	// Say what it would do, and write nothing.
	DryRun bool `json:"dry_run,omitempty"`
}

// BulkEntitlementFilter says which entitlements are meant; each member given must hold.
type BulkEntitlementFilter struct {
	// ID of the connector of the entitlements.
	ConnectorID string `json:"connector_id,omitempty" format:"uuid"`
	// Kind of the entitlements, such as group or role.
	Kind string `json:"kind,omitempty" maxLength:"100"`
	// ID of an identity that owns the entitlements.
	OwnerID string `json:"owner_id,omitempty" format:"uuid"`
	// Selects privileged entitlements (true) or entitlements that are not privileged (false).
	Privileged string `json:"privileged,omitempty" enum:"true,false"`
	// Selects entitlements that can be requested (true) or that cannot (false).
	Requestable string `json:"requestable,omitempty" enum:"true,false"`
	// Risk levels, one of which the entitlement must have.
	RiskLevel []string `json:"risk_level,omitempty" enum:"low,medium,high,critical" nullable:"false" maxItems:"4"`
	// One of the entitlement's compliance tags, duty tags or data classes.
	Tag string `json:"tag,omitempty" maxLength:"100"`
	// Words, each of which is part of a name, description, native identity or external_id. Case, accents and order do
	// not matter.
	Q string `json:"q,omitempty" maxLength:"200"`
}

// BulkEntitlementResult is what became of one entitlement.
type BulkEntitlementResult struct {
	// ID of the entitlement.
	ID string `json:"id"`
	// Result for the entitlement. updated: changed, or would be with dry_run. unchanged: it already has these values.
	// refused: see code and detail.
	Outcome string `json:"outcome" enum:"updated,unchanged,refused"`
	// Why it was refused.
	Code string `json:"code,omitempty"`
	// Why the update was refused, in words. Absent unless refused.
	Detail string `json:"detail,omitempty"`
	// Fields that changed, or would change with dry_run. Absent unless updated.
	Changes []EntitlementChange `json:"changes,omitempty" nullable:"false"`
}

// EntitlementChange is a member that becomes something else.
type EntitlementChange struct {
	// Name of the field, such as risk_level.
	Field string `json:"field"`
	// Value before the change. Null: no value.
	From any `json:"from"`
	// Value after the change. Null: no value.
	To any `json:"to"`
}

func changed(changes []audit.Change) []EntitlementChange {
	out := make([]EntitlementChange, len(changes))
	for i, c := range changes {
		out[i] = EntitlementChange{Field: c.Field, From: c.From, To: c.To}
	}
	return out
}

// BulkEntitlementsUpdated are the results, in the order of the ids.
type BulkEntitlementsUpdated struct {
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// Number of entitlements that changed, or would change with dry_run.
	Updated int `json:"updated"`
	// Number of entitlements that already have the values.
	Unchanged int `json:"unchanged"`
	// Number of entitlements whose update was refused.
	Refused int `json:"refused"`
	// Result for each entitlement, in the order of the IDs.
	Results []BulkEntitlementResult `json:"results" nullable:"false"`
}

// maxBulk is the most entitlements that one call changes.
const maxBulk = 500

type bulkUpdateIn struct{ Body BulkEntitlementUpdate }

func (s *Service) bulkUpdate(
	ctx context.Context,
	v viewer.Viewer,
	in *bulkUpdateIn,
) (*answer[BulkEntitlementsUpdated], error) {
	out := BulkEntitlementsUpdated{DryRun: in.Body.DryRun, Results: []BulkEntitlementResult{}}
	if (len(in.Body.IDs) == 0) == (in.Body.Filter == nil) {
		return nil, fault.New(fault.Invalid, "select by ids or by filter").
			With(fault.Field{Pointer: "#/ids", Code: "invalid", Detail: "exactly one of ids and filter"})
	}
	patch, err := json.Marshal(in.Body.Set)
	if err != nil {
		return nil, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		ids, err := in.Body.which(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.checkSet(ctx, tx, patch); err != nil {
			return err
		}
		return s.updateAll(ctx, tx, &out, ids, patch)
	})
	return &answer[BulkEntitlementsUpdated]{Body: out}, err
}

// which are the entitlements that are meant. More than can be changed at once is a fault, and nothing is changed.
func (b BulkEntitlementUpdate) which(ctx context.Context, tx *pg.Tx) ([]string, error) {
	if b.Filter == nil {
		return b.IDs, nil
	}
	f := Filters{
		ConnectorID: b.Filter.ConnectorID,
		Kind:        b.Filter.Kind,
		OwnerID:     b.Filter.OwnerID,
		Privileged:  b.Filter.Privileged,
		Requestable: b.Filter.Requestable,
		RiskLevel:   b.Filter.RiskLevel,
		Tag:         b.Filter.Tag,
		Q:           b.Filter.Q,
		Sort:        "created_at",
	}
	q, err := f.query(tx.Viewer)
	if err != nil {
		return nil, err
	}
	list, total, err := listing.Fetch[Entitlement](ctx, tx, q, pg.Page{Limit: maxBulk})
	if err != nil {
		return nil, err
	}
	if total > maxBulk {
		return nil, fault.Coded(fault.Invalid, "too_many", "the filter means %d entitlements, and one call changes "+
			"at most %d: narrow it", total, maxBulk).
			With(fault.Field{Pointer: "#/filter", Code: "too_many",
				Detail: "narrow it, such as by connector_id or kind"})
	}
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return ids, nil
}

// checkSet validates the names in the change, once for all, and refuses members that cannot be written.
func (s *Service) checkSet(ctx context.Context, tx *pg.Tx, patch []byte) error {
	var set map[string]json.RawMessage
	if err := json.Unmarshal(patch, &set); err != nil {
		return err
	}
	for member := range set {
		if !slices.Contains(writableMembers, member) {
			return fault.New(fault.Invalid, "%s cannot be set", member).
				With(fault.Field{Pointer: "#/set/" + member, Code: "unknown_member",
					Detail: "see PATCH /entitlements/{id}"})
		}
	}
	after, _, err := s.merge(Entitlement{Description: &patched}, patch)
	if err != nil {
		return err
	}
	return after.Check(ctx, tx, "", fields.EntitlementFields{})
}

// patched stands for a description where none is asked for yet.
var patched = "-"

var writableMembers = append(
	[]string{
		"owner_ids",
		"backup_owner_ids",
		"privileged",
		"visible_to",
		"approval_rule_id",
		"lifecycle",
		"replacement_id",
	},
	fields.Described...)

func (s *Service) updateAll(
	ctx context.Context,
	tx *pg.Tx,
	out *BulkEntitlementsUpdated,
	ids []string,
	patch []byte,
) error {
	const lock = `select e.id from entitlement e where e.id = any($1::text[]::uuid[]) order by e.id for update`
	if err := pg.Exec(ctx, tx, "lock entitlements", lock, ids); err != nil {
		return err
	}
	found, err := ByIDs(ctx, tx, ids)
	if err != nil {
		return err
	}
	var all []written
	var entries []audit.Entry
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		e, there := found[id]
		if !there {
			out.refuse(id, fault.New(fault.NotFound, "Entitlement %s was not found.", id))
			continue
		}
		w, changes, err := s.becomes(tx.Viewer, e, patch)
		switch {
		case err != nil:
			out.refuse(id, err)
		case len(changes) == 0:
			out.Unchanged++
			out.Results = append(out.Results, BulkEntitlementResult{ID: id, Outcome: "unchanged"})
		default:
			out.Updated++
			out.Results = append(
				out.Results,
				BulkEntitlementResult{ID: id, Outcome: "updated", Changes: changed(changes)},
			)
			all, entries = append(
				all,
				w,
			), append(
				entries,
				audit.Entry{Action: "entitlement.updated", Changes: changes, Subject: e.subject()},
			)
		}
	}
	if out.DryRun || len(all) == 0 {
		return nil
	}
	if err := store(ctx, tx, all, s.Now()); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}

func (s *Service) becomes(v viewer.Viewer, e Entitlement, patch []byte) (written, []audit.Change, error) {
	after, members, err := s.merge(e, patch)
	if err != nil {
		return written{}, nil, err
	}
	if err := e.MayWrite(v, after, members); err != nil {
		return written{}, nil, err
	}
	if after.ReplacementID != nil && *after.ReplacementID == e.ID {
		return written{}, nil, fault.New(fault.Invalid, "an entitlement cannot replace itself")
	}
	changes, err := audit.Diff(e.EntitlementFields, after)
	return written{e.ID, after, slices.Contains(members, "privileged")}, changes, err
}

func (b *BulkEntitlementsUpdated) refuse(id string, err error) {
	b.Refused++
	r := BulkEntitlementResult{ID: id, Outcome: "refused", Detail: err.Error()}
	var f *fault.Fault
	if errors.As(err, &f) {
		r.Code = f.Code
	}
	b.Results = append(b.Results, r)
}
