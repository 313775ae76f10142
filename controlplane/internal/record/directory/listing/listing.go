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
)

// Query is a list. ID is the unique column that makes every order total, so that a position in it is exact.
type Query struct {
	Columns string // select list
	From    string // tables with their aliases and joins
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

func (q *Query) total() string { return "select count(*) from " + q.From + where(q.conditions) }

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

// IsID reports whether a text from outside is the id of anything at all: a UUID in its usual form.
func IsID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
