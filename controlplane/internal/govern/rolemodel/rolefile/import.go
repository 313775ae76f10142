package rolefile

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/draft"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RoleImport is what came of an import, or would.
type RoleImport struct {
	// Whether the import was a dry run, which changes nothing.
	DryRun bool `json:"dry_run"`
	// In the order in which they are written: what is nested first.
	Roles []RoleImportLine `json:"roles" nullable:"false"`
	// Keys of roles of an earlier file that this file does not contain. They stay.
	Untouched []string `json:"untouched" nullable:"false"`
	// Access that the import adds and ends. Roles that are only drafted do not count.
	Impact impact.PolicyImpact `json:"impact"`
}

// RoleImportLine is what becomes of one role of a file.
type RoleImportLine struct {
	// Key of the role in the file.
	Key string `json:"key"`
	// The position in the file.
	Line int `json:"line"`
	// Result for the role. A drafted role has a high or critical risk, so another person must approve its publication.
	Action string `json:"action" enum:"created,updated,unchanged,drafted"`
	// ID of the role. Null in a dry run for a role that would be created.
	RoleID *string `json:"role_id"`
	// Fields of the role that the import changes.
	Changes []draft.RoleChange `json:"changes" nullable:"false"`
}

// incoming is a role of a file on its way.
type incoming struct {
	fileRole
	before *role.Role // nil: it is to be made
	// after are the fields to write; risky says that they need approval first.
	after  role.RoleFields
	risky  bool
	planID string // of one that is to be made: the same in every plan, since the confirmation refers to ids
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
		effect, err := s.planImport(ctx, tx, roles, existing)
		if err != nil {
			return err
		}
		if !dry {
			if err := effect.Confirmed(confirm); err != nil {
				return err
			}
		}
		return s.finishImport(ctx, tx, roles, effect, dry, &out)
	})
	return out, err
}

// finishImport writes the roles after the plan was confirmed, or lists what would be written, and
// records the import. Nothing is written if one role cannot be.
func (s *Service) finishImport(
	ctx context.Context,
	tx *pg.Tx,
	roles []*incoming,
	effect impact.PolicyImpact,
	dry bool,
	out *RoleImport,
) error {
	*out = RoleImport{DryRun: dry, Roles: []RoleImportLine{}, Impact: effect}
	var bad problems
	for _, i := range roles {
		i.planID = ""
	}
	written, err := writeAll(ctx, tx, roles, &bad, !dry)
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
func (s *Service) planImport(
	ctx context.Context,
	tx *pg.Tx,
	roles []*incoming,
	existing []string,
) (impact.PolicyImpact, error) {
	var bad problems
	effect, err := s.Plan(ctx, tx, existing, func(tx *pg.Tx) (ids []string, err error) {
		written, err := writeAll(ctx, tx, roles, &bad, true)
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
	return effect, err
}

// agreement reports whether another person has to approve what the role becomes.
func (i *incoming) agreement(now role.Role) (bool, error) {
	before, risk := role.RoleFields{Lifecycle: role.Draft}, ""
	if i.before != nil {
		before, risk = i.before.RoleFields, i.before.EffectiveRiskLevel
	}
	if !role.Risky(risk) && !role.Risky(now.EffectiveRiskLevel) {
		return false, nil
	}
	return draft.Touches(before, i.after)
}
