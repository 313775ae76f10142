package username

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Names knows which names of a connector's accounts are no longer free: those of all accounts that it has, has had, or
// is to get.
type Names struct {
	ctx     context.Context
	tx      *pg.Tx
	id      string
	known   map[string]bool
	failure error
}

// NewNames knows no name of the connector yet. It asks within tx.
func NewNames(ctx context.Context, tx *pg.Tx, connectorID string) *Names {
	return &Names{ctx: ctx, tx: tx, id: connectorID, known: map[string]bool{}}
}

// Look asks which of these names are taken.
func (n *Names) Look(names []string) error {
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return nil
	}
	// Accounts that are gone keep their names for as long as their rows stay: nobody inherits what was said of somebody
	// else. What is only simulated takes no name.
	const sql = `
		select a.username_lc
		  from account a
		 where a.tenant_id = current_tenant()
		   and a.connector_id = $1
		   and a.username_lc = any($2)
		 union
		select lower(t.payload -> 'account' ->> 'username')
		  from provisioning_task t
		 where t.tenant_id = current_tenant()
		   and t.connector_id = $1
		   and t.operation in ('create_account', 'rename_account')
		   and t.mode <> 'simulate'
		   and t.state in ('queued', 'blocked', 'running', 'verifying', 'retrying', 'failed', 'manual')
		   and lower(t.payload -> 'account' ->> 'username') = any($2)`
	rows, err := n.tx.Query(n.ctx, sql, n.id, names)
	if err != nil {
		return fmt.Errorf("look up names: %w", err)
	}
	taken, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look up names: %w", err)
	}
	for _, name := range names {
		n.known[name] = false
	}
	for _, name := range taken {
		n.known[name] = true
	}
	return nil
}

// Taken reports whether a name, in any case, is no longer free. After a failure every name is free; see Err.
func (n *Names) Taken(name string) bool {
	name = strings.ToLower(name)
	if taken, known := n.known[name]; known || n.failure != nil {
		return taken
	}
	n.failure = n.Look([]string{name})
	return n.known[name]
}

// Take gives a name away.
func (n *Names) Take(name string) { n.known[strings.ToLower(name)] = true }

// Err is why a name could not be looked up.
func (n *Names) Err() error { return n.failure }
