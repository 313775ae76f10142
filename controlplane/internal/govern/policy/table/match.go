package table

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// Matcher finds the rows of a table that match people. It is used by one goroutine at a time.
type Matcher struct {
	first   bool
	rows    []DecisionTableRow
	cells   [][]cell // by row
	columns []*column
	size    int // words of a set
}

// set is a set of rows.
type set []uint64

// put adds a row.
func (s set) put(i int) { s[i/64] |= 1 << (i % 64) }

// has says whether a row is in the set.
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// or adds the rows of another set.
func (s set) or(o set) {
	for i := range o {
		s[i] |= o[i]
	}
}

// and leaves the rows that another set has too, and says whether there are any.
func (s set) and(o set) (left bool) {
	for i := range s {
		s[i] &= o[i]
		left = left || s[i] != 0
	}
	return left
}

// list are the rows of the set in order; at most most of them.
func (s set) list(most int) (rows []int) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if len(rows) == most {
				return rows
			}
			rows = append(rows, i*64+bits.TrailingZeros64(word))
		}
	}
	return rows
}

// column is the index of a column: which rows a value matches.
type column struct {
	field   *field.Field
	any     set
	exact   map[string]set
	prefix  map[string]set
	lengths []int          // of the prefixes, ascending
	known   map[string]set // what was asked before, for a column with few values
}

// mostKnown bounds what a column keeps of the values that it was asked for.
const mostKnown = 4096

// NewMatcher prepares a table. ok is false if it cannot be read: it was not completed.
func NewMatcher(t *DecisionTable) (m *Matcher, ok bool) {
	m = &Matcher{first: t.HitPolicy == First, rows: t.Rows, size: (len(t.Rows) + 63) / 64}
	m.cells = make([][]cell, len(t.Rows))
	for i, r := range t.Rows {
		if len(r.Cells) != len(t.Columns) {
			return nil, false
		}
		for _, text := range r.Cells {
			c, wrong := parseCell(text)
			if wrong != nil {
				return nil, false
			}
			m.cells[i] = append(m.cells[i], c)
		}
	}
	for j, name := range t.Columns {
		f, found := field.Find(name)
		if !found || !usable(f) {
			return nil, false
		}
		m.columns = append(m.columns, m.index(j, f))
	}
	return m, true
}

// index makes the index of a column.
func (m *Matcher) index(j int, f *field.Field) *column {
	c := &column{field: f, any: make(set, m.size), exact: map[string]set{}, prefix: map[string]set{},
		known: map[string]set{}}
	lengths := map[int]bool{}
	for i, cells := range m.cells {
		if cells[j].any {
			c.any.put(i)
		}
		for _, e := range cells[j].elements {
			into, text := c.exact, f.Fold(e.text)
			if e.prefix {
				into = c.prefix
				lengths[len(text)] = true
			}
			if into[text] == nil {
				into[text] = make(set, m.size)
			}
			into[text].put(i)
		}
	}
	for n := range lengths {
		c.lengths = append(c.lengths, n)
	}
	return c
}

// of are the rows that a value matches, folded. It may not be changed.
func (c *column) of(value string) set {
	if found, there := c.known[value]; there {
		return found
	}
	rows := c.ofPrefix(value)
	rows.or(c.exact[value])
	if len(c.known) < mostKnown {
		c.known[value] = rows
	}
	return rows
}

// ofPrefix are the rows that every value with a prefix matches because of a prefix of theirs.
func (c *column) ofPrefix(text string) set {
	rows := make(set, len(c.any))
	rows.or(c.any)
	for _, n := range c.lengths {
		if n <= len(text) {
			rows.or(c.prefix[text[:n]])
		}
	}
	return rows
}

// Values are what a column compares of a person: the value of the field as text, or the elements of a list. Nothing if
// the person has no value.
func Values(f *field.Field, facts map[string]any) []string {
	v := facts[f.Name]
	if f.Key != "" {
		switch m := v.(type) {
		case map[string]any:
			v = m[f.Key]
		case map[string]string:
			v = m[f.Key]
		default:
			return nil
		}
	}
	if list, ok := v.([]any); ok {
		var all []string
		for _, each := range list {
			if text, ok := textOf(each); ok {
				all = append(all, text)
			}
		}
		return all
	}
	if text, ok := textOf(v); ok {
		return []string{text}
	}
	return nil
}

// textOf is a value as a cell writes it. An empty text is no value.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, v != ""
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case int:
		return strconv.Itoa(v), true
	}
	return "", false
}

// matching are the rows that match, whatever the hit policy. nil: none.
func (m *Matcher) matching(facts map[string]any) set {
	var rows set
	for _, c := range m.columns {
		var these set
		switch values := Values(c.field, facts); len(values) {
		case 0:
			these = c.any
		case 1:
			these = c.of(c.field.Fold(values[0]))
		default:
			these = make(set, m.size)
			for _, v := range values {
				these.or(c.of(c.field.Fold(v)))
			}
		}
		if rows == nil {
			rows = append(make(set, 0, m.size), these...)
		}
		if !rows.and(these) {
			return nil
		}
	}
	return rows
}

// Match are the rows that assign access to a person, counted from 0, in their order.
func (m *Matcher) Match(facts map[string]any) []int {
	most := len(m.rows)
	if m.first {
		most = 1
	}
	return m.matching(facts).list(most)
}

// All are the rows that a person matches, also those that the hit policy leaves out.
func (m *Matcher) All(facts map[string]any) []int { return m.matching(facts).list(len(m.rows)) }

// Shadowed gives for each row which other row leaves it without effect for everyone, whoever the people are: with the
// hit policy first an earlier one that matches whenever it does; with all one that matches whenever it does, and
// assigns everything that it assigns. -1: none. Several rows that together leave a row without effect are not found.
func (m *Matcher) Shadowed() []int {
	by := make([]int, len(m.rows))
	for i := range m.rows {
		by[i] = m.shadow(i)
	}
	return by
}

// shadow is the first row that leaves a row without effect, or -1.
func (m *Matcher) shadow(i int) int {
	rows := make(set, m.size)
	for j := range m.rows {
		rows.put(j)
	}
	for j, c := range m.columns {
		if !rows.and(c.covering(m.cells[i][j])) {
			return -1
		}
	}
	for _, j := range rows.list(len(m.rows)) {
		switch {
		case j == i:
			if m.first {
				return -1
			}
		case m.first:
			return j
		case m.rows[j].assignsAllOf(m.rows[i]) && (j < i || !m.covers(i, j) || !m.rows[i].assignsAllOf(m.rows[j])):
			return j
		}
	}
	return -1
}

// covering are the rows that match whatever a cell matches.
func (c *column) covering(of cell) set {
	if of.any {
		return c.any
	}
	rows := make(set, len(c.any))
	for i, e := range of.elements {
		these, text := set(nil), c.field.Fold(e.text)
		if e.prefix {
			these = c.ofPrefix(text)
		} else {
			these = c.of(text)
		}
		if i == 0 {
			rows.or(these)
		}
		rows.and(these)
	}
	return rows
}

// covers says whether one row matches whenever another one does.
func (m *Matcher) covers(i, other int) bool {
	for j, c := range m.columns {
		if !c.covering(m.cells[other][j]).has(i) {
			return false
		}
	}
	return true
}

// sentence is a cell in words.
func (c cell) sentence() string {
	var values, prefixes []string
	for _, e := range c.elements {
		if e.prefix {
			prefixes = append(prefixes, "begins with "+e.text)
		} else {
			values = append(values, e.text)
		}
	}
	if len(values) > 0 {
		prefixes = append([]string{"is " + strings.Join(values, " or ")}, prefixes...)
	}
	return strings.Join(prefixes, " or ")
}

// Sentence is a row in words.
func (m *Matcher) Sentence(i int) string {
	text := ""
	for j, c := range m.cells[i] {
		if c.any {
			continue
		}
		if text != "" {
			text += ", and "
		}
		text += m.columns[j].field.Label + " " + c.sentence()
	}
	if text == "" {
		return "everyone"
	}
	return text
}

// Rows are the rows of the table.
func (m *Matcher) Rows() []DecisionTableRow { return m.rows }

// Value is an element of a cell.
type Value struct {
	// Text is the element as it is written in the cell, Folded the value as it is compared.
	Text, Folded string
	// Prefix says that it is a prefix of values.
	Prefix bool
}

// Cell are the elements of a cell. None: it is *.
func (m *Matcher) Cell(row, column int) []Value {
	var list []Value
	for _, e := range m.cells[row][column].elements {
		list = append(list, Value{e.String(), m.columns[column].field.Fold(e.text), e.prefix})
	}
	return list
}
