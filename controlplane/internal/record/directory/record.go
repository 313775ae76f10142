package directory

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

func recordIdentity(ctx context.Context, tx *pg.Tx, action string, i Identity, changes []audit.Change) error {
	return audit.Record(ctx, tx, audit.Entry{Action: action, Changes: changes,
		Subject: audit.Subject{Type: "identity", ID: i.ID, Display: i.DisplayName}})
}

func recordAccount(ctx context.Context, tx *pg.Tx, action string, a Account, changes []audit.Change) error {
	name := a.ExternalID
	if text(a.Username) != "" {
		name = *a.Username
	}
	return audit.Record(ctx, tx, audit.Entry{Action: action, Changes: changes,
		Subject: audit.Subject{Type: "account", ID: a.ID, Display: name}})
}
