package shape

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// ahead is how many names of a person are looked up at once.
const ahead = 8

// Names knows which names of a connector's accounts are no longer free: those of all accounts that it has, has had, or
// is to get.
type Names struct {
	ctx     context.Context
	tx      *pg.Tx
	id      string
	known   map[string]bool
	failure error
}

// NamesFor looks up in one question the names that the template can give these people first. Whatever else is asked is
// looked up when it is. Of two transactions that give names of one connector, the second waits for the first.
func NamesFor(ctx context.Context, tx *pg.Tx, c Config, people []identity.Facts) (*Names, error) {
	const alone = `select pg_advisory_xact_lock(hashtextextended('username|' || $1::text, 0))`
	if _, err := tx.Exec(ctx, alone, c.ConnectorID); err != nil {
		return nil, fmt.Errorf("wait for other names: %w", err)
	}
	n := &Names{ctx: ctx, tx: tx, id: c.ConnectorID, known: map[string]bool{}}
	p, err := c.ready()
	if err != nil {
		return nil, err
	}
	var first []string
	for _, f := range people {
		name := &field{target: memberUsername, required: true}
		if c.evaluate(name, p.username, f, pyexpr.NewRecord(f), nil); name.problem != nil {
			continue
		}
		stem, problem := c.stem(p, name.value.(string))
		if problem != nil {
			continue
		}
		tried := 0
		for candidate := range c.Template.Username.Unique.names(stem) {
			first = append(first, strings.ToLower(candidate))
			if tried++; tried == ahead {
				break
			}
		}
	}
	return n, n.look(first)
}

// look asks which of these names are taken.
func (n *Names) look(names []string) error {
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

// Taken tells whether a name, in any case, is no longer free. After a failure every name is free; see Err.
func (n *Names) Taken(name string) bool {
	name = strings.ToLower(name)
	if taken, known := n.known[name]; known || n.failure != nil {
		return taken
	}
	n.failure = n.look([]string{name})
	return n.known[name]
}

// Take gives a name away.
func (n *Names) Take(name string) { n.known[strings.ToLower(name)] = true }

// Err is why a name could not be looked up.
func (n *Names) Err() error { return n.failure }
