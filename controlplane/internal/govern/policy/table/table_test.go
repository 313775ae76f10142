package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// plain is a table over two texts and a code, with a role for each row.
func plain(hit string, rows ...string) *DecisionTable {
	t := &DecisionTable{HitPolicy: hit, Columns: []string{"department", "location", "cost_center"}}
	for i, r := range rows {
		t.Rows = append(
			t.Rows,
			DecisionTableRow{Cells: strings.Split(r, ";"), RoleIDs: []string{fmt.Sprint("role-", i)}},
		)
	}
	return t
}

func matcher(t testing.TB, d *DecisionTable) *Matcher {
	t.Helper()
	if wrong := d.Complete(); len(wrong) > 0 {
		t.Fatalf("wrong: %+v", wrong)
	}
	m, ok := NewMatcher(d)
	if !ok {
		t.Fatal("the table cannot be read")
	}
	return m
}

func person(department, location, costCenter any) map[string]any {
	return map[string]any{"department": department, "location": location, "cost_center": costCenter}
}

func TestRowsMatchExactValuesListsAndPrefixes(t *testing.T) {
	rows := []string{"Nursing;*;*", "Nursing|Surgery;Be*;*", "*;*;c1", "*;*;*", `\*Lab*;*;*`}
	m := matcher(t, plain(All, rows...))
	for _, c := range []struct {
		who  map[string]any
		want string
	}{
		{person("nursing", "Bern", nil), "[0 1 3]"},
		{person("Surgery", "BERLIN", "c1"), "[1 2 3]"},
		{person("Surgery", nil, "C1"), "[3]"}, // codes are compared exactly
		{person("Surg", "Bern", ""), "[3]"},
		{person("*Laboratory", "Basel", nil), "[3 4]"},
		{map[string]any{}, "[3]"},
	} {
		if got := fmt.Sprint(m.Match(c.who)); got != c.want {
			t.Errorf("Match(%v) = %s; want %s", c.who, got, c.want)
		}
	}
	first := matcher(t, plain(First, rows...))
	if got := fmt.Sprint(first.Match(person("Surgery", "Bern", "c1"))); got != "[1]" {
		t.Errorf("the first row that matches: %s; want [1]", got)
	}
	if got := m.Sentence(1); got != "department is Nursing or Surgery, and location begins with Be" {
		t.Errorf("sentence: %s", got)
	}
}

func TestAttributesAreComparedAsTexts(t *testing.T) {
	d := &DecisionTable{
		Columns: []string{"attributes.level", "attributes.skills", "is_disabled"},
		Rows: []DecisionTableRow{
			{Cells: []string{"7", "*", "*"}, RoleIDs: []string{"a"}},
			{Cells: []string{"*", "welding", "false"}, RoleIDs: []string{"b"}},
			{Cells: []string{"true", "*", "*"}, RoleIDs: []string{"c"}},
		},
	}
	m := matcher(t, d)
	who := func(level any, skills ...any) map[string]any {
		return map[string]any{"is_disabled": false, "attributes": map[string]any{"level": level, "skills": skills}}
	}
	for _, c := range []struct {
		who  map[string]any
		want string
	}{
		{who(7.0), "[0]"}, {who("7", "Welding", "painting"), "[0 1]"}, {who(true, 3.0), "[2]"}, {who(nil), "[]"},
		{map[string]any{}, "[]"},
	} {
		if got := fmt.Sprint(m.Match(c.who)); got != c.want {
			t.Errorf("Match(%v) = %s; want %s", c.who, got, c.want)
		}
	}
}

func TestRowsWithoutEffectAreFound(t *testing.T) {
	shadows := func(hit string, same bool, rows ...string) string {
		d := plain(hit, rows...)
		for i := range d.Rows {
			if same {
				d.Rows[i].RoleIDs = []string{"role"}
			}
		}
		return fmt.Sprint(matcher(t, d).Shadowed())
	}
	for _, c := range []struct{ got, want string }{
		{shadows(First, false, "A*;*;*", "Ab|Ac;x;*", "B;*;*"), "[-1 0 -1]"},
		{shadows(First, false, "Ab;x;*", "A*;*;*"), "[-1 -1]"},
		{shadows(First, false, "A;*;*", "a;*;*"), "[-1 0]"},
		{shadows(First, false, "*;*;c", "*;*;C"), "[-1 -1]"},
		{shadows(All, false, "A*;*;*", "Ab;x;*"), "[-1 -1]"}, // each assigns another role
		{shadows(All, true, "Ab;x;*", "A*;*;*"), "[1 -1]"},
		{shadows(All, true, "A;*;*", "a;*;*"), "[-1 0]"}, // of two equal rows, one stays
	} {
		if c.got != c.want {
			t.Errorf("shadowed by %s; want %s", c.got, c.want)
		}
	}
}

func TestWhatIsWrongWithATableIsToldByRowAndColumn(t *testing.T) {
	row := func(cells ...string) DecisionTableRow {
		return DecisionTableRow{Cells: cells, RoleIDs: []string{"r"}}
	}
	for _, c := range []struct {
		name    string
		columns []string
		rows    []DecisionTableRow
		want    string
	}{
		{"no columns", nil, []DecisionTableRow{row()}, "-1 -1 invalid"},
		{"no rows", []string{"department"}, nil, "-1 -1 required"},
		{"unknown field", []string{"departmnt"}, []DecisionTableRow{row("x")}, "-1 0 unknown_field"},
		{"twice", []string{"title", "title"}, []DecisionTableRow{row("x", "y")}, "-1 1 duplicate_column"},
		{"date", []string{"hire_date"}, []DecisionTableRow{row("x")}, "-1 0 unusable_field"},
		{"cells", []string{"title"}, []DecisionTableRow{row("x", "y")}, "0 -1 wrong_number_of_cells"},
		{"empty", []string{"title"}, []DecisionTableRow{row(" ")}, "0 0 empty_cell"},
		{"empty element", []string{"title"}, []DecisionTableRow{row("a||b")}, "0 0 empty_value"},
		{"any in list", []string{"title"}, []DecisionTableRow{row("a|*")}, "0 0 any_in_list"},
		{"star inside", []string{"title"}, []DecisionTableRow{row("a*b")}, "0 0 invalid_wildcard"},
		{"two stars", []string{"title"}, []DecisionTableRow{row("a**")}, "0 0 invalid_wildcard"},
		{"escape", []string{"title"}, []DecisionTableRow{row(`a\`)}, "0 0 invalid_escape"},
		{"control", []string{"title"}, []DecisionTableRow{row("a\x00b")}, "0 0 invalid_character"},
		{"too long", []string{"title"}, []DecisionTableRow{row(strings.Repeat("x", 5000))}, "0 0 too_long"},
		{"values", []string{"title"}, []DecisionTableRow{row(strings.Repeat("x", 1) + manyValues(300))},
			"0 0 too_many_values"},
		{"impossible", []string{"employment_type"}, []DecisionTableRow{row("employe")}, "0 0 unknown_value"},
		{"flag", []string{"is_disabled"}, []DecisionTableRow{row("yes")}, "0 0 unknown_value"},
		{"nothing", []string{"title"}, []DecisionTableRow{{Cells: []string{"x"}}}, "0 -1 required"},
		{"comment", []string{"title"}, []DecisionTableRow{{Cells: []string{"x"}, RoleIDs: []string{"r"},
			Comment: strings.Repeat("x", 501)}}, "0 -1 too_long"},
	} {
		d := &DecisionTable{Columns: c.columns, Rows: c.rows}
		wrong := d.Complete()
		if len(wrong) == 0 {
			t.Errorf("%s: nothing is wrong", c.name)
			continue
		}
		if got := fmt.Sprint(wrong[0].Row, wrong[0].Column, " ", wrong[0].Code); got != c.want {
			t.Errorf("%s: %s; want %s (%s)", c.name, got, c.want, wrong[0].Detail)
		}
	}
}

func manyValues(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprint(&b, "|", i)
	}
	return b.String()
}

// words are few, so that people and rows meet.
var words = []string{"", "a", "A", "ab", "abc", "b", "B ", " b", "a|b", "a*", `\`, "ä", "Ä"}

// drawCell draws a cell from its parts.
func drawCell(r *rapid.T) cell {
	if rapid.IntRange(0, 3).Draw(r, "any") == 0 {
		return cell{any: true}
	}
	var c cell
	for range rapid.IntRange(1, 3).Draw(r, "elements") {
		e := element{rapid.SampledFrom(words[1:]).Draw(r, "text"), rapid.Bool().Draw(r, "prefix")}
		if !slices.Contains(c.elements, e) {
			c.elements = append(c.elements, e)
		}
	}
	return c
}

func TestTheNormalFormOfACellReadsBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := drawCell(r)
		got, wrong := parseCell(want.String())
		if wrong != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			r.Fatalf("%q reads back as %q, %v; want %q", want.String(), got, wrong, want)
		}
	})
}

// fits says by the definition alone whether a cell matches a value.
func (c cell) fits(value string, code bool) bool {
	fold := strings.ToLower
	if code {
		fold = func(s string) string { return s }
	}
	return c.any || value != "" && slices.ContainsFunc(c.elements, func(e element) bool {
		return fold(value) == fold(e.text) || e.prefix && strings.HasPrefix(fold(value), fold(e.text))
	})
}

func TestTheIndexFindsWhatTheDefinitionSays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := &DecisionTable{Columns: []string{"department", "cost_center"},
			HitPolicy: rapid.SampledFrom([]string{All, First}).Draw(r, "hit")}
		var cells [][2]cell
		for i := range rapid.IntRange(1, 130).Draw(r, "rows") {
			row := [2]cell{drawCell(r), drawCell(r)}
			cells = append(cells, row)
			d.Rows = append(d.Rows, DecisionTableRow{Cells: []string{row[0].String(), row[1].String()},
				RoleIDs: []string{fmt.Sprint("role-", i%3)}})
		}
		m := matcher(t, d)
		shadowed := m.Shadowed()
		for _, department := range words {
			for _, costCenter := range words {
				var all []int
				for i, row := range cells {
					if row[0].fits(department, false) && row[1].fits(costCenter, true) {
						all = append(all, i)
					}
				}
				want := all
				if d.HitPolicy == First {
					want = all[:min(1, len(all))]
				}
				facts := map[string]any{"department": department, "cost_center": costCenter}
				if got := m.Match(facts); !slices.Equal(got, want) {
					r.Fatalf("%q, %q: %v; want %v", department, costCenter, got, want)
				}
				for _, i := range all {
					if by := shadowed[i]; by >= 0 && !slices.Contains(all, by) {
						r.Fatalf("row %d is shadowed by %d, which does not match %q, %q", i, by, department, costCenter)
					}
				}
				if d.HitPolicy == First && len(all) > 0 && shadowed[all[0]] >= 0 {
					r.Fatalf("row %d is shadowed by %d, and is the first one for %q, %q", all[0], shadowed[all[0]],
						department, costCenter)
				}
			}
		}
	})
}
