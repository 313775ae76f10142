package merge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// TableField is the field that holds a decision table. Tables are merged row by row.
const TableField = "table"

// Tables merges three decision tables in the form of Normal. A row is known by its cells. What only one side has
// changed applies: rows that are new or gone, and the access of a row element by element. New rows of theirs come after
// the row that they follow there. clash: both sides have changed the table, and rows cannot be distinguished, or the
// columns or the hit policy differ; the result is then mine.
func Tables(base, mine, theirs any) (merged any, clash bool) {
	switch {
	case Equal(mine, theirs) || Equal(base, theirs):
		return mine, false
	case Equal(base, mine):
		return theirs, false
	}
	tables := [3]map[string]any{}
	rows := [3]map[string]map[string]any{}
	for i, t := range []any{base, mine, theirs} {
		table, is := t.(map[string]any)
		if !is {
			return mine, true
		}
		tables[i] = table
		if rows[i] = byCells(table); rows[i] == nil {
			return mine, true
		}
	}
	for _, name := range []string{"hit_policy", "columns"} {
		if !Equal(tables[0][name], tables[1][name]) || !Equal(tables[0][name], tables[2][name]) {
			return mine, true
		}
	}
	out := maps.Clone(tables[1])
	out["rows"] = mergedRows(tables[1], tables[2], rows)
	return out, false
}

// mergedRows are the rows of mine and theirs, after base. rows are those of all three by their cells.
func mergedRows(mine, theirs map[string]any, rows [3]map[string]map[string]any) []any {
	out := []map[string]any{}
	for _, m := range rowsOf(mine) {
		cells := cellsOf(m)
		was, is := rows[0][cells], rows[2][cells]
		switch {
		case was != nil && is == nil && Equal(any(was), any(m)): // theirs took it out, and mine has not changed it
		case is == nil || was == nil:
			out = append(out, m)
		default:
			out = append(out, mergedRow(was, m, is))
		}
	}
	previous := ""
	for _, t := range rowsOf(theirs) {
		cells := cellsOf(t)
		if rows[0][cells] == nil && rows[1][cells] == nil {
			at := 1 + slices.IndexFunc(out, func(r map[string]any) bool { return cellsOf(r) == previous })
			out = slices.Insert(out, at, t)
		}
		previous = cells
	}
	list := make([]any, len(out))
	for i, r := range out {
		list[i] = r
	}
	return list
}

// mergedRow merges the access of a row; of its comment, mine stays if both have changed it.
func mergedRow(was, mine, theirs map[string]any) map[string]any {
	out := maps.Clone(mine)
	for _, name := range []string{"role_ids", "entitlement_ids"} {
		ids := Sets(Fields(was).IDs(name), Fields(mine).IDs(name), Fields(theirs).IDs(name))
		slices.SortFunc(ids, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		out[name] = ids
	}
	if Equal(was["comment"], mine["comment"]) {
		out["comment"] = theirs["comment"]
	}
	return out
}

// byCells are the rows of a table by their cells; nil if two rows have the same.
func byCells(table map[string]any) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, r := range rowsOf(table) {
		cells := cellsOf(r)
		if all[cells] != nil {
			return nil
		}
		all[cells] = r
	}
	return all
}

// rowsOf are the rows of a table.
func rowsOf(table map[string]any) (out []map[string]any) {
	list, _ := table["rows"].([]any)
	for _, r := range list {
		if row, is := r.(map[string]any); is {
			out = append(out, row)
		}
	}
	return out
}

// cellsOf are the cells of a row in one text.
func cellsOf(row map[string]any) string {
	text, _ := json.Marshal(row["cells"])
	return string(text)
}

// Row returns what a row of a table with these cells assigns; nothing if there is none.
func Row(table any, cells []string) (roles, entitlements []string) {
	of, _ := table.(map[string]any)
	text, _ := json.Marshal(cells)
	for _, r := range rowsOf(of) {
		if cellsOf(r) == string(text) {
			return Fields(r).IDs("role_ids"), Fields(r).IDs("entitlement_ids")
		}
	}
	return nil, nil
}

// HasRows reports whether a table has a row.
func HasRows(table any) bool {
	of, _ := table.(map[string]any)
	return len(rowsOf(of)) > 0
}
