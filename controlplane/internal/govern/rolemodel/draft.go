package rolemodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RoleDraft is what a role in use is to become.
type RoleDraft struct {
	RoleID      string          `json:"role_id" db:"role_id"`
	BaseVersion int             `json:"base_version" db:"base_version" doc:"The version of the role that it was made of."`
	Proposed    bool            `json:"proposed" db:"proposed" doc:"The publication waits for an approval. Changing the draft withdraws it."`
	Content     role.RoleFields `json:"content" db:"content"`
	Changes     []RoleChange    `json:"changes" db:"-" nullable:"false" doc:"What is different from the role as it is."`
	ChangedBy   map[string]any  `json:"changed_by" db:"changed_by" nullable:"false"`
	CreatedAt   time.Time       `json:"created_at" db:"created_at"`
	UpdatedAt   time.Time       `json:"updated_at" db:"updated_at"`
	Version     int             `json:"version" db:"version"`
}

// RoleChange is one member that becomes different.
type RoleChange struct {
	Field   string `json:"field" example:"entitlement_ids"`
	Before  any    `json:"before"`
	After   any    `json:"after"`
	Added   []any  `json:"added,omitempty" nullable:"false" doc:"Of a list: what is new in it."`
	Removed []any  `json:"removed,omitempty" nullable:"false" doc:"Of a list: what is no more in it."`
}

// differences are what two versions of a role differ in.
func differences(before, after role.RoleFields) ([]RoleChange, error) {
	diff, err := mergepatch.Diff(before, after)
	if err != nil {
		return nil, err
	}
	changes := []RoleChange{}
	for _, d := range diff {
		c := RoleChange{Field: d.Field, Before: d.From, After: d.To}
		old, _ := d.From.([]any)
		now, isList := d.To.([]any)
		if isList || old != nil {
			c.Added, c.Removed = without(now, old), without(old, now)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// without are the elements of a list that are not in another.
func without(list, other []any) []any {
	var rest []any
	for _, x := range list {
		if !slices.ContainsFunc(other, func(y any) bool { return reflect.DeepEqual(x, y) }) {
			rest = append(rest, x)
		}
	}
	return rest
}

// findDraft reads a role's draft; nil: it has none.
func findDraft(ctx context.Context, tx *pg.Tx, r role.Role) (*RoleDraft, error) {
	const sql = `
		select d.role_id, d.base_version, d.proposed, d.content, d.changed_by, d.created_at, d.updated_at, d.version
		  from role_draft d
		 where d.role_id = $1`
	rows, err := tx.Query(ctx, sql, r.ID)
	if err != nil {
		return nil, fmt.Errorf("find draft of role: %w", err)
	}
	d, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[RoleDraft])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find draft of role: %w", err)
	}
	d.Content.Lifecycle = r.Lifecycle
	d.Changes, err = differences(r.RoleFields, d.Content)
	return &d, err
}

// Draft gives the draft of a role. One without is a fault of kind NotFound.
func (s *Service) Draft(ctx context.Context, v viewer.Viewer, id string) (out RoleDraft, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := role.Seen(ctx, tx, v, id, "")
		if err != nil {
			return err
		}
		d, err := findDraft(ctx, tx, r)
		if err == nil && d == nil {
			return fault.New(fault.NotFound, "the role %s has no draft", r.Name)
		}
		if err == nil {
			out = *d
		}
		return err
	})
	return out, err
}

// PatchDraft applies a merge patch to the draft of a role in use, which is made of the role when there is none. What
// was proposed is not any more.
func (s *Service) PatchDraft(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	body []byte,
) (out RoleDraft, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := lock(ctx, tx, id, httpapi.IfMatch{})
		if err != nil {
			return err
		}
		if !gives(r.RoleFields) {
			return fault.Coded(fault.Conflict, "invalid_transition", "only a role in use has a draft; this one is "+
				"%s: change the role itself", r.Lifecycle).
				Also("allowed", []string{})
		}
		before, err := findDraft(ctx, tx, r)
		if err != nil {
			return err
		}
		from, content := r.Version, r.RoleFields
		if before != nil {
			if err := match.Check(before.Version); err != nil {
				return err
			}
			from, content = before.BaseVersion, before.Content
		}
		if content, err = s.Roles.Merge(content, body); err != nil {
			return err
		}
		if content.Lifecycle != r.Lifecycle {
			return fault.New(fault.Invalid, "a draft defines the contents of the role, not its lifecycle").
				With(fault.Field{Pointer: "#/lifecycle", Code: "invalid",
					Detail: "publish, deprecate or retire the role"})
		}
		if err := s.checked(ctx, tx, r, content); err != nil {
			return err
		}
		out, err = s.putDraft(ctx, tx, r, from, content)
		return err
	})
	return out, err
}

// checked holds a draft against what there is, as publishing it would.
func (s *Service) checked(ctx context.Context, tx *pg.Tx, r role.Role, content role.RoleFields) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return fmt.Errorf("check draft of role: %w", err)
	}
	defer func() { _ = inner.Rollback(context.WithoutCancel(ctx)) }()
	_, err = role.Update(ctx, &pg.Tx{Tx: inner, Viewer: tx.Viewer}, r.ID, content)
	return err
}

func (s *Service) putDraft(
	ctx context.Context,
	tx *pg.Tx,
	r role.Role,
	from int,
	content role.RoleFields,
) (RoleDraft, error) {
	const sql = `
		insert into role_draft as d (tenant_id, role_id, content, base_version, changed_by)
		values (current_tenant(), @role, @content, @base, @by)
		    on conflict (tenant_id, role_id) do update
		   set content = excluded.content, proposed = false, changed_by = excluded.changed_by, updated_at = now(),
		       version = d.version + 1`
	if _, err := tx.Exec(
		ctx,
		sql,
		pgx.NamedArgs{"role": r.ID, "content": content, "base": from, "by": by(tx)},
	); err != nil {
		return RoleDraft{}, fmt.Errorf("write draft of role: %w", err)
	}
	if _, err := decision.Close(
		ctx,
		tx,
		Kind,
		[]string{r.ID},
		decision.Superseded,
		"the draft was changed",
	); err != nil {
		return RoleDraft{}, err
	}
	d, err := findDraft(ctx, tx, r)
	if err != nil || d == nil {
		return RoleDraft{}, err
	}
	fields := []string{}
	for _, c := range d.Changes {
		fields = append(fields, c.Field)
	}
	return *d, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "role.draft_changed", Subject: subject(r), Context: map[string]any{"fields": fields}},
	)
}

// DropDraft throws the draft of a role away.
func (s *Service) DropDraft(ctx context.Context, v viewer.Viewer, id string) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := lock(ctx, tx, id, httpapi.IfMatch{})
		if err != nil {
			return err
		}
		dropped, err := dropDraft(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if !dropped {
			return fault.New(fault.NotFound, "the role %s has no draft", r.Name)
		}
		if _, err := decision.Close(
			ctx,
			tx,
			Kind,
			[]string{r.ID},
			decision.Cancelled,
			"the draft was dropped",
		); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "role.draft_dropped", Subject: subject(r)})
	})
}

func dropDraft(ctx context.Context, tx *pg.Tx, roleID string) (bool, error) {
	done, err := tx.Exec(ctx, `delete from role_draft where role_id = $1`, roleID)
	if err != nil {
		return false, fmt.Errorf("drop draft of role: %w", err)
	}
	return done.RowsAffected() > 0, nil
}

// onto gives what the role becomes by its draft: what the draft has changed, on what the role says now. What both have
// changed in the meantime is a fault of kind Conflict.
func (s *Service) onto(ctx context.Context, tx *pg.Tx, r role.Role, d RoleDraft) (role.RoleFields, error) {
	if d.BaseVersion == r.Version {
		return d.Content, nil
	}
	base, err := findVersion(ctx, tx, r.ID, d.BaseVersion)
	if err != nil {
		return d.Content, err
	}
	base.Content.Lifecycle, d.Content.Lifecycle = r.Lifecycle, r.Lifecycle
	mine, err := mergepatch.Diff(base.Content, d.Content)
	if err != nil {
		return d.Content, err
	}
	theirs, err := mergepatch.Diff(base.Content, r.RoleFields)
	if err != nil {
		return d.Content, err
	}
	patch, both := map[string]any{}, []string{}
	for _, m := range mine {
		patch[m.Field] = m.To
		for _, t := range theirs {
			if t.Field == m.Field && !reflect.DeepEqual(t.To, m.To) {
				both = append(both, m.Field)
			}
		}
	}
	if len(both) > 0 {
		return d.Content, fault.Coded(fault.Conflict, "draft_outdated", "the role has changed since the draft was "+
			"created, also in %s: discard the draft and create it again",
			strings.Join(both, " and ")).
			Also("fields", both)
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return d.Content, fmt.Errorf("merge draft of role: %w", err)
	}
	return s.Roles.Merge(r.RoleFields, body)
}

func by(tx *pg.Tx) map[string]any {
	v := tx.Viewer
	return map[string]any{"type": string(v.Kind), "id": v.ID, "display": v.Display}
}
