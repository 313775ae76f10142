package identity

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// ActionOf is the audit action, and the event, of a change of state.
func ActionOf(from, to string) string {
	if to == rules.Deactivated && from != rules.Deactivated {
		return "identity.deactivated"
	}
	return "identity.updated"
}

// Record audits a change of an identity and publishes its event.
func Record(ctx context.Context, tx *pg.Tx, action string, i Identity, changes []audit.Change) error {
	return RecordEntry(ctx, tx, audit.Entry{Action: action, Changes: changes}, i)
}

// RecordEntry is Record with a complete audit entry.
func RecordEntry(ctx context.Context, tx *pg.Tx, e audit.Entry, i Identity) error {
	if err := Publish(ctx, tx, e.Action, i, e.Changes); err != nil {
		return err
	}
	e.Subject = audit.Subject{Type: "identity", ID: i.ID, Display: i.DisplayName}
	return audit.Record(ctx, tx, e)
}

// Publish publishes the event of an audit action. Archiving an identity that was not deactivated before is published
// as its deactivation.
func Publish(ctx context.Context, tx *pg.Tx, action string, i Identity, changes []audit.Change) error {
	kind := event.Kind(action)
	if action == "identity.archived" {
		kind = event.IdentityDeactivated
		if wasDisabled(changes) {
			kind = event.IdentityUpdated
		}
	}
	e := event.Event{Kind: kind, Resource: event.Resource{Type: "identity", ID: i.ID}, Version: i.Version,
		Data: map[string]any{"external_id": i.ExternalID, "kind": i.Kind, "status": i.Status}}
	if kind != event.IdentityCreated {
		e.Changed = ChangedFields(changes)
	}
	return event.Publish(ctx, tx, e)
}

// wasDisabled says whether the changes end a deactivation.
func wasDisabled(changes []audit.Change) bool {
	return slices.ContainsFunc(
		changes,
		func(c audit.Change) bool { return c.Field == "status" && c.From == rules.Deactivated },
	)
}

// ChangedFields names the fields whose values differ.
func ChangedFields(changes []audit.Change) []string {
	names := []string{}
	for _, c := range changes {
		if from, to := Comparable(c.From), Comparable(c.To); from == nil || from != to {
			names = append(names, c.Field)
		}
	}
	return names
}

// Comparable is a value that can be compared: the text behind a pointer, or nil for anything but text.
func Comparable(v any) any {
	switch v := v.(type) {
	case string:
		return v
	case *string:
		return Text(v)
	}
	return nil
}

// PublishReports publishes an event for each identity that got this manager in this transaction.
func PublishReports(ctx context.Context, tx *pg.Tx, managerID string) error {
	const followers = `
		select 'identity.updated', i.id, i.version, '{manager_id}'::text[],
		       jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.manager_id = @manager
		   and i.updated_at = now()
		   and i.id <> @manager`
	wanted, err := event.Wanted(ctx, tx, event.IdentityUpdated)
	if err != nil || !wanted {
		return err
	}
	_, err = event.PublishEach(ctx, tx, "identity", followers, pgx.NamedArgs{"manager": managerID})
	return err
}

// StatusChanges are the changes of state between two versions, for the audit log.
func StatusChanges(before, after Identity) []audit.Change {
	return []audit.Change{
		{Field: "status", From: before.Status, To: after.Status},
		{Field: "status_reason", From: before.StatusReason, To: after.StatusReason},
	}
}
