package rolemodel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RoleImport is what came of an import, or would.
type RoleImport struct {
	DryRun    bool             `json:"dry_run"`
	Roles     []RoleImportLine `json:"roles" nullable:"false" doc:"In the order in which they are written: what is nested first."`
	Untouched []string         `json:"untouched" nullable:"false" doc:"Keys of roles of an earlier file that this file does not contain. They stay."`
	Impact    Impact           `json:"impact"`
}

// RoleImportLine is what becomes of one role of a file.
type RoleImportLine struct {
	Key     string       `json:"key"`
	Line    int          `json:"line" doc:"The position in the file."`
	Action  string       `json:"action" enum:"created,updated,unchanged,drafted" doc:"drafted: its risk is high or critical, so another person has to approve the publication."`
	RoleID  *string      `json:"role_id" doc:"null in a dry run for one that is to be made."`
	Changes []RoleChange `json:"changes" nullable:"false"`
}

// incoming is a role of a file on its way.
type incoming struct {
	fileRole
	before *role.Role // nil: it is to be made
	after  role.RoleFields
	risky  bool
	planID string // of one that is to be made: the same in every plan, since what is confirmed is told by ids
}

// Import makes the roles of a file, or makes them what it says: all of them or none.
func (s *Service) Import(
	ctx context.Context,
	v viewer.Viewer,
	text, confirm string,
	dry bool,
) (out RoleImport, err error) {
	f, err := readFile(text)
	if err != nil {
		return out, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		roles, existing, err := s.resolve(ctx, tx, f)
		if err != nil {
			return err
		}
		// Once to see which are risky, once to see what comes of the others.
		if _, err := s.planImport(ctx, tx, roles, existing); err != nil {
			return err
		}
		impact, err := s.planImport(ctx, tx, roles, existing)
		if err != nil {
			return err
		}
		if !dry {
			if err := impact.Confirmed(confirm); err != nil {
				return err
			}
		}
		return s.finishImport(ctx, tx, roles, impact, dry, &out)
	})
	return out, err
}

func (s *Service) finishImport(
	ctx context.Context,
	tx *pg.Tx,
	roles []*incoming,
	impact Impact,
	dry bool,
	out *RoleImport,
) error {
	*out = RoleImport{DryRun: dry, Roles: []RoleImportLine{}, Impact: impact}
	var bad problems
	for _, i := range roles {
		i.planID = ""
	}
	written, err := s.writeAll(ctx, tx, roles, &bad, !dry)
	if err != nil {
		return err
	}
	out.Roles = written
	if err := bad.fault(); err != nil {
		return err
	}
	if out.Untouched, err = untouched(ctx, tx, roles); err != nil {
		return err
	}
	counts := map[string]any{"dry_run": dry}
	for _, l := range out.Roles {
		n, _ := counts[l.Action].(int)
		counts[l.Action] = n + 1
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "role.imported",
			Subject: audit.Subject{Type: "tenant", ID: tx.Viewer.Tenant},
			Context: counts,
		},
	)
}

// planImport says what would come of writing all roles of a file, and notes which of them are risky.
func (s *Service) planImport(ctx context.Context, tx *pg.Tx, roles []*incoming, existing []string) (Impact, error) {
	var bad problems
	impact, err := s.Policies.PlanRoles(ctx, tx, existing, func(tx *pg.Tx) (ids []string, err error) {
		written, err := s.writeAll(ctx, tx, roles, &bad, true)
		for i, l := range written {
			if l.RoleID == nil {
				continue
			}
			ids = append(ids, *l.RoleID)
			if roles[i].risky {
				continue
			}
			now, err := role.Find(ctx, tx, *l.RoleID)
			if err != nil {
				return nil, err
			}
			if roles[i].risky, err = roles[i].agreement(now); err != nil {
				return nil, err
			}
		}
		if err == nil {
			err = bad.fault()
		}
		return ids, err
	}, nil)
	return impact, err
}

// agreement says whether somebody else has to agree to what the role becomes.
func (i *incoming) agreement(now role.Role) (bool, error) {
	before, risk := role.RoleFields{Lifecycle: role.Draft}, ""
	if i.before != nil {
		before, risk = i.before.RoleFields, i.before.EffectiveRiskLevel
	}
	if !role.Risky(risk) && !role.Risky(now.EffectiveRiskLevel) {
		return false, nil
	}
	return touches(before, i.after)
}

// writeAll writes the roles of a file, and tells what became of each. Without doing it only tells.
func (s *Service) writeAll(
	ctx context.Context,
	tx *pg.Tx,
	roles []*incoming,
	bad *problems,
	doing bool,
) ([]RoleImportLine, error) {
	ids := map[string]string{}
	var out []RoleImportLine
	for _, i := range roles {
		line, err := s.writeOne(ctx, tx, i, ids, doing)
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

func (s *Service) writeOne(
	ctx context.Context,
	tx *pg.Tx,
	i *incoming,
	made map[string]string,
	doing bool,
) (line RoleImportLine, err error) {
	line = RoleImportLine{Key: i.Key, Line: i.line, Action: "created", Changes: []RoleChange{}}
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
	if line.Changes, err = differences(before, after); err != nil {
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
	return line, s.put(ctx, tx, i, after, &line)
}

// put writes a role of a file as its line says.
func (s *Service) put(ctx context.Context, tx *pg.Tx, i *incoming, after role.RoleFields, line *RoleImportLine) error {
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
	case line.Action == "drafted" && gives(i.before.RoleFields):
		after.Lifecycle = i.before.Lifecycle
		if _, err := s.putDraft(ctx, tx, *i.before, i.before.Version, after); err != nil {
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
	if _, err := tx.Exec(
		ctx,
		`update role set managed_by = 'code' where id = $1 and managed_by <> 'code'`,
		i.before.ID,
	); err != nil {
		return fmt.Errorf("note that a role is managed by code: %w", err)
	}
	return nil
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
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"keys": keys})
	if err != nil {
		return nil, fmt.Errorf("find roles of earlier files: %w", err)
	}
	rest, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find roles of earlier files: %w", err)
	}
	return append([]string{}, rest...), nil
}
