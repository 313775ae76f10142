package table

import (
	"slices"
	"strings"
)

// mostShown is how many rows of each kind a difference lists.
const mostShown = 50

// Change is what becomes of the rows of a table.
type Change struct {
	// Added and Removed are rows by their positions in the new and in the old table, counted from 0. Changed are rows
	// of the new table whose cells stay, and whose results or comments differ; ChangedFrom are their old positions.
	Added, Removed       []int
	Changed, ChangedFrom []int
	// Unchanged are the other rows of the new table.
	Unchanged []int
	// Reordered says that rows of both tables have changed their order.
	Reordered bool
}

// Compare compares the rows of two tables by their cells. A change of columns replaces all rows.
func Compare(before, after *DecisionTable) (c Change) {
	if before == nil {
		before = &DecisionTable{}
	}
	at := map[string][]int{}
	if after != nil && slices.Equal(before.Columns, after.Columns) {
		for i, r := range before.Rows {
			k := r.key()
			at[k] = append(at[k], i)
		}
	}
	kept, last := map[int]bool{}, -1
	if after != nil {
		for i, r := range after.Rows {
			k := r.key()
			if len(at[k]) == 0 {
				c.Added = append(c.Added, i)
				continue
			}
			old := at[k][0]
			at[k], kept[old] = at[k][1:], true
			c.Reordered = c.Reordered || old < last
			last = max(last, old)
			if o := before.Rows[old]; o.SameResults(r) && o.Comment == r.Comment {
				c.Unchanged = append(c.Unchanged, i)
				continue
			}
			c.Changed, c.ChangedFrom = append(c.Changed, i), append(c.ChangedFrom, old)
		}
	}
	for i := range before.Rows {
		if !kept[i] {
			c.Removed = append(c.Removed, i)
		}
	}
	return c
}

// key is the same for rows with the same cells.
func (r DecisionTableRow) key() string { return strings.Join(r.Cells, "\x00") }

// Difference describes a change of a table from both sides, for the audit log: how it is read, and the rows that only
// one of the two has, with their numbers. Each side lists at most 50 rows. nil: no table.
func Difference(before, after *DecisionTable) (from, to any) {
	c := Compare(before, after)
	return before.brief(append(slices.Clone(c.Removed), c.ChangedFrom...)),
		after.brief(append(slices.Clone(c.Added), c.Changed...))
}

// brief is a table with some of its rows.
func (t *DecisionTable) brief(rows []int) any {
	if t == nil {
		return nil
	}
	slices.Sort(rows)
	shown := []any{}
	for _, i := range rows[:min(len(rows), mostShown)] {
		r := t.Rows[i]
		shown = append(shown, map[string]any{"row": i + 1, "cells": r.Cells, "role_ids": r.RoleIDs,
			"entitlement_ids": r.EntitlementIDs, "comment": r.Comment})
	}
	return map[string]any{"hit_policy": t.HitPolicy, "columns": t.Columns, "row_count": len(t.Rows),
		"different_rows": len(rows), "rows": shown}
}
