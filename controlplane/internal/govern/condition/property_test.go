package condition

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// drawn is a condition as somebody may send it, valid by construction.
func drawn(t *rapid.T, depth int) any {
	if depth < 4 && rapid.IntRange(0, 3).Draw(t, "group") == 0 {
		rules := []any{}
		for range rapid.IntRange(1, 4).Draw(t, "rules") {
			rules = append(rules, drawn(t, depth+1))
		}
		return map[string]any{
			"match": rapid.SampledFrom([]string{field.MatchAll, field.MatchAny, field.MatchNone}).Draw(t, "match"),
			"rules": rules,
		}
	}
	switch rapid.IntRange(0, 9).Draw(t, "special") {
	case 0:
		return map[string]any{
			"op":    rapid.SampledFrom([]string{field.HasRole, field.HasEntitlement, field.InTree}).Draw(t, "op"),
			"value": texts(t),
		}
	case 1:
		return map[string]any{
			"expression": rapid.SampledFrom([]string{"identity['department'] == 'A'", "len(identity) > 2 # or so",
				"identity.get('title')", "1/0"}).
				Draw(t, "source"),
		}
	}
	n := rapid.SampledFrom(append(FieldNames(), "attributes.x", "attributes.two words", "labels.y")).Draw(t, "field")
	f, _ := field.Find(n)
	op := rapid.SampledFrom(field.OperatorsOf[f.Kind]).Draw(t, "op")
	return map[string]any{"field": n, "op": op, "value": drawnValue(t, f, op)}
}

func drawnText(t *rapid.T, f *field.Field) any {
	if f.Among != nil {
		return rapid.SampledFrom(f.Among).Draw(t, "one of few")
	}
	if f.Kind == field.Custom {
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		case 1:
			return rapid.Bool().Draw(t, "flag")
		}
	}
	return rapid.OneOf(rapid.SampledFrom([]string{"A", "b or c", "x, and y", "not known", "7", "true", "(a)", `"q"`,
		"Zoë", "a  b", " ", "today", "known"}),
		storable).
		Draw(t, "text")
}

// storable are texts that PostgreSQL takes.
var storable = rapid.Map(rapid.StringN(1, 12, 40), func(s string) string { return strings.ReplaceAll(s, "\x00", "0") })

func texts(t *rapid.T) []any {
	return rapid.SliceOfN(rapid.Map(storable, func(s string) any { return s }), 1, 3).Draw(t, "texts")
}

func drawnValue(t *rapid.T, f *field.Field, op string) any {
	switch op {
	case field.Exists:
		return rapid.Bool().Draw(t, "want")
	case field.In, field.NotIn:
		list := []any{}
		for range rapid.IntRange(1, 4).Draw(t, "values") {
			list = append(list, drawnText(t, f))
		}
		return list
	case field.Gt, field.Lt:
		return rapid.Float64Range(-1e12, 1e12).Draw(t, "limit")
	case field.InTree:
		return texts(t)
	case field.Contains, field.StartsWith:
		return drawnText(t, &field.Field{Kind: field.Name})
	}
	switch {
	case f.Kind == field.Flag:
		return rapid.Bool().Draw(t, "flag")
	case f.Kind == field.Date || op == field.Before || op == field.After:
		return rapid.SampledFrom([]string{"today", "P0D", "-P0D", "P30D", "-P1Y2M3D", "P2W", "2026-02-28"}).
			Draw(t, "date")
	}
	return drawnText(t, f)
}

func drawnPerson(t *rapid.T) *fact.Person {
	value := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.SampledFrom([]any{"A", "b or c", "Zoë", float64(7), true, "2026-02-28", []any{"A"}, map[string]any{}}),
	)
	fields := map[string]any{"attributes": map[string]any{"x": value.Draw(t, "x")}, "labels": map[string]any{}}
	for n := range fieldsSample(t) {
		fields[n] = value.Draw(t, n)
	}
	return person(fields)
}

func fieldsSample(t *rapid.T) map[string]bool {
	out := map[string]bool{}
	for _, n := range rapid.SliceOfN(rapid.SampledFrom(FieldNames()), 0, 20).Draw(t, "known fields") {
		out[n] = true
	}
	return out
}

// TestNormalFormMeansTheSame: what is stored is read as what it is, once more makes nothing else of it, and it means
// what was sent.
func TestNormalFormMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent, err := json.Marshal(drawn(t, 0))
		if err != nil {
			t.Fatal(err)
		}
		p := &parser{}
		raw := p.whole(sent)
		if len(p.problems) > 0 {
			t.Fatalf("%s: %v", sent, p.problems)
		}
		prepareAll(raw)
		c, problems := Parse(sent)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", sent, problems)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, problems := Parse(text)
		if len(problems) > 0 {
			t.Fatalf("normal form %s: %v", text, problems)
		}
		if twice, err := json.Marshal(again); err != nil || string(twice) != string(text) {
			t.Fatalf("normal form of %s is %s, of that %s", sent, text, twice)
		}
		read, problems := ParseSentence(c.Sentence())
		if spoken, err := json.Marshal(read); err != nil || len(problems) > 0 || string(spoken) != string(text) {
			t.Fatalf("%s is said as %q, which is read as %s %v", text, c.Sentence(), spoken, problems)
		}
		someone := drawnPerson(t)
		var ignored []Warning
		if want, got := raw.met(someone, &ignored), first(c.Match(someone)); got != want {
			t.Fatalf("%s: met %v; its normal form %s: %v", sent, want, text, got)
		}
	})
}

func first(met bool, _ []Warning) bool { return met }

func prepareAll(n node) {
	switch x := n.(type) {
	case *rule:
		x.prepare()
	case *group:
		for _, each := range x.of {
			prepareAll(each)
		}
	}
}

// FuzzParse: whatever is sent is refused with words or matches without failing, and has a normal form that is stable.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"match":"all","rules":[{"field":"department","op":"in","value":["a"]},{"match":"none",` +
			`"rules":[{"op":"has_role","value":"r"}]}]}`,
		`{"expression":"identity['x']"}`, `{"field":"start_date","op":"after","value":"-P1Y"}`,
		`{"field":"attributes.a.b","op":"gt","value":1e9}`,
		`{"match":"all","rules":[null,1,"",[],{}]}`, "department is A, and (title is B, or none of (title is known))",
		"department is \xfa0",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func() (Condition, []Problem){
			func() (Condition, []Problem) { return Parse(json.RawMessage(text)) },
			func() (Condition, []Problem) { return ParseSentence(text) },
		} {
			c, problems := read()
			if len(problems) > 0 {
				for _, p := range problems {
					if p.Code == "" || p.Detail == "" || !strings.HasPrefix(p.Pointer, "#") || p.Suggestions == nil {
						t.Fatalf("%q: a problem without words: %+v", text, p)
					}
				}
				continue
			}
			c.Match(ada)
			stored, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			again, problems := Parse(stored)
			if len(problems) > 0 || form(t, again) != string(stored) {
				t.Fatalf("%q: normal form %s is read as %s %v", text, stored, form(t, again), problems)
			}
		}
	})
}
