package pg_test

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// TestPlansAreWhatTheirReasonsSay shows, for each set of planner settings, the kind of step that PostgreSQL would take
// and that must not be in the plan, before and under the settings.
func TestPlansAreWhatTheirReasonsSay(t *testing.T) {
	db, system := small(t, 1)
	const (
		// The statistics of both tables are from when they had few rows, of which none had a 2.
		loaded = `
			create temporary table a (id int, n int) on commit drop;
			create temporary table b (id int, n int) on commit drop;
			insert into a select i, 1 from generate_series(1, 20) i;
			insert into b select i, 1 from generate_series(1, 20) i;
			analyze a;
			analyze b;
			insert into a select i, 2 from generate_series(1, 20000) i;
			insert into b select i, 2 from generate_series(1, 20000) i`
		words = `
			create temporary table word (word text, item int) on commit drop;
			create temporary table item (id int primary key, name text) on commit drop;
			create index on word (word);
			insert into word select md5(i::text), i from generate_series(1, 20000) i;
			insert into item select i, 'x' from generate_series(1, 20000) i;
			analyze word;
			analyze item`
		beginning = `
			with asked as materialized (select w, w || 'g' as beyond from unnest(array['ab', 'cd']) w)
			select count(i.name)
			  from asked a
			  join word x on x.word >= a.w and x.word < a.beyond
			  join item i on i.id = x.item`
		nested = `
			create temporary table granted (account int, entitlement int) on commit drop;
			create temporary table edge (member int, parent int) on commit drop;
			create index on granted (account);
			create index on edge (member);
			insert into granted select i, i % 1000 from generate_series(1, 20000) i;
			insert into edge select i % 1000, i % 1000 + 1 from generate_series(1, 3000) i;
			analyze granted;
			analyze edge`
		above = `
			with recursive up (account, entitlement) as (
				select g.account, e.parent from granted g join edge e on e.member = g.entitlement
				 where g.account = any(array[1, 2])
				 union
				select u.account, e.parent from up u join edge e on e.member = u.entitlement
			)
			select count(*) from up`
		people = `
			create temporary table person (id int primary key, name text) on commit drop;
			insert into person select i, 'x' from generate_series(1, 20000) i;
			analyze person`
		// What a viewer may see comes from a function, of which the planner assumes a thousand rows.
		visible = `select p.name from regexp_split_to_table('1,2,3', ',') v (id) join person p on p.id = v.id::int`
	)
	for name, of := range map[string]struct {
		plan              pg.Settings
		tables, ask, step string
	}{
		"loaded tables": {pg.LoadedTables, loaded, `select count(*) from a join b on b.id = a.id ` +
			`where a.n = 2 and b.n = 2`, "Nested Loop"},
		"whole nesting": {pg.WholeNesting, loaded, `select count(*) from a join b on b.id = a.id ` +
			`where a.n = 2 and b.n = 2`, "Nested Loop"},
		"few by index": {pg.FewByIndex, words, beginning, "Seq Scan on item"},
		"few accounts": {pg.FewAccounts, nested, above, "Seq Scan on edge"},
		"from visible": {pg.FromVisible, people, visible, "Seq Scan on person"},
	} {
		t.Run(name, func(t *testing.T) {
			err := db.As(t.Context(), system, func(tx *pg.Tx) error {
				if _, err := tx.Exec(t.Context(), of.tables); err != nil {
					return err
				}
				if plan := explain(t, tx, of.ask); !strings.Contains(plan, of.step) {
					t.Errorf("without the settings there is no %s: they have lost their reason\n%s", of.step, plan)
				}
				err := tx.With(t.Context(), of.plan, func() error {
					if plan := explain(t, tx, of.ask); strings.Contains(plan, of.step) {
						t.Errorf("a %s in spite of the settings\n%s", of.step, plan)
					}
					return nil
				})
				if plan := explain(t, tx, of.ask); !strings.Contains(plan, of.step) {
					t.Errorf("the settings stay after what they were for\n%s", plan)
				}
				if err != nil {
					return err
				}
				if _, err := tx.Exec(t.Context(), of.plan.SQL()); err != nil {
					return err
				}
				if plan := explain(t, tx, of.ask); strings.Contains(plan, of.step) {
					t.Errorf("a %s in spite of the statement %s", of.step, of.plan.SQL())
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func explain(t *testing.T, tx *pg.Tx, sql string) string {
	t.Helper()
	lines, err := pg.All[string](t.Context(), tx, "explain", "explain "+sql)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
