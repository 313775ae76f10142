package connector

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// Opened is a connector ready to be called. Auth holds secrets: keep it only as long as the call.
type Opened struct {
	ID, BusinessID, Name, Type, Purpose, Status string
	Target                                      dispatch.Target
	Auth                                        v1.AuthConfig // connection and credentials together

	// Offers are the changes that the target was seen to offer in the last successful test of these settings; empty: it
	// did not show them.
	Offers []v1.ProvisionOp
}

// Able leaves out of what the connector's type and settings can change what its target does not offer.
func (o Opened) Able(can connectorkit.Writes) connectorkit.Writes {
	if len(o.Offers) == 0 {
		return can
	}
	var missing []string
	ops := can.Ops
	can.Ops = nil
	for _, op := range ops {
		if slices.Contains(o.Offers, op) {
			can.Ops = append(can.Ops, op)
		} else {
			missing = append(missing, string(op))
		}
	}
	if len(missing) > 0 {
		why := "The last connection test showed that the target does not offer " + strings.Join(
			missing,
			", ",
		) + "; see its warnings."
		can.Why = strings.TrimSpace(can.Why + " " + why)
	}
	return can
}

// String says which connector it is, without its settings.
func (o Opened) String() string { return "connector " + o.BusinessID + " (" + o.ID + ")" }

// GoString is String, so that no verb prints the settings.
func (o Opened) GoString() string { return o.String() }

// LogValue is String, so that no log shows the settings.
func (o Opened) LogValue() slog.Value { return slog.StringValue(o.String()) }

// Open reads a connector with its secrets, to call its target. It returns a fault of kind NotFound when there is none,
// or no longer, and of kind Conflict when it is a draft that lacks settings.
func (s *Service) Open(ctx context.Context, tx *pg.Tx, id string) (Opened, error) {
	r, err := read(ctx, tx, id, "")
	if err != nil {
		return Opened{}, err
	}
	secrets, err := s.unseal(ctx, tx, r)
	if err != nil {
		return Opened{}, err
	}
	o := r.open(tx.Viewer.Tenant, secrets)
	o.Offers = r.offers()
	return o, r.callable(secrets)
}

// offers are the changes that a test of the present settings has seen the target offer.
func (r row) offers() []v1.ProvisionOp {
	if r.Tested == nil || r.Tested.Digest != r.digest() {
		return nil
	}
	return r.Tested.Operations
}

func (r row) open(tenant string, secrets map[string]any) Opened {
	engine, auth := catalog.Resolve(r.key(), together(r.Connection, secrets))
	target := dispatch.Target{
		Tenant:      tenant,
		ConnectorID: r.ID,
		Type:        engine,
		Mode:        r.Mode,
		AgentID:     text(r.AgentID),
		AgentGroup:  text(r.AgentGroup),
	}
	return Opened{
		ID: r.ID, BusinessID: r.BusinessID, Name: r.Name, Type: r.Type, Purpose: r.Purpose, Status: r.Status,
		Target: target, Auth: auth,
	}
}

// key is that of the catalog's entry which describes the connector.
func (c Connector) key() string { return catalog.KeyOf(c.Type, text(c.VendorKey)) }

// resolved are the settings that may be shown, as the connector code gets them.
func (c Connector) resolved() map[string]any {
	_, settings := catalog.Resolve(c.key(), c.Connection)
	return settings
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// failuresBeforeDegraded is how many runs must fail, one after the other, before the connector counts as degraded
// (three, as the life of a connector has it).
const failuresBeforeDegraded = 3

// Synced notes how a run ended; reason says why it failed. The first success makes the connector active and connected,
// three failures in a row make it degraded, and the next success makes it active again; see quarantine for a target
// that refuses the sign-in. States that a person chose stay.
func Synced(ctx context.Context, tx *pg.Tx, id, runID string, success bool, reason string) error {
	if success {
		return succeeded(ctx, tx, id, runID)
	}
	return failed(ctx, tx, id, runID, reason)
}

// The version counts what a person would have to look at again: a change of state does, one more run does not.
func succeeded(ctx context.Context, tx *pg.Tx, id, runID string) error {
	const sql = `
		update connector
		   set status = case when status in ('draft', 'ready', 'degraded') then 'active' else status end,
		       status_reason = case when status in ('draft', 'ready', 'active', 'degraded') then null
		       else status_reason end, funnel_state = 'connected', last_run_id = $2, last_success_at = now(),
		       updated_at = now(), version = version + case when status in ('draft', 'ready', 'degraded')
		           or funnel_state <> 'connected' then 1 else 0 end
		 where id = $1`
	if _, err := tx.Exec(ctx, sql, id, runID); err != nil {
		return fmt.Errorf("note successful run: %w", err)
	}
	return nil
}

func failed(ctx context.Context, tx *pg.Tx, id, runID, reason string) error {
	if err := quarantine(ctx, tx, id, runID, reason); err != nil {
		return err
	}
	// Previews, and runs that somebody ended, say nothing about the target.
	const sql = `
		with before as (
			select r.status
			  from sync_run r
			 where r.connector_id = $1 and r.id <> $2
			   and r.purpose = 'apply'
			   and r.status in ('succeeded', 'partial', 'failed', 'expired')
			 order by r.created_at desc, r.id desc
			 limit $3),
		verdict as (
			select c.id, c.status in ('draft', 'ready', 'active')
			       and (select count(*) from before where status in ('failed', 'expired')) = $3 as degrades
			  from connector c
			 where c.id = $1)
		update connector c
		   set last_run_id = $2, updated_at = now(),
		       status = case when v.degrades then $4 else c.status end,
		       status_reason = case when v.degrades or c.status = $4 then $5 else c.status_reason end,
		       version = c.version + case when v.degrades then 1 else 0 end
		  from verdict v
		 where c.id = v.id`
	why := fmt.Sprintf("%d runs have failed, one after the other", failuresBeforeDegraded)
	if reason != "" {
		why += "; the last one: " + reason
	}
	if _, err := tx.Exec(ctx, sql, id, runID, failuresBeforeDegraded-1, statusDegraded, why); err != nil {
		return fmt.Errorf("note failed run: %w", err)
	}
	return nil
}
