package decisiontable

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// values are what the columns compare of a person, one text for each column; the elements of a list are joined.
type values struct {
	key   string
	cells []string
}

// check goes through everyone with a table.
type check struct {
	out     DecisionTableCheck
	table   *table.DecisionTable
	matcher *table.Matcher
	fields  []*field.Field

	missing map[string]*DecisionTableMissing
	pairs   map[[2]int]int
	known   []map[string]string // by column: the values of people, folded, as they are written
}

// makeCheck prepares a check of a table that is complete.
func makeCheck(t *table.DecisionTable) (*check, error) {
	m, ok := table.NewMatcher(t)
	if !ok {
		return nil, fault.New(fault.Conflict, "The stored table cannot be read. Import it again.")
	}
	c := &check{table: t, matcher: m, missing: map[string]*DecisionTableMissing{}, pairs: map[[2]int]int{}}
	c.out = DecisionTableCheck{
		Columns: t.Columns, UnmatchedSample: []DecisionTablePerson{}, Missing: []DecisionTableMissing{},
		Contradictions: []DecisionTableContradiction{}, ContradictedSample: []DecisionTablePerson{},
		UnknownValues: []DecisionTableUnknownValue{}, UnknownResults: []DecisionTableUnknownResult{},
		Rows: make([]DecisionTableRowCheck, len(t.Rows)),
	}
	for _, name := range t.Columns {
		f, _ := field.Find(name) // the matcher has found it
		c.fields, c.known = append(c.fields, f), append(c.known, map[string]string{})
	}
	for i := range c.out.Rows {
		c.out.Rows[i] = DecisionTableRowCheck{Row: i + 1, Sentence: m.Sentence(i)}
	}
	return c, nil
}

// run checks the table of a policy at a moment, whatever its schedule.
func run(ctx context.Context, tx *pg.Tx, f accesspolicy.Fields, now time.Time) (out DecisionTableCheck, err error) {
	c, err := makeCheck(f.Table)
	if err != nil {
		return out, err
	}
	f.Enabled, f.Schedule = true, nil
	id := uuid.Must(uuid.NewV7()).String()
	b, err := evaluation.Make(ctx, tx, []accesspolicy.AccessPolicy{{ID: id, Fields: f}}, nil, now)
	if err != nil {
		return out, err
	}
	look := func(p *evaluation.Person) error {
		if p.Gone() {
			return nil
		}
		about, unmet := b.ByID[id].Standing(p, b)
		c.look(p, about && len(unmet) == 0)
		return nil
	}
	if err := evaluation.EachBatch(ctx, tx, func(ids []string) error {
		return b.EachPerson(ctx, tx, ids, look)
	}); err != nil {
		return out, err
	}
	if c.out.UnknownResults, err = unknownResults(ctx, tx, f); err != nil {
		return out, err
	}
	c.finish()
	return c.out, nil
}

// look takes a person. about says that the table is about the person; the values of others count as known.
func (c *check) look(p *evaluation.Person, about bool) {
	v := c.valuesOf(p)
	if !about {
		return
	}
	c.out.People++
	rows := c.matcher.All(p.Identity)
	for n, i := range rows {
		c.out.Rows[i].Matched++
		if n == 0 || c.table.HitPolicy != table.First {
			c.out.Rows[i].Applied++
		}
	}
	if len(rows) == 0 {
		c.none(p, v)
		return
	}
	c.out.Matched++
	if c.differ(rows) {
		c.out.Contradicted++
		c.out.ContradictedSample = sample(c.out.ContradictedSample, p, v, rows)
	}
}

// valuesOf are the values of a person, which are known from now on.
func (c *check) valuesOf(p *evaluation.Person) (v values) {
	v.cells = make([]string, len(c.fields))
	for j, f := range c.fields {
		list := table.Values(f, p.Identity)
		for _, text := range list {
			if folded := f.Fold(text); c.known[j][folded] == "" {
				c.known[j][folded] = text
			}
		}
		v.cells[j] = strings.Join(list, ", ")
		v.key += f.Fold(v.cells[j]) + "\x00"
	}
	return v
}

// none counts a person who matches no row.
func (c *check) none(p *evaluation.Person, v values) {
	c.out.Unmatched++
	c.out.UnmatchedSample = sample(c.out.UnmatchedSample, p, v, nil)
	m := c.missing[v.key]
	if m == nil {
		m = &DecisionTableMissing{Cells: make([]string, len(c.fields))}
		for j, f := range c.fields {
			m.Cells[j] = table.Any
			if list := table.Values(f, p.Identity); len(list) > 0 {
				m.Cells[j] = table.Quote(list[0])
			}
		}
		c.missing[v.key] = m
	}
	m.People++
}

// sample adds a person to a sample that has room.
func sample(to []DecisionTablePerson, p *evaluation.Person, v values, rows []int) []DecisionTablePerson {
	if len(to) >= mostSample {
		return to
	}
	numbers := make([]int, len(rows))
	for i, r := range rows {
		numbers[i] = r + 1
	}
	return append(to, DecisionTablePerson{p.ID, p.Text("display_name"), v.cells, numbers})
}

// differ counts the pairs of rows that assign different access, and says whether there are any.
func (c *check) differ(rows []int) (any bool) {
	for n, i := range rows[:min(len(rows), mostPerValue)] {
		for _, j := range rows[n+1 : min(len(rows), mostPerValue)] {
			if c.table.Rows[i].SameResults(c.table.Rows[j]) {
				continue
			}
			any = true
			pair := [2]int{i, j}
			if _, counted := c.pairs[pair]; counted || len(c.pairs) < mostCounted {
				c.pairs[pair]++
			}
		}
	}
	return any
}

// finish returns what was counted.
func (c *check) finish() {
	for i, by := range c.matcher.Shadowed() {
		row := &c.out.Rows[i]
		switch {
		case by >= 0:
			number := by + 1
			row.State, row.ShadowedBy = "shadowed", &number
		case row.Applied > 0:
			row.State = "used"
		case row.Matched > 0:
			row.State = "overridden"
		default:
			row.State = "unmatched"
		}
	}
	for _, m := range c.missing {
		c.out.Missing = append(c.out.Missing, *m)
	}
	slices.SortFunc(c.out.Missing, func(a, b DecisionTableMissing) int {
		return cmp.Or(cmp.Compare(b.People, a.People), slices.Compare(a.Cells, b.Cells))
	})
	c.out.MissingCount = len(c.out.Missing)
	c.out.Missing = c.out.Missing[:min(len(c.out.Missing), mostMissing)]
	for pair, n := range c.pairs {
		c.out.Contradictions = append(c.out.Contradictions, DecisionTableContradiction{pair[0] + 1, pair[1] + 1, n})
	}
	slices.SortFunc(c.out.Contradictions, func(a, b DecisionTableContradiction) int {
		return cmp.Or(cmp.Compare(b.People, a.People), cmp.Compare(a.Row, b.Row), cmp.Compare(a.OtherRow, b.OtherRow))
	})
	c.out.ContradictionCount = len(c.out.Contradictions)
	c.out.Contradictions = c.out.Contradictions[:min(len(c.out.Contradictions), mostPairs)]
	c.unknownValues()
}

// unknownValues finds the values of cells that no person has.
func (c *check) unknownValues() {
	for j, name := range c.table.Columns {
		at, order := map[table.Value][]int{}, []table.Value{}
		for i := range c.table.Rows {
			for _, v := range c.matcher.Cell(i, j) {
				if at[v] == nil {
					order = append(order, v)
				}
				at[v] = append(at[v], i+1)
			}
		}
		sorted := slices.Sorted(maps.Keys(c.known[j]))
		for _, v := range order {
			if c.has(j, sorted, v) {
				continue
			}
			if c.out.UnknownValueCount++; c.out.UnknownValueCount > mostUnknown {
				continue
			}
			c.out.UnknownValues = append(c.out.UnknownValues, DecisionTableUnknownValue{
				Column: name, Value: v.Text, Rows: at[v][:min(len(at[v]), mostRowsOf)],
				Suggestions: c.near(j, v, sorted),
			})
		}
	}
}

// has says whether a person has the value, or one with the prefix. sorted are the values of the column.
func (c *check) has(j int, sorted []string, v table.Value) bool {
	if !v.Prefix {
		return c.known[j][v.Folded] != ""
	}
	at, _ := slices.BinarySearch(sorted, v.Folded)
	return at < len(sorted) && strings.HasPrefix(sorted[at], v.Folded)
}

// near are similar values that people have, as they are written.
func (c *check) near(j int, v table.Value, sorted []string) []string {
	list := []string{}
	if len(sorted) > mostSuggest {
		return list
	}
	word := func(s string) string { return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(s)) }
	written, words := map[string]string{}, make([]string, 0, len(sorted))
	for _, s := range sorted {
		written[word(s)] = c.known[j][s]
		words = append(words, word(s))
	}
	for _, found := range field.Suggest(word(v.Folded), words) {
		list = append(list, table.Quote(written[found]))
	}
	return list
}

// unknownResults finds roles and entitlements of rows that cannot be assigned.
func unknownResults(ctx context.Context, tx *pg.Tx, f accesspolicy.Fields) ([]DecisionTableUnknownResult, error) {
	list := []DecisionTableUnknownResult{}
	trouble, err := f.Troubles(ctx, tx)
	if err != nil {
		return nil, err
	}
	for i, r := range f.Table.Rows {
		for _, of := range []struct {
			list string
			ids  []string
		}{{"role_ids", r.RoleIDs}, {"entitlement_ids", r.EntitlementIDs}} {
			for _, id := range of.ids {
				why, there := trouble[[2]string{of.list, id}]
				code := "not_grantable"
				if !there {
					code, why = "unknown_resource", "there is nothing with the id "+id
				}
				if why != "" && len(list) < mostUnknown {
					list = append(list, DecisionTableUnknownResult{i + 1, id, code, why})
				}
			}
		}
	}
	return list, nil
}
