package pgtest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Creating a database copies about a thousand files, which costs more than most tests. A database is therefore emptied
// when its test has passed, and given to the next one. It is dropped instead where anything but rows may differ from a
// new one.

const (
	mostUses  = 25      // deleted rows leave dead space in tables and indexes
	mostBytes = 8 << 20 // of all tables together: beyond, a new database costs less than deleting
)

// used is a database that has been emptied.
type used struct {
	name string
	uses int
}

var (
	emptied   []used
	emptiedMu sync.Mutex
)

func takeEmptied() (used, bool) {
	emptiedMu.Lock()
	defer emptiedMu.Unlock()
	if len(emptied) == 0 {
		return used{}, false
	}
	last := emptied[len(emptied)-1]
	emptied = emptied[:len(emptied)-1]
	return last, true
}

// giveBack empties a database for the next test, or drops it. own says that the test had only the application's role in
// it, which changes nothing but rows.
func giveBack(t testing.TB, d used, own bool) {
	t.Helper()
	ctx := context.Background()
	if own && !t.Failed() && d.uses < mostUses {
		if ok, err := empty(ctx, d.name); err == nil && ok {
			emptiedMu.Lock()
			defer emptiedMu.Unlock()
			emptied = append(emptied, d)
			return
		}
	}
	if err := admin(ctx, "drop database if exists "+d.name+" with (force)"); err != nil {
		t.Error(err)
	}
}

// shape is everything in a database but its rows, as one text. Partitions that were created at run time change it.
const shape = `
	select concat_ws(' ',
	       (select md5(string_agg(concat_ws(',', relname, relkind, relrowsecurity, relforcerowsecurity,
	           reloptions::text), ';' order by relname, oid))
	          from pg_class where relnamespace = 'public'::regnamespace),
	       (select md5(string_agg(md5(prosrc) || proname, ';' order by oid)) from pg_proc
	       where pronamespace = 'public'::regnamespace),
	       (select md5(string_agg(tgname || tgenabled::text, ';' order by oid)) from pg_trigger),
	           (select count(*) from pg_statistic s join pg_class c on c.oid = s.starelid
	           where c.relnamespace = 'public'::regnamespace))`

const fullTables = `
	select c.relname::text, pg_relation_size(c.oid)
	  from pg_class c
	 where c.relnamespace = 'public'::regnamespace
	   and c.relkind = 'r'
	   and c.relname not in ('schema_migration', 'deployment')
	   and pg_relation_size(c.oid) > 0`

// empty deletes all rows that a test left, and reports whether the database is as a new one then.
func empty(ctx context.Context, name string) (bool, error) {
	conn, err := pgx.Connect(ctx, shared.url("", name))
	if err != nil {
		return false, fmt.Errorf("empty a test's database: %w", err)
	}
	defer conn.Close(ctx)
	const alone = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
		and pid <> pg_backend_pid()`
	if _, err := conn.Exec(ctx, alone); err != nil {
		return false, fmt.Errorf("empty a test's database: %w", err)
	}
	var is string
	if err := conn.QueryRow(ctx, shape).Scan(&is); err != nil || is != shared.shape {
		return false, err
	}
	rows, err := conn.Query(ctx, fullTables)
	if err != nil {
		return false, fmt.Errorf("empty a test's database: %w", err)
	}
	var batch pgx.Batch
	var bytes, size int64
	var table string
	batch.Queue(`set session_replication_role = replica`) // no trigger fires, and no order of tables matters
	if _, err := pgx.ForEachRow(rows, []any{&table, &size}, func() error {
		bytes += size
		batch.Queue("delete from " + pgx.Identifier{table}.Sanitize())
		return nil
	}); err != nil {
		return false, fmt.Errorf("empty a test's database: %w", err)
	}
	if bytes > mostBytes {
		return false, nil
	}
	batch.Queue(`delete from deployment`)
	batch.Queue(
		`insert into deployment select * from jsonb_populate_recordset(null::deployment, $1)`,
		shared.deployment,
	)
	batch.Queue(`select setval('event_order', 1, false)`)
	if err := conn.SendBatch(ctx, &batch).Close(); err != nil {
		return false, fmt.Errorf("empty a test's database: %w", err)
	}
	return true, nil
}

// readNew keeps what a new database looks like.
func (c *cluster) readNew(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, c.url("", name))
	if err != nil {
		return fmt.Errorf("read a new database: %w", err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, shape).Scan(&c.shape); err != nil {
		return fmt.Errorf("read a new database: %w", err)
	}
	if err := conn.QueryRow(ctx, `select jsonb_agg(d)::text from deployment d`).Scan(&c.deployment); err != nil {
		return fmt.Errorf("read a new database: %w", err)
	}
	return nil
}
