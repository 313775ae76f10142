package pyexpr_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
)

func TestOneProgramServesManyGoroutines(t *testing.T) {
	p, err := pyexpr.Compile(
		`re.sub(r'(\w)-(\w+)', lambda m: m[2] + str(n := len(m[1])), value) + f"{sum(x for x in record['l'] if (y := x) > 1)}" + str([z for z in record['l']])`,
	)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				rec := pyexpr.NewRecord(map[string]any{"l": []any{i, j}})
				got, err := p.Eval(context.Background(), fmt.Sprintf("a-b%d", j), rec)
				sum := 0
				for _, n := range []int{i, j} {
					if n > 1 {
						sum += n
					}
				}
				if want := fmt.Sprintf("b%d1%d[%d, %d]", j, sum, i, j); err != nil || got != want {
					t.Errorf("Eval = %v, %v; want %s", got, err, want)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestARecordStaysAsItIsWhateverAnExpressionDoesToIt(t *testing.T) {
	fields := map[string]any{"a": []any{"x"}, "d": map[string]any{"k": 1}}
	rec := pyexpr.NewRecord(fields)
	for _, expr := range []string{
		"record['a'].append('y') or record['a']", "record.pop('a')", "record['d'].update(k=2)", "record['a'].sort()",
		"record.clear()",
		"[m for m in [record['a'].append] if m('z')]", "list.append(record['a'], 'w')",
		"list(map(record['d'].pop, ['k']))",
	} {
		p, err := pyexpr.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = p.Eval(context.Background(), fields["a"], rec)
		if got := fmt.Sprint(fields); got != "map[a:[x] d:map[k:1]]" {
			t.Fatalf("after %s the record is %s", expr, got)
		}
		read, err := pyexpr.Compile("str(record)")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read.Eval(context.Background(), nil, rec); err != nil || got != "{'a': ['x'], 'd': {'k': 1}}" {
			t.Fatalf("after %s the next transform reads %v, %v", expr, got, err)
		}
	}
}

func TestErrorsForTheLogHoldNoValues(t *testing.T) {
	const secret = "s3cret"
	for _, expr := range []string{"int(value)", "record[value]", "value + 1", "datetime.strptime(value, '%Y')",
		"{}[value]", "[].index(value)", "value.split('3')[9]", "'a'*(1<<30)"} {
		p, err := pyexpr.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Eval(context.Background(), secret, nil)
		var e *pyexpr.Error
		if !errors.As(err, &e) || strings.Contains(e.Quiet(), "cret") ||
			!strings.Contains(e.Quiet(), "line 1, column") {
			t.Errorf("%s: %v says %q", expr, err, e.Quiet())
		}
	}
}

func TestWhatIsNoResultIsRefused(t *testing.T) {
	for expr, want := range map[string]string{
		"str.lower": "write", "value.lower": "call it", "lambda: 1": "call it", "len": "call it", "re": "module",
		"b'a'": "decode", "float('nan')": "nan", "[float('inf')]": "inf", "{(1, 2): 3}": "keys",
		"re.match('a', 'a')": "", "{1.5: 2}": "keys",
	} {
		p, err := pyexpr.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Eval(context.Background(), "x", nil)
		if want == "" && err == nil {
			continue
		}
		if expr != "str.lower" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s = %v, %v; want an error with %q", expr, got, err, want)
		}
	}
	for expr, want := range map[string]string{
		"date(2024, 2, 29)": "2024-02-29", "[datetime(2024, 1, 1, 5)]": "[2024-01-01T05:00:00]",
		"timedelta(1)": "1 day, 0:00:00", "(x for x in 'ab')": "[a b]", "{1: 'a'}": "map[1:a]", "range(2)": "[0 1]",
		"{'a': 1}.items()": "[[a 1]]", "2**70": "1180591620717411303424", "time(5)": "05:00:00", "map(str, [1])": "[1]",
	} {
		p, err := pyexpr.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Eval(context.Background(), "x", nil); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s = %v, %v; want %s", expr, got, err, want)
		}
	}
}

func TestMistakesOfOtherLanguagesAreToldWhatToWrite(t *testing.T) {
	for expr, want := range map[string]string{
		"value.toLowerCase()": "write value.lower()", "value.trim()": "write value.strip()",
		"value.length": "write len(value)", "value.lowr()": "did you mean lower?",
		"value.Split()": "did you mean split?",
		"record.mail": "a member of a dict is x['name'] or " +
			"x.get('name')", "value.nothingLikeIt": "", "record['gone'].lower()": "the value is None; ask first: " +
			"value.lower() if value else None. The helpers, as lower(value), pass None on",
		"'a' + 1": "write str(…) around what is no text, or an f-string: " +
			"f'{a}{b}'", "value[99]": "a slice, as value[:1], is empty where there is nothing",
	} {
		p, err := pyexpr.Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Eval(context.Background(), "Jane", pyexpr.NewRecord(people()))
		var e *pyexpr.Error
		if !errors.As(err, &e) || e.Hint != want {
			t.Errorf("%s: %v has the hint %q; want %q", expr, err, e.Hint, want)
		}
	}
}
