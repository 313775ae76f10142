package directory

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// recordIdentity puts what was done to somebody on record, and tells those who listen.
func recordIdentity(ctx context.Context, tx *pg.Tx, action string, i Identity, changes []audit.Change) error {
	return recordEntry(ctx, tx, audit.Entry{Action: action, Changes: changes}, i)
}

// recordEntry is recordIdentity with more to say.
func recordEntry(ctx context.Context, tx *pg.Tx, e audit.Entry, i Identity) error {
	if err := tell(ctx, tx, e.Action, i, e.Changes); err != nil {
		return err
	}
	e.Subject = audit.Subject{Type: "identity", ID: i.ID, Display: i.DisplayName}
	return audit.Record(ctx, tx, e)
}

// tell publishes what the audit log is told. Whoever is archived without having been deactivated before leaves by that.
func tell(ctx context.Context, tx *pg.Tx, action string, i Identity, changes []audit.Change) error {
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
		e.Changed = different(changes)
	}
	return event.Publish(ctx, tx, e)
}

func wasDisabled(changes []audit.Change) bool {
	return slices.ContainsFunc(changes, func(c audit.Change) bool { return c.Field == "status" && c.From == Deactivated })
}

// different names the fields whose values differ.
func different(changes []audit.Change) []string {
	names := []string{}
	for _, c := range changes {
		if from, to := said(c.From), said(c.To); from == nil || from != to {
			names = append(names, c.Field)
		}
	}
	return names
}

// said is a value that can be compared: the text behind a pointer, or nil for what is no text.
func said(v any) any {
	switch v := v.(type) {
	case string:
		return v
	case *string:
		return text(v)
	}
	return nil
}

// tellFollowers publishes whose manager somebody has become in this transaction, because they had waited for this person.
func tellFollowers(ctx context.Context, tx *pg.Tx, managerID string) error {
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

func recordAccount(ctx context.Context, tx *pg.Tx, action string, a Account, changes []audit.Change) error {
	name := a.ExternalID
	if text(a.Username) != "" {
		name = *a.Username
	}
	return audit.Record(ctx, tx, audit.Entry{Action: action, Changes: changes,
		Subject: audit.Subject{Type: "account", ID: a.ID, Display: name}})
}
