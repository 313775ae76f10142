package rolefile

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/draft"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// writeAll writes the roles of a file, and returns the outcome of each. Without doing, it only returns it.
func writeAll(
	ctx context.Context,
	tx *pg.Tx,
	roles []*incoming,
	bad *problems,
	doing bool,
) ([]RoleImportLine, error) {
	ids := map[string]string{}
	var out []RoleImportLine
	for _, i := range roles {
		line, err := writeOne(ctx, tx, i, ids, doing)
		if f := (*fault.Fault)(nil); err != nil && errors.As(err, &f) {
			detail := f.Message
			if len(f.Fields) > 0 {
				detail = strings.TrimPrefix(f.Fields[0].Pointer, "#/") + ": " + f.Fields[0].Detail
			}
			bad.add(i.line, f.Code, "%s: %s", i.Key, detail)
			return out, nil // what comes later may hang on it
		}
		if err != nil {
			return nil, err
		}
		if line.RoleID != nil {
			ids[i.Key] = *line.RoleID
		}
		out = append(out, line)
	}
	return out, nil
}

// writeOne writes a role, or says what would be written. made are the roles that the import has
// created so far, by key, which a role may nest. A new role that is risky becomes a draft.
func writeOne(
	ctx context.Context,
	tx *pg.Tx,
	i *incoming,
	made map[string]string,
	doing bool,
) (line RoleImportLine, err error) {
	line = RoleImportLine{Key: i.Key, Line: i.line, Action: "created", Changes: []draft.RoleChange{}}
	after := i.after
	for _, key := range i.ChildRoles {
		if id, new := made[key]; new && !slices.Contains(after.ChildRoleIDs, id) {
			after.ChildRoleIDs = append(slices.Clone(after.ChildRoleIDs), id)
		}
	}
	before := role.RoleFields{}
	if i.before != nil {
		before, line.RoleID = i.before.RoleFields, &i.before.ID
	}
	slices.Sort(after.ChildRoleIDs)
	if line.Changes, err = draft.Differences(before, after); err != nil {
		return line, err
	}
	switch {
	case i.before == nil && i.risky:
		line.Action, after.Lifecycle = "drafted", role.Draft
	case i.before == nil:
	case len(line.Changes) == 0:
		line.Action = "unchanged"
	case i.risky:
		line.Action = "drafted"
	default:
		line.Action = "updated"
	}
	if !doing {
		return line, nil
	}
	return line, putRole(ctx, tx, i, after, &line)
}

// putRole writes a role of a file, as its line of the report says.
func putRole(ctx context.Context, tx *pg.Tx, i *incoming, after role.RoleFields, line *RoleImportLine) error {
	switch {
	case i.before == nil:
		made, err := role.Create(
			ctx,
			tx,
			role.New{
				ID:         i.planID,
				Key:        i.Key,
				ManagedBy:  role.ByCode,
				Origin:     map[string]any{"kind": "file"},
				RoleFields: after,
			},
		)
		line.RoleID = &made.ID
		return err
	case line.Action == "drafted" && draft.Gives(i.before.RoleFields):
		after.Lifecycle = i.before.Lifecycle
		if _, err := draft.Put(ctx, tx, *i.before, i.before.Version, after); err != nil {
			return err
		}
	case line.Action == "drafted":
		after.Lifecycle = role.Draft
		fallthrough
	case line.Action == "updated":
		if _, err := role.Update(ctx, tx, i.before.ID, after); err != nil {
			return err
		}
	}
	return pg.Exec(
		ctx,
		tx,
		"note that a role is managed by code",
		`update role set managed_by = 'code' where id = $1 and managed_by <> 'code'`,
		i.before.ID,
	)
}

// untouched are the keys of roles that a file has said and this one does not.
func untouched(ctx context.Context, tx *pg.Tx, roles []*incoming) ([]string, error) {
	const sql = `
		select r.key
		  from role r
		 where r.managed_by = 'code'
		   and r.lifecycle <> 'retired'
		   and r.key <> all(@keys)
		 order by r.key`
	keys := []string{}
	for _, i := range roles {
		keys = append(keys, i.Key)
	}
	rest, err := pg.All[string](ctx, tx, "find roles of earlier files", sql, pgx.NamedArgs{"keys": keys})
	if err != nil {
		return nil, err
	}
	return append([]string{}, rest...), nil
}
