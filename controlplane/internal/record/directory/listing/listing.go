// Package listing turns the filters, the order and the page of a list into two statements, page and total, which travel
// together in one round trip. Conditions are literals of the code; what comes from outside travels as arguments.
package listing

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Query is a list. ID is the unique column that makes every order total, so that a position in it is exact.
type Query struct {
	Columns string // select list
	From    string // tables with their aliases and joins
	// those of them that conditions and order need, to find the rows by; From when empty. Row security keeps the
	// planner from leaving joins out.
	Counted string
	ID      string // e.g. i.id
	Order   Order

	conditions []string
	args       pgx.NamedArgs
}

// Order is the column a list is sorted by. It must not be null; Type is what a position's text is cast to.
type Order struct {
	Column string // e.g. i.created_at
	Type   string // e.g. timestamptz
	Desc   bool
}

// OrderBy finds the order that sort names, a leading - meaning descending. It is a fault when there is none.
func OrderBy(sort string, orders map[string]Order) (Order, error) {
	name, desc := strings.CutPrefix(sort, "-")
	order, known := orders[name]
	if !known {
		return order, fault.Coded(fault.Malformed, "invalid_parameter", "this list cannot be sorted by %q", name).
			With(fault.Field{Parameter: "sort", Code: "invalid", Detail: "see the documentation for what it can be " +
				"sorted by"})
	}
	order.Desc = desc
	return order, nil
}

// Where adds a condition with the arguments that it names as @name.
func (q *Query) Where(condition string, args pgx.NamedArgs) {
	q.conditions = append(q.conditions, condition)
	if q.args == nil {
		q.args = pgx.NamedArgs{}
	}
	maps.Copy(q.args, args)
}

// Args adds arguments that From or Counted name.
func (q *Query) Args(args pgx.NamedArgs) {
	if q.args == nil {
		q.args = pgx.NamedArgs{}
	}
	maps.Copy(q.args, args)
}

// Equal adds that a column has this value; an empty value asks for nothing.
func (q *Query) Equal(column, name, value string) {
	if value != "" {
		q.Where(column+" = @"+name, pgx.NamedArgs{name: value})
	}
}

// Search adds that each word of a text is part of the columns, without regard to case, accents and the order of words.
// An empty text asks for nothing.
func (q *Query) Search(text string, columns ...string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	q.Where(Matches(columns...), pgx.NamedArgs{"q": text})
}

// Matches is the condition of Search, for statements that are not a Query; the text travels as @q. The line feed keeps
// a word from matching over two columns, and the subquery makes the patterns once and not for each row.
func Matches(columns ...string) string {
	return `search_text(concat_ws(E'\n', ` + strings.Join(
		columns,
		", ",
	) + `)) like all ((select search_patterns(@q))::text[])`
}

// Is adds that a boolean expression is what the text true or false says; an empty text asks for nothing.
func (q *Query) Is(expression, value string) {
	switch value {
	case "true":
		q.Where("("+expression+")", nil)
	case "false":
		q.Where("not ("+expression+")", nil)
	}
}

// fromVisible is part of every list of a viewer who sees only a part of the tenant.
var fromVisible = pg.FromVisible.SQL()

// Outwards prepares a transaction that counts or looks for what its viewer may list, as Fetch does for its own; who
// sees all needs nothing.
func Outwards(ctx context.Context, tx *pg.Tx) error {
	if tx.Viewer.SeesAll() {
		return nil
	}
	return pg.Exec(ctx, tx, "prepare to read what is visible", fromVisible)
}

// Fetch reads a page, and one row more if there is one, and how many rows there are in all.
func Fetch[T any](ctx context.Context, tx *pg.Tx, q *Query, page pg.Page) (items []T, total int64, err error) {
	if !tx.Viewer.SeesAll() {
		return FetchFound[T](ctx, tx, q, page)
	}
	var b pgx.Batch
	sql, args := q.page(page)
	b.Queue(sql, args).Query(func(rows pgx.Rows) (err error) {
		items, err = pgx.CollectRows(rows, pgx.RowToStructByName[T])
		return err
	})
	b.Queue(q.total(), q.args).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, 0, fmt.Errorf("list from %s: %w", firstWord(q.From), err)
	}
	return items, total, nil
}

// FetchFound is Fetch for who sees a part of the tenant, and for lists that no index gives in their order: what there
// is is found once, for the page and the total, and then the rows of the page are read.
func FetchFound[T any](ctx context.Context, tx *pg.Tx, q *Query, page pg.Page) (items []T, total int64, err error) {
	var ids []string
	var b pgx.Batch
	if !tx.Viewer.SeesAll() {
		b.Queue(fromVisible)
	}
	sql, args := q.matching(page)
	b.Queue(sql, args).QueryRow(func(row pgx.Row) error { return row.Scan(&total, &ids) })
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, 0, fmt.Errorf("list from %s: %w", firstWord(q.From), err)
	}
	if len(ids) == 0 {
		return nil, total, nil
	}
	args = pgx.NamedArgs{"ids": ids}
	maps.Copy(args, q.args)
	if items, err = pg.All[T](ctx, tx, fmt.Sprintf("list from %s", firstWord(q.From)), q.rows(), args); err != nil {
		return nil, 0, err
	}
	return items, total, nil
}

// matching gives the number of rows, and the ids of a page.
func (q *Query) matching(p pg.Page) (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{"page_rows": p.Limit + 1, "page_offset": p.Offset}
	for name, value := range q.args {
		args[name] = value
	}
	after, direction := "", ""
	if q.Order.Desc {
		direction = " desc"
	}
	if len(p.After) == 2 {
		after = " where " + q.after("m.key", "m.id", p, args)
	}
	sql := "with matching as materialized (select " + q.ID + " as id, " + q.Order.Column + " as key from " + q.from() +
		where(q.conditions) + ")" +
		" select (select count(*) from matching), array(select p.id::text from (select m.id, m.key from matching m" +
		after +
		" order by m.key" + direction + ", m.id" + direction +
		" limit @page_rows offset @page_offset) p order by p.key" + direction + ", p.id" + direction + ")"
	return sql, args
}

// rows gives the rows of a page by their ids.
func (q *Query) rows() string {
	direction := ""
	if q.Order.Desc {
		direction = " desc"
	}
	return "select " + q.Columns + " from " + q.From + " where " + q.ID + " = any(@ids::text[]::uuid[])" +
		" order by " + q.Order.Column + direction + ", " + q.ID + direction
}

// after is the condition that a row comes after the page's last one.
func (q *Query) after(key, id string, p pg.Page, args pgx.NamedArgs) string {
	beyond := ">"
	if q.Order.Desc {
		beyond = "<"
	}
	args["page_key"], args["page_id"] = p.After[0], p.After[1]
	return "(" + key + ", " + id + ") " + beyond + " (@page_key::" + q.Order.Type + ", @page_id::uuid)"
}

// page is the statement of a page and its arguments. It reads one row more than asked for, which
// shows whether there is a next page. A position is compared as a pair of sort key and ID, so that
// rows with equal keys are neither skipped nor repeated.
func (q *Query) page(p pg.Page) (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{"page_rows": p.Limit + 1, "page_offset": p.Offset}
	for name, value := range q.args {
		args[name] = value
	}
	conditions, direction := q.conditions, ""
	if q.Order.Desc {
		direction = " desc"
	}
	if len(p.After) == 2 {
		conditions = append(conditions[:len(conditions):len(conditions)], q.after(q.Order.Column, q.ID, p, args))
	}
	sql := "select " + q.Columns + " from " + q.From + where(conditions) +
		" order by " + q.Order.Column + direction + ", " + q.ID + direction + " limit @page_rows"
	if p.Offset > 0 {
		sql += " offset @page_offset"
	}
	return sql, args
}

// total is the statement that counts all matching rows.
func (q *Query) total() string { return "select count(*) from " + q.from() + where(q.conditions) }

// from are the tables that the conditions need.
func (q *Query) from() string {
	if q.Counted != "" {
		return q.Counted
	}
	return q.From
}

// where joins conditions; empty without any.
func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " where " + strings.Join(conditions, " and ")
}

// firstWord is the first word of a text.
func firstWord(s string) string {
	if words := strings.Fields(s); len(words) > 0 {
		return words[0]
	}
	return s
}

// Listed is a table, under an alias, with the rows that a viewer may list, to look for them from what the viewer sees.
// The functions of the database alone decide visibility: even for viewers who see everything, it is the database that
// says so.
func Listed(v viewer.Viewer, table, alias string) string {
	if v.SeesAll() {
		return all(table, alias)
	}
	return "visible_" + thing(table) + "() " + alias
}

// Among is Listed for who has rows in hand, by their ids or by what they hang on, and asks which of them the viewer
// may list.
func Among(v viewer.Viewer, table, alias string) string {
	if v.SeesAll() {
		return all(table, alias)
	}
	return "readable_" + thing(table) + "(own => false) " + alias
}

// Readable is Among with what is the viewer's own besides, for single reads and for what hangs on one record.
func Readable(v viewer.Viewer, table, alias string) string {
	if v.SeesAll() {
		return all(table, alias)
	}
	return "readable_" + thing(table) + "(own => true) " + alias
}

// Found is a table, under an alias, for the rows of a page: viewers who see a part get those that Listed found
// before in the same transaction. It is for rows that say the same to everybody who sees them, where asking again
// costs as much as finding them.
func Found(v viewer.Viewer, table, alias string) string {
	if v.SeesAll() {
		return all(table, alias)
	}
	return table + " " + alias
}

// all is a table for viewers who see the whole tenant. Whether they do is asked once per statement.
func all(table, alias string) string {
	return "(select * from " + table + " where (select sees_all())) " + alias
}

// thing is what the functions call the rows of a table.
func thing(table string) string { return strings.TrimPrefix(table, "access_") }

// Within is the filter of a list that depends on a record: that record's id, and none when the caller's own filter
// names another, since each filter must hold.
func Within(id, filter string) string {
	if filter == "" || strings.EqualFold(id, filter) {
		return id
	}
	return uuid.Nil.String()
}

// IsID reports whether a text from outside is the id of anything at all: a UUID in its usual form.
func IsID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
