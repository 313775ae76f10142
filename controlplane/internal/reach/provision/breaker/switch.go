package breaker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Switch says whether anything is written to the tenant's targets at all.
type Switch struct {
	// True if changes are sent to the target systems of the tenant; false if all writing is switched off.
	Writes bool `json:"writes"`
	// Reason given for the last change of the switch; null if there is none.
	Reason *string `json:"reason"`
	// User or service token that last changed the switch, with type, id and display; null if it was never changed.
	ChangedBy json.RawMessage `json:"changed_by"`
	// Time the switch was last changed; null if it was never changed.
	ChangedAt *time.Time `json:"changed_at"`
	// Version number of the switch, for the If-Match header. It is 0 until the first change.
	Version int `json:"version"`
}

// SwitchSettings switches writing off or on.
type SwitchSettings struct {
	// True to send changes again; false to send nothing to any target system of the tenant.
	Writes bool `json:"writes"`
	// Why; needed to switch it off. It is shown at every task that waits, and goes into the audit log.
	Reason string `json:"reason,omitempty" maxLength:"2000"`
}

// switchOut is the switch with its version as ETag.
type switchOut = httpapi.One[Switch]

// findSwitch reads the tenant's switch. A tenant without a row writes: the row comes with the first
// change. locking is empty or "for update".
func findSwitch(ctx context.Context, tx *pg.Tx, locking string) (s Switch, err error) {
	sql := `select writes, reason, changed_by, changed_at,
		version from provisioning_switch where tenant_id = current_tenant() ` + locking
	err = tx.QueryRow(ctx, sql).Scan(&s.Writes, &s.Reason, &s.ChangedBy, &s.ChangedAt, &s.Version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Switch{Writes: true, ChangedBy: json.RawMessage(`null`)}, nil
	case err != nil:
		return s, fmt.Errorf("read the switch: %w", err)
	}
	return s, nil
}

// readSwitch is GET of the switch.
func (s *Service) readSwitch(ctx context.Context, v viewer.Viewer, _ *struct{}) (out *switchOut, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := findSwitch(ctx, tx, "")
		out = &switchOut{ETag: httpapi.ETag(found.Version), Body: found}
		return err
	})
	return out, err
}

// putSwitchIn is the input of putSwitch.
type putSwitchIn struct {
	httpapi.IfMatch
	Body SwitchSettings
}

// putSwitch turns all writing of a tenant off or on. Turning it off needs a reason. The row is
// locked from the check of If-Match until the end, so that two administrators cannot overwrite each
// other's decision. Setting what is set already changes nothing and writes no audit entry.
func (s *Service) putSwitch(ctx context.Context, v viewer.Viewer, in *putSwitchIn) (out *switchOut, err error) {
	if !in.Body.Writes && in.Body.Reason == "" {
		const detail = "give a reason: it is shown wherever tasks wait"
		return nil, fault.New(fault.Invalid, detail).
			With(fault.Field{Pointer: "#/reason", Code: "required", Detail: detail})
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := findSwitch(ctx, tx, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(before.Version); err != nil {
			return err
		}
		if before.Writes != in.Body.Writes || task.TextOf(before.Reason) != in.Body.Reason {
			if err := flip(ctx, tx, before, in.Body); err != nil {
				return err
			}
		}
		after, err := findSwitch(ctx, tx, "")
		out = &switchOut{ETag: httpapi.ETag(after.Version), Body: after}
		return err
	})
	return out, err
}

// flip stores the switch, wakes all lanes of the tenant when it is turned on, and records who did
// it.
func flip(ctx context.Context, tx *pg.Tx, before Switch, to SwitchSettings) error {
	const sql = `
		insert into provisioning_switch as s (tenant_id, writes, reason, changed_by)
		values (current_tenant(), $1, nullif($2, ''), $3)
		    on conflict (tenant_id) do update
		   set writes = excluded.writes, reason = excluded.reason, changed_by = excluded.changed_by, changed_at = now(),
		       version = s.version + 1`
	if err := pg.Exec(ctx, tx, "write the switch", sql, to.Writes, to.Reason, taskstore.Maker(tx)); err != nil {
		return err
	}
	if to.Writes {
		if err := wakeLanes(ctx, tx, ""); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: "provisioning.switched",
		Reason: to.Reason,
		Subject: audit.Subject{
			Type: "tenant",
			ID:   tx.Viewer.Tenant,
		},
		Changes: []audit.Change{{Field: "writes", From: before.Writes, To: to.Writes}},
	})
}
