package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// Wrong is something that a table cannot be saved with. Row and Column count from 0; -1 is none.
type Wrong struct {
	Row, Column  int
	Pointer      string // into the table, such as /rows/3/cells/0
	Code, Detail string
}

// mostWrong is how many problems are reported of one table.
const mostWrong = 1000

// Complete adds the defaults, brings the cells into their normal form, and lists what is wrong.
func (t *DecisionTable) Complete() []Wrong {
	c := &checks{t: t}
	if t.HitPolicy == "" {
		t.HitPolicy = All
	}
	if t.HitPolicy != All && t.HitPolicy != First {
		c.refuse(-1, -1, "/hit_policy", "invalid", "all or first")
	}
	fields := c.columns()
	if t.Rows == nil {
		t.Rows = []DecisionTableRow{}
	}
	switch {
	case len(t.Rows) == 0:
		c.refuse(-1, -1, "/rows", "required", "The table has no rows. Add one.")
	case len(t.Rows) > MaxRows:
		c.refuse(-1, -1, "/rows", "too_many", "The table has %d rows. The limit is %d: use lists and prefixes, or "+
			"several tables.", len(t.Rows), MaxRows)
	}
	for i := range t.Rows {
		c.row(i, fields)
	}
	if roles, entitlements := t.Results(); len(c.wrong) == 0 && (len(roles) > 200 || len(entitlements) > 1000) {
		c.refuse(-1, -1, "/rows", "too_many", "The table assigns %d roles and %d entitlements. The limits are 200 and "+
			"1,000: use several tables.", len(roles), len(entitlements))
	}
	return c.wrong
}

// checks collects what is wrong with a table.
type checks struct {
	t     *DecisionTable
	wrong []Wrong
}

// refuse adds a problem, up to a limit.
func (c *checks) refuse(row, column int, pointer, code, format string, args ...any) {
	if len(c.wrong) < mostWrong {
		c.wrong = append(c.wrong, Wrong{row, column, pointer, code, fmt.Sprintf(format, args...)})
	}
}

// columns checks the columns. A field that cannot be used is nil.
func (c *checks) columns() []*field.Field {
	fields := make([]*field.Field, len(c.t.Columns))
	if n := len(c.t.Columns); n == 0 || n > MaxColumns {
		c.refuse(-1, -1, "/columns", "invalid", "Name 1 to %d fields. The table has %d columns.", MaxColumns, n)
		return fields
	}
	for i, name := range c.t.Columns {
		at := fmt.Sprintf("/columns/%d", i)
		f, found := field.Find(name)
		switch {
		case !found:
			hint := ""
			if near := field.Suggest(name, field.Names()); len(near) > 0 {
				hint = " Did you mean " + strings.Join(near, " or ") + "?"
			}
			c.refuse(-1, i, at, "unknown_field", "The field %q is unknown.%s", name, hint)
		case slices.Contains(c.t.Columns[:i], name):
			c.refuse(-1, i, at, "duplicate_column", "The column %s occurs twice. Remove one of the two.", name)
		case !usable(f):
			c.refuse(-1, i, at, "unusable_field", "The field %s is %s. A column compares texts, codes and attributes.",
				name, f.Kind)
		default:
			fields[i] = f
		}
	}
	return fields
}

// usable says whether a column can compare a field.
func usable(f *field.Field) bool {
	return f.Kind == field.Name || f.Kind == field.Code || f.Kind == field.Custom || f.Kind == field.Flag
}

// row checks a row, and brings it into its normal form.
func (c *checks) row(i int, fields []*field.Field) {
	r := &c.t.Rows[i]
	at := fmt.Sprintf("/rows/%d", i)
	if len(r.Cells) != len(c.t.Columns) {
		c.refuse(i, -1, at+"/cells", "wrong_number_of_cells", "Row %d has %d cells, and the table has %d columns.", i+1,
			len(r.Cells), len(c.t.Columns))
		return
	}
	for j := range r.Cells {
		parsed, wrong := parseCell(r.Cells[j])
		if wrong == nil && fields[j] != nil {
			wrong = possible(fields[j], parsed)
		}
		if wrong != nil {
			c.refuse(i, j, fmt.Sprintf("%s/cells/%d", at, j), wrong.code, "%s", wrong.detail)
			continue
		}
		r.Cells[j] = parsed.String()
	}
	r.RoleIDs, r.EntitlementIDs = distinct(r.RoleIDs), distinct(r.EntitlementIDs)
	r.Comment = strings.TrimSpace(r.Comment)
	switch {
	case len(r.RoleIDs)+len(r.EntitlementIDs) == 0 && c.t.HitPolicy != First:
		c.refuse(i, -1, at+"/role_ids", "required", "Row %d assigns nothing. Name roles or entitlements. Only a table "+
			"with the hit policy first can have rows that assign nothing.", i+1)
	case len(r.RoleIDs) > maxResults || len(r.EntitlementIDs) > maxResults:
		c.refuse(
			i,
			-1,
			at+"/role_ids",
			"too_many",
			"Row %d assigns %d roles and %d entitlements. The limit of each is %d.",
			i+1,
			len(r.RoleIDs),
			len(r.EntitlementIDs),
			maxResults,
		)
	}
	if utf8.RuneCountInString(r.Comment) > maxComment {
		c.refuse(
			i,
			-1,
			at+"/comment",
			"too_long",
			"The comment of row %d has more than %d characters.",
			i+1,
			maxComment,
		)
	}
}

// possible says what is wrong with a cell of a field that has few values: a value that the field cannot have.
func possible(f *field.Field, c cell) *problem {
	among := f.Among
	if f.Kind == field.Flag {
		among = []string{"true", "false"}
	}
	if among == nil {
		return nil
	}
	for _, e := range c.elements {
		known := slices.ContainsFunc(among, func(v string) bool {
			return v == f.Fold(e.text) || e.prefix && strings.HasPrefix(v, f.Fold(e.text))
		})
		if !known {
			return &problem{"unknown_value", fmt.Sprintf("The field %s cannot be %q. Use %s.", f.FullName(), e.text,
				strings.Join(among, ", "))}
		}
	}
	return nil
}
