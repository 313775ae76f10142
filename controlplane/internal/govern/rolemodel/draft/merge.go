package draft

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// checked holds a draft against what there is, as publishing it would.
func checked(ctx context.Context, tx *pg.Tx, r role.Role, content role.RoleFields) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return fmt.Errorf("check draft of role: %w", err)
	}
	defer func() { _ = inner.Rollback(context.WithoutCancel(ctx)) }()
	_, err = role.Update(ctx, &pg.Tx{Tx: inner, Viewer: tx.Viewer}, r.ID, content)
	return err
}

// Merge is what the role becomes by its draft: what the draft has changed, applied to the current role. A field that
// both have changed since the draft was based on it is a fault of kind Conflict with the code draft_outdated.
func Merge(ctx context.Context, tx *pg.Tx, roles *role.Service, r role.Role, d RoleDraft) (role.RoleFields, error) {
	if d.BaseVersion == r.Version {
		return d.Content, nil
	}
	base, err := findVersion(ctx, tx, r.ID, d.BaseVersion)
	if err != nil {
		return d.Content, err
	}
	base.Content.Lifecycle, d.Content.Lifecycle = r.Lifecycle, r.Lifecycle
	mine, err := audit.Diff(base.Content, d.Content)
	if err != nil {
		return d.Content, err
	}
	theirs, err := audit.Diff(base.Content, r.RoleFields)
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
	return roles.Merge(r.RoleFields, body)
}
