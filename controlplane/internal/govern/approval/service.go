package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// Service keeps approval rules, calendars and on-call schedules. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

// List gives a page of rules, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []ApprovalRule, total int64, err error) {
	q, err := f.query()
	if err != nil {
		return nil, 0, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[ApprovalRule](ctx, tx, q, page)
		for i := range items {
			items[i].shown()
		}
		return err
	})
	return items, total, err
}

// Read gives one rule, with whom today's organisation does not have.
func (s *Service) Read(ctx context.Context, v viewer.Viewer, id string) (found ApprovalRule, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if found, err = Find(ctx, tx, id); err != nil {
			return err
		}
		return s.warn(ctx, tx, &found)
	})
	return found, err
}

// warn fills in whom a rule names in vain today.
func (s *Service) warn(ctx context.Context, tx *pg.Tx, r *ApprovalRule) (err error) {
	r.Warnings, err = warnings(ctx, tx, r.ApprovalRuleFields, s.Now())
	return err
}

// Create makes a rule, for whoever joins the transaction.
func Create(ctx context.Context, tx *pg.Tx, n New) (ApprovalRule, error) {
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	if err := n.checked(ctx, tx, ""); err != nil {
		return ApprovalRule{}, err
	}
	id := uuid.Must(uuid.NewV7()).String()
	if err := insert(ctx, tx, id, n); err != nil {
		return ApprovalRule{}, err
	}
	made, err := Find(ctx, tx, id)
	if err != nil {
		return made, err
	}
	changes, err := mergepatch.Initial(made.ApprovalRuleFields)
	if err != nil {
		return made, err
	}
	return made, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "approval_rule.created", Subject: made.subject(), Changes: changes},
	)
}

// Complete is a rule with what is meant where it says nothing, as it is stored.
func Complete(f ApprovalRuleFields) ApprovalRuleFields {
	f.fill()
	return f
}

// Update changes a rule within a transaction. Requests that were submitted by it keep what it said.
func Update(ctx context.Context, tx *pg.Tx, id string, f ApprovalRuleFields) (ApprovalRule, error) {
	before, err := find(ctx, tx, id, " for update of r")
	if err != nil {
		return before, err
	}
	return rewrite(ctx, tx, before, f, "approval_rule.updated")
}

// InUse says whether a role, an entitlement or another rule names the rule.
func InUse(ctx context.Context, tx *pg.Tx, id string) (bool, error) {
	by, err := usersOf(ctx, tx, id)
	return len(by) > 0, err
}

// Delete takes a rule away within a transaction, unless something uses it.
func Delete(ctx context.Context, tx *pg.Tx, id string) error {
	before, err := find(ctx, tx, id, " for update of r")
	if err != nil {
		return err
	}
	return remove(ctx, tx, before)
}

// SetOrigin writes where a rule is from. Its version stays: it says nothing else than before.
func SetOrigin(ctx context.Context, tx *pg.Tx, id string, origin map[string]any) error {
	if _, err := tx.Exec(ctx, `update approval_rule set origin = $2 where id = $1`, id, origin); err != nil {
		return fmt.Errorf("write origin of approval rule: %w", err)
	}
	return nil
}

// Create makes a rule.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n New) (made ApprovalRule, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if made, err = Create(ctx, tx, n); err != nil {
			return err
		}
		return s.warn(ctx, tx, &made)
	})
	return made, err
}

// Patch applies a merge patch. Lists, such as branches, are replaced as a whole.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (ApprovalRule, error) {
	if err := mergepatch.Keep(
		body,
		"name",
		"enabled",
		"priority",
		"applies_to",
		"branches",
		"grant",
		"emergency",
	); err != nil {
		return ApprovalRule{}, err
	}
	return s.alter(ctx, v, id, match, "approval_rule.updated", func(f ApprovalRuleFields) (ApprovalRuleFields, error) {
		after, err := mergepatch.Apply(f, body)
		if err != nil {
			return f, err
		}
		return after, permanent(body, &after)
	})
}

// Enable switches a rule on.
func (s *Service) Enable(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) (ApprovalRule, error) {
	return s.alter(ctx, v, id, match, "approval_rule.enabled", func(f ApprovalRuleFields) (ApprovalRuleFields, error) {
		f.Enabled = true
		return f, nil
	})
}

// Disable switches a rule off: it is chosen for nothing any more. Requests that were submitted by it go on.
func (s *Service) Disable(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (ApprovalRule, error) {
	return s.alter(ctx, v, id, match, "approval_rule.disabled", func(f ApprovalRuleFields) (ApprovalRuleFields, error) {
		f.Enabled = false
		return f, nil
	})
}

func (s *Service) alter(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, action string,
	how func(ApprovalRuleFields) (ApprovalRuleFields, error)) (changed ApprovalRule, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after, err := how(before.ApprovalRuleFields)
		if err != nil {
			return err
		}
		if changed, err = rewrite(ctx, tx, before, after, action); err != nil {
			return err
		}
		return s.warn(ctx, tx, &changed)
	})
	return changed, err
}

func rewrite(
	ctx context.Context,
	tx *pg.Tx,
	before ApprovalRule,
	after ApprovalRuleFields,
	action string,
) (ApprovalRule, error) {
	if err := after.checked(ctx, tx, before.ID); err != nil {
		return before, err
	}
	changes, err := mergepatch.Diff(before.ApprovalRuleFields, after)
	if err != nil || len(changes) == 0 {
		return before, err
	}
	if err := update(ctx, tx, before.ID, after); err != nil {
		return before, err
	}
	changed, err := Find(ctx, tx, before.ID)
	if err != nil {
		return changed, err
	}
	return changed, audit.Record(ctx, tx, audit.Entry{Action: action, Subject: changed.subject(), Changes: changes})
}

// Delete takes a rule away that nothing uses.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		return remove(ctx, tx, before)
	})
}

func remove(ctx context.Context, tx *pg.Tx, before ApprovalRule) error {
	if err := unused(ctx, tx, before.ID, "approval_rule_in_use", "rule"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `delete from approval_rule where id = $1`, before.ID); err != nil {
		return fmt.Errorf("delete approval rule: %w", err)
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "approval_rule.deleted", Subject: before.subject()})
}

// Versions are what a rule has said, the newest first.
func (s *Service) Versions(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	page pg.Page,
) (items []ApprovalRuleVersion, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err = find(ctx, tx, id, ""); err != nil {
			return err
		}
		items, total, err = versions(ctx, tx, id, page)
		return err
	})
	return items, total, err
}

// sent are the fields of a body. A rule is switched on unless it says otherwise.
func sent(f ApprovalRuleFields, raw []byte) ApprovalRuleFields {
	var given struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(raw, &given) == nil && given.Enabled == nil {
		f.Enabled = true
	}
	return f
}

// permanent follows a limit of time that is set or taken, unless the patch says what it is to be.
func permanent(body []byte, f *ApprovalRuleFields) error {
	var given struct {
		Grant map[string]json.RawMessage `json:"grant"`
	}
	if err := json.Unmarshal(body, &given); err != nil {
		return fault.Coded(fault.Malformed, "malformed_json", "grant is an object")
	}
	_, limited := given.Grant["max_duration"]
	if _, said := given.Grant["allow_permanent"]; limited && !said {
		f.Grant.AllowPermanent = nil
	}
	return nil
}
