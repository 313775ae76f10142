// Package listing turns the filters, the order and the page of a list into two statements, page and total, which travel
// together in one round trip. Conditions are literals of the code; what comes from outside travels as arguments.
package listing

import (
	"context"
	"fmt"
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
	Counted string // those of them that the conditions need; From when empty. Row security keeps the planner from leaving joins out.
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
			With(fault.Field{Parameter: "sort", Code: "invalid", Detail: "see the documentation for what it can be sorted by"})
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
	for name, value := range args {
		q.args[name] = value
	}
}

// Equal adds that a column has this value; an empty value asks for nothing.
func (q *Query) Equal(column, name, value string) {
	if value != "" {
		q.Where(column+" = @"+name, pgx.NamedArgs{name: value})
	}
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

// Fetch reads a page, and one row more if there is one, and how many rows there are in all.
func Fetch[T any](ctx context.Context, tx *pg.Tx, q *Query, page pg.Page) (items []T, total int64, err error) {
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

func (q *Query) page(p pg.Page) (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{"page_rows": p.Limit + 1, "page_offset": p.Offset}
	for name, value := range q.args {
		args[name] = value
	}
	conditions, direction, beyond := q.conditions, "", ">"
	if q.Order.Desc {
		direction, beyond = " desc", "<"
	}
	if len(p.After) == 2 {
		args["page_key"], args["page_id"] = p.After[0], p.After[1]
		after := "(" + q.Order.Column + ", " + q.ID + ") " + beyond + " (@page_key::" + q.Order.Type + ", @page_id::uuid)"
		conditions = append(conditions[:len(conditions):len(conditions)], after)
	}
	sql := "select " + q.Columns + " from " + q.From + where(conditions) +
		" order by " + q.Order.Column + direction + ", " + q.ID + direction + " limit @page_rows"
	if p.Offset > 0 {
		sql += " offset @page_offset"
	}
	return sql, args
}

func (q *Query) total() string {
	from := q.Counted
	if from == "" {
		from = q.From
	}
	return "select count(*) from " + from + where(q.conditions)
}

func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " where " + strings.Join(conditions, " and ")
}

func firstWord(s string) string {
	if words := strings.Fields(s); len(words) > 0 {
		return words[0]
	}
	return s
}

// Seen is the condition that the rows of a list, by their id, are visible to a viewer. set is one of the functions visible_*()
// of the database, which alone knows the rules: for somebody who sees all, it is still the database that says so. The cases
// are apart, and the set is an array, because any other plan would look at the whole tenant for a manager of three.
func Seen(v viewer.Viewer, id, set string) string {
	if v.SeesAll() {
		return "(select sees_all())"
	}
	return id + " = any(array(select seen.id from " + set + " seen))"
}

// SeenOne is Seen for a single row, or few: the set is not made whole, but asked for the row.
func SeenOne(v viewer.Viewer, id, set string) string {
	if v.SeesAll() {
		return "(select sees_all())"
	}
	return id + " in (select seen.id from " + set + " seen)"
}

// IsID reports whether a text from outside is the id of anything at all: a UUID in its usual form.
func IsID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
