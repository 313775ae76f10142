package decisiontable

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/simulation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Service checks, exports and imports decision tables. All fields are needed.
type Service struct {
	DB          *pg.DB
	Simulations *simulation.Service
	Now         func() time.Time
}

// Check checks the table of a policy that is not saved.
func (s *Service) Check(
	ctx context.Context,
	v viewer.Viewer,
	f accesspolicy.Fields,
) (out DecisionTableCheck, err error) {
	if f.Table == nil {
		return out, fault.New(fault.Invalid, "There is no table to check.").
			With(fault.Field{Pointer: "#/table", Code: "required", Detail: "Send a decision table."})
	}
	if f.Name == "" {
		f.Name = "Check"
	}
	if _, err := f.Complete(); err != nil {
		return out, err
	}
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		out, err = run(ctx, tx, f, s.Now())
		return err
	})
	return out, err
}

// CheckStored checks the table of a policy that there is.
func (s *Service) CheckStored(ctx context.Context, v viewer.Viewer, id string) (out DecisionTableCheck, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		p, err := find(ctx, tx, id, "")
		if err != nil {
			return err
		}
		out, err = run(ctx, tx, p.Fields, s.Now())
		return err
	})
	return out, err
}

// find reads a policy with a decision table. Its fault is of kind NotFound.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (accesspolicy.AccessPolicy, error) {
	p, err := accesspolicy.Locked(ctx, tx, id, locking)
	if err == nil && p.Table == nil {
		err = fault.New(fault.NotFound, "Access grant policy %s has no decision table.", id)
	}
	return p, err
}

// Exported is a table as a file.
type exported struct {
	name   string
	table  *accesspolicy.DecisionTable
	called map[string]string
}

// Export reads a table for a file. version is an earlier one; 0: as it is now.
func (s *Service) Export(ctx context.Context, v viewer.Viewer, id string, version int) (out exported, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		p, err := find(ctx, tx, id, "")
		if err != nil {
			return err
		}
		if out.table, out.name = p.Table, p.Name; version > 0 {
			if out.table, err = accesspolicy.TableOfVersion(ctx, tx, id, version); err != nil {
				return err
			}
		}
		if out.called, err = calledBy(ctx, tx, out.table); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "policy.table_exported", Subject: p.AuditSubject(),
			Context: map[string]any{"rows": len(out.table.Rows)}})
	})
	return out, err
}
