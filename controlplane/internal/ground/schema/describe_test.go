package schema_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/migrations"
)

// described is the document that says what is in the database.
const described = "../../../../docs/schema.md"

// TestTheDocumentDescribesAFreshDatabase holds docs/schema.md against the catalogs of a database that was just
// migrated.
func TestTheDocumentDescribesAFreshDatabase(t *testing.T) {
	got := describe(t)
	if os.Getenv("GRANTWRIGHT_RENEW_SCHEMA") != "" {
		if err := os.WriteFile(described, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(described)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf(
			"docs/schema.md is not what a fresh database has (first difference: %s); run make schema",
			difference(string(want), got),
		)
	}
}

func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("line %d is %q, the database has %q", i+1, w[i], g[i])
		}
	}
	return fmt.Sprintf("%d lines, the database has %d", len(w), len(g))
}

// object is a table, with what belongs to it.
type object struct {
	Name, Comment string
	Columns       []column
	Keys          []string // constraints and indexes
	References    []string // tables that its foreign keys lead to
	Triggers      []string
}

type column struct{ Name, Type, Rest, Comment string }

var (
	createdTable    = regexp.MustCompile(`(?m)^create (?:unlogged )?table ([a-z_]+)`)
	createdFunction = regexp.MustCompile(`(?m)^create (?:function|procedure) ([a-z_]+)`)
	titleOf         = regexp.MustCompile(`(?m)^-- \+goose Up\n+-- (.*)$`)
)

// describe renders the document: for each subject a diagram of its tables, then each table with columns, keys and
// triggers, and the functions with what they are for.
func describe(t *testing.T) string {
	conn := owner(t)
	tables := byName(t, conn)
	functions := functionComments(t, conn)
	var out strings.Builder
	out.WriteString("# Database schema\n\n" +
		"Every table, its columns, keys and triggers, by subject. This document is generated from a fresh database " +
		"by `make schema`; " +
		"`make check` compares the two.\n\nEvery table with a `tenant_id` has forced row-level security: a " +
		"transaction sees the rows of " +
		"its own tenant only. The application signs in as `grantwright_app`, which owns nothing.\n")
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		writeSubject(&out, name, string(text), tables, functions)
	}
	return out.String()
}

func writeSubject(out *strings.Builder, file, text string, tables map[string]object, functions map[string]string) {
	title := file
	if m := titleOf.FindStringSubmatch(text); m != nil {
		title = m[1]
	}
	created := createdTable.FindAllStringSubmatch(text, -1)
	fmt.Fprintf(out, "\n## %s\n\nFile: `controlplane/migrations/%s`\n", strings.TrimSuffix(title, "."), file)
	if len(created) > 0 {
		writeDiagram(out, created, tables)
	}
	for _, m := range created {
		writeTable(out, tables[m[1]])
	}
	var lines []string
	for _, m := range createdFunction.FindAllStringSubmatch(text, -1) {
		if comment := functions[m[1]]; comment != "" {
			lines = append(lines, fmt.Sprintf("| `%s` | %s |\n", m[1], cell(comment)))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(out, "\n### Functions\n\n| Function | Purpose |\n|---|---|\n%s", strings.Join(lines, ""))
	}
}

// writeDiagram draws the subject's tables and the foreign keys between them. Keys to the tenant are left out: every
// table has one.
func writeDiagram(out *strings.Builder, created [][]string, tables map[string]object) {
	out.WriteString("\n```mermaid\nerDiagram\n")
	for _, m := range created {
		drawn := false
		for _, to := range tables[m[1]].References {
			if to != "tenant" {
				fmt.Fprintf(out, "  %s }o--|| %s : \"\"\n", m[1], to)
				drawn = true
			}
		}
		if !drawn {
			fmt.Fprintf(out, "  %s\n", m[1])
		}
	}
	out.WriteString("```\n")
}

func writeTable(out *strings.Builder, o object) {
	fmt.Fprintf(out, "\n### `%s`\n\n%s\n\n| Column | Type | |\n|---|---|---|\n", o.Name, o.Comment)
	for _, c := range o.Columns {
		fmt.Fprintf(out, "| `%s` | %s%s | %s |\n", c.Name, c.Type, c.Rest, cell(c.Comment))
	}
	for _, list := range [][]string{o.Keys, o.Triggers} {
		if len(list) > 0 {
			out.WriteString("\n")
		}
		for _, line := range list {
			fmt.Fprintf(out, "* `%s`\n", line)
		}
	}
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func owner(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), pgtest.Fresh(t).OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func byName(t *testing.T, conn *pgx.Conn) map[string]object {
	const sql = `
		select c.relname as name, coalesce(obj_description(c.oid), '') as comment,
		       (select json_agg(json_build_object('Name', a.attname, 'Type', format_type(a.atttypid, a.atttypmod),
		                  'Rest', case when a.attnotnull then ', not null' else '' end
		                     || case when a.attidentity <> '' then ', identity'
		                         when a.attgenerated <> '' then ', generated'
		                             when d.adbin is not null then ', default ' || pg_get_expr(d.adbin, d.adrelid)
		                  else '' end, 'Comment', coalesce(col_description(c.oid, a.attnum), '')) order by a.attnum)
		          from pg_attribute a
		          left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
		         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
		       (select coalesce(json_agg(line order by line), '[]')
		          from (select k.conname || ': ' || pg_get_constraintdef(k.oid) as line from pg_constraint k
		                 where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c', 'x')
		                union all
		                select replace(replace(pg_get_indexdef(i.indexrelid), 'public.', ''), ' USING btree', '')
		                    from pg_index i
		                 where i.indrelid = c.oid and not exists (select from pg_constraint k
		       where k.conindid = i.indexrelid)) l) as keys,
		           (select coalesce(json_agg(distinct k.confrelid::regclass::text), '[]') from pg_constraint k
		         where k.conrelid = c.oid and k.contype = 'f') as references,
		       (select coalesce(json_agg(replace(replace(pg_get_triggerdef(g.oid), 'CREATE ', ''), 'public.', '')
		           order by g.tgname), '[]')
		          from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as triggers
		  from pg_class c
		 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`
	rows, err := conn.Query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[object])
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]object{}
	for _, o := range all {
		named[o.Name] = o
	}
	return named
}

func functionComments(t *testing.T, conn *pgx.Conn) map[string]string {
	const sql = `
		select p.proname, string_agg(distinct coalesce(obj_description(p.oid), ''), ' ')
		  from pg_proc p
		 where p.pronamespace = 'public'::regnamespace
		 group by 1`
	rows, err := conn.Query(context.Background(), sql)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	var name, comment string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&name, &comment},
		func() error { comments[name] = comment; return nil },
	); err != nil {
		t.Fatal(err)
	}
	return comments
}
