package lookup

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Person is the recipient of a request.
type Person struct {
	ID         string `db:"id"`
	Display    string `db:"display_name"`
	Status     string `db:"status"`
	Department string `db:"department"`
	Title      string `db:"title"`
	// Report says that the person reports to the viewer.
	Report  bool `db:"report"`
	Waiting int  `db:"waiting"` // open requests for them
}

// People returns the people of these ids that the viewer may read, by id.
func People(ctx context.Context, tx *pg.Tx, ids []string) (map[string]*Person, error) {
	sql := `
		select i.id::text, i.display_name, i.status, coalesce(i.department, '') as department,
		       coalesce(i.title, '') as title, exists (select from managed_identity() m where m.id = i.id) as report,
		       (select count(*) from access_request q
		         where q.requested_for = i.id and q.status in ('submitted', 'pending_approval',
		             'blocked'))::int as waiting
		  from ` + listing.Readable(tx.Viewer, "identity", "i") + `
		 where i.id = any(@ids::text[]::uuid[])`
	found, err := pg.AllBy(ctx, tx, "find people", pgx.RowToAddrOfStructByName[Person], sql, pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, err
	}
	known := map[string]*Person{}
	for _, p := range found {
		known[p.ID] = p
	}
	return known, nil
}

// CountOpen returns the number of open requests that the viewer has made.
func CountOpen(ctx context.Context, tx *pg.Tx) (n int, err error) {
	const sql = `
		select count(*)
		  from access_request q
		 where q.requester_actor = nullif($1, '')::uuid
		   and q.status in ('submitted', 'pending_approval', 'blocked')`
	if err := tx.QueryRow(ctx, sql, tx.Viewer.ID).Scan(&n); err != nil {
		return 0, fmt.Errorf("count open requests: %w", err)
	}
	return n, nil
}

// Names returns the names of people, by id.
func Names(ctx context.Context, tx *pg.Tx, ids []string) (map[string]string, error) {
	names := map[string]string{}
	var id, name string
	err := pg.Each(ctx, tx, "name people", []any{&id, &name}, func() error { names[id] = name; return nil },
		`select i.id::text, i.display_name from identity i where i.id = any($1::text[]::uuid[])`, ids)
	return names, err
}

// Approvers returns those of the people who can decide.
func Approvers(ctx context.Context, tx *pg.Tx, chosen []string) ([]string, error) {
	const sql = `
		select i.id::text
		  from identity i
		 where i.id = any($1::text[]::uuid[])
		   and unable_to_decide(i.id) not in ('left', 'not_a_person')`
	return pg.All[string](ctx, tx, "find chosen approvers", sql, chosen)
}
