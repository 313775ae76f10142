package draft

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RoleDraft is what a role in use is to become.
type RoleDraft struct {
	// ID of the role that the draft changes.
	RoleID string `json:"role_id" db:"role_id"`
	// The version of the role that it was made of.
	BaseVersion int `json:"base_version" db:"base_version"`
	// The publication waits for an approval. Changing the draft withdraws it.
	Proposed bool `json:"proposed" db:"proposed"`
	// Fields of the role in the draft. Its lifecycle is the current one of the role.
	Content role.RoleFields `json:"content" db:"content"`
	// What is different from the role as it is.
	Changes []RoleChange `json:"changes" db:"-" nullable:"false"`
	// Actor who last changed the draft, with type, id and display.
	ChangedBy map[string]any `json:"changed_by" db:"changed_by" nullable:"false"`
	// Time the draft was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the draft was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the draft, for If-Match of changes to the draft.
	Version int `json:"version" db:"version"`
}

// Find reads the draft of a role; nil: it has none.
func Find(ctx context.Context, tx *pg.Tx, r role.Role) (*RoleDraft, error) {
	const sql = `
		select d.role_id, d.base_version, d.proposed, d.content, d.changed_by, d.created_at, d.updated_at, d.version
		  from role_draft d
		 where d.role_id = $1`
	d, err := pg.One[RoleDraft](ctx, tx, "find draft of role", sql, r.ID)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	d.Content.Lifecycle = r.Lifecycle
	d.Changes, err = Differences(r.RoleFields, d.Content)
	return &d, err
}

// Draft gives the draft of a role. One without is a fault of kind NotFound.
func (s *Service) Draft(ctx context.Context, v viewer.Viewer, id string) (out RoleDraft, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := role.Seen(ctx, tx, v, id, "")
		if err != nil {
			return err
		}
		d, err := Find(ctx, tx, r)
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
		r, err := Lock(ctx, tx, id, httpapi.IfMatch{})
		if err != nil {
			return err
		}
		if !Gives(r.RoleFields) {
			return fault.Coded(fault.Conflict, "invalid_transition", "only a role in use has a draft; this one is "+
				"%s: change the role itself", r.Lifecycle).
				Also("allowed", []string{})
		}
		before, err := Find(ctx, tx, r)
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
		if err := checked(ctx, tx, r, content); err != nil {
			return err
		}
		out, err = Put(ctx, tx, r, from, content)
		return err
	})
	return out, err
}

// Put writes the draft of a role, based on the version from. It cancels a proposal of the draft that waits for a
// decision, and audits role.draft_changed. The caller has checked the content.
func Put(
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
	if err := pg.Exec(
		ctx,
		tx,
		"write draft of role",
		sql,
		pgx.NamedArgs{"role": r.ID, "content": content, "base": from, "by": By(tx)},
	); err != nil {
		return RoleDraft{}, err
	}
	if _, err := decision.Close(
		ctx,
		tx,
		ProposalKind,
		[]string{r.ID},
		decision.Superseded,
		"the draft was changed",
	); err != nil {
		return RoleDraft{}, err
	}
	d, err := Find(ctx, tx, r)
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
		audit.Entry{Action: "role.draft_changed", Subject: Subject(r), Context: map[string]any{"fields": fields}},
	)
}

// DropDraft throws the draft of a role away.
func (s *Service) DropDraft(ctx context.Context, v viewer.Viewer, id string) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := Lock(ctx, tx, id, httpapi.IfMatch{})
		if err != nil {
			return err
		}
		dropped, err := Remove(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if !dropped {
			return fault.New(fault.NotFound, "the role %s has no draft", r.Name)
		}
		if _, err := decision.Close(
			ctx,
			tx,
			ProposalKind,
			[]string{r.ID},
			decision.Cancelled,
			"the draft was dropped",
		); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "role.draft_dropped", Subject: Subject(r)})
	})
}

// Remove deletes the draft of a role, and reports whether there was one.
func Remove(ctx context.Context, tx *pg.Tx, roleID string) (bool, error) {
	done, err := tx.Exec(ctx, `delete from role_draft where role_id = $1`, roleID)
	if err != nil {
		return false, fmt.Errorf("drop draft of role: %w", err)
	}
	return done.RowsAffected() > 0, nil
}
