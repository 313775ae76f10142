package jsonpath

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonpath/internal/budget"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
)

// free is a budget that no test of the language needs.
func free() *budget.Budget { return budget.NewBudget(context.Background(), 0) }

// chain is an object with one member a in an object with one member a, and so on.
func chain(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}

const (
	bombTime = 2 * time.Second
	bombHeap = 256 << 20
)

func TestQueryBombsEndWithinTheBudget(t *testing.T) {
	wide := "[" + strings.Repeat("0,", 200_000) + "0]"
	long := strings.Repeat("x", 1<<20)
	for _, tt := range []struct{ name, query, doc string }{
		{"descents", "$..a..a..a..a", chain(400)},
		{"descents in a filter", "$..[?@..[?@..a]]", chain(500)},
		{
			"unions",
			"$[0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0][0,0,0,0]",
			strings.Repeat("[", 400) + strings.Repeat("]", 400),
		},
		{"wildcards in a union", "$[*,*,*,*,*,*,*,*,*,*]", wide},
		{"filter over filter", "$[?$[?@ == 1]]", wide},
		{"root compared for every element", "$.list[?$.list == $.same]", `{"list":` + wide + `,"same":` + wide + `}`},
		{
			"long text compared for every element", "$.list[?$.a == $.b]",
			`{"list":` + wide + `,"a":"` + long + `1","b":"` + long + `2"}`,
		},
		{"wide objects", "$..[?@.x || $[?@..y]]", `{"m":{` + strings.Repeat(`"k":{},`, 1) + members(100_000) + `}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Compile(tt.query)
			if err != nil {
				t.Fatal(err)
			}
			doc := decode(t, tt.doc)
			b := free()
			var found []any
			took, held := targettest.Cost(func() { found = p.Select(b, doc) })
			var exceeded *budget.BudgetError
			if !errors.As(b.Err(), &exceeded) || len(found) != 0 || took > bombTime || held > bombHeap {
				t.Errorf("%d values, %v after %v with %d MiB; want an error within %v and %d MiB",
					len(found), b.Err(), took, held>>20, bombTime, bombHeap>>20)
			}
			if again := p.Select(b, doc); again != nil {
				t.Errorf("an exhausted budget still selects %d values", len(again))
			}
		})
	}
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"k%d":{}`, i)
	}
	return b.String()
}

func TestEvaluationEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	b := budget.NewBudget(ctx, 0)
	if found := MustCompile("$..a").Select(b, decode(t, chain(400))); found != nil || !errors.Is(b.Err(), stopped) {
		t.Errorf("found %d values, %v; want nothing and the cause", len(found), b.Err())
	}
}

func TestMoreThanOneDescentIsRefusedInSettings(t *testing.T) {
	for query, column := range map[string]int{
		"$..a..b": 5, "..a..b": 4, "$.a[?@..b]..c": 11, "$..[?@..a]": 7, "$.a..b": 0, "a..b": 0,
	} {
		_, err := CompileShort(query)
		var syntax *SyntaxError
		if errors.As(err, &syntax) != (column > 0) || column > 0 && syntax.Column != column {
			t.Errorf("%s: %v; want an error at column %d", query, err, column)
		}
	}
	if _, err := CompileFilter("@..a && @..b"); err == nil {
		t.Error("a filter with two descents was accepted")
	}
}

func TestDocumentBombsAreRefusedBeforeTheyAreDecoded(t *testing.T) {
	limits := Limits{Record: 16 << 20, Document: 32 << 20, Aside: 512 << 10, Values: 10_000, Whole: 500_000}
	objects := func(n int) string { return strings.Repeat("{},", n) + "{}" }
	for _, tt := range []struct{ name, query, pick, doc string }{
		{"held whole", "$..x", "$.n", `{"x":[` + objects(5_000_000) + `]}`},
		{"a pick", "$.records[*]", "$.meta", `{"meta":[` + objects(5_000_000) + `],"records":[]}`},
		{
			"an object in the place of records", "$.records", "$.records.next",
			`{"records":{"a":[` + objects(5_000_000) + `]}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var err error
			took, held := targettest.Cost(func() {
				_, err = NewPlan(
					MustCompile(tt.query), MustCompile(tt.pick),
				).Run(free(), strings.NewReader(tt.doc), limits, func(any) error {
					return nil
				})
			})
			var large *TooLargeError
			if !errors.As(err, &large) || !large.Values || took > bombTime || held > bombHeap {
				t.Errorf("%v after %v with %d MiB", err, took, held>>20)
			}
		})
	}
}

func TestARecordWithTooManyValuesIsSetAsideWithItsKey(t *testing.T) {
	doc := `{"data":[{"id":"1","list":[` + strings.Repeat("{},", 4_000_000) + `{}]},{"id":"2"}]}`
	limits := Limits{Record: 16 << 20, Values: 10_000}
	var got []any
	_, held := targettest.Cost(func() {
		_, err := NewPlan(MustCompile("$.data[*]")).Run(free(), strings.NewReader(doc), limits, func(v any) error {
			got = append(got, v)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	if len(got) != 2 || held > bombHeap {
		t.Fatalf("%d records with %d MiB", len(got), held>>20)
	}
	flaw, flawed := got[0].(*Flaw)
	if !flawed || !strings.Contains(flaw.Why, "more than 10000 values") || flaw.Record.(map[string]any)["id"] != "1" {
		t.Errorf("the record with too many values became %.80v", got[0])
	}
}
