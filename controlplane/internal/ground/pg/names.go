package pg

import "context"

// NameTaken reports whether another record of a table has a name, in whatever case. The table has the columns id, name
// and deleted_at; its name goes into the statement as it is. id is that of the record itself, or empty.
func NameTaken(ctx context.Context, tx *Tx, table, name, id string) (bool, error) {
	sql := `
		select exists (select
		                 from ` + table + ` x
		                where lower(x.name) = lower($1)
		                  and x.deleted_at is null
		                  and x.id::text <> $2)`
	return One[bool](ctx, tx, "look for the name in "+table, sql, name, id)
}
