package pyexpr_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
)

// bombs are expressions that would take all of a process, each with the code it has to end with.
var bombs = []struct{ expr, code string }{
	{`"a"*(1<<29)`, "memory_limit"},
	{`list(range(1<<62))`, "memory_limit"},
	{`[0]*(1<<26)`, "memory_limit"},
	{`"x".join(["a"*1000000]*500)`, "memory_limit"},
	{`max(range(1<<40))`, "step_limit"},
	{`[[0]*10000 for _ in range(9000)]`, "memory_limit"},
	{`("a"*1000000).replace("a","b"*500)`, "memory_limit"},
	{strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000), "source_limit"},
	{strings.Repeat("(", 1500) + "1" + strings.Repeat(")", 1500), "nesting_limit"},
	{strings.Repeat("[", 1500) + strings.Repeat("]", 1500), "nesting_limit"},
	{strings.Repeat("{", 90) + "1" + strings.Repeat("}", 90), "evaluation_error"},
	{strings.Repeat("{", 95), "syntax_error"},
	{strings.Repeat("{1:", 90), "syntax_error"},
	{strings.Repeat("[", 95) + "*", "syntax_error"},
	{strings.Repeat("f(x=lambda y:", 45), "syntax_error"},
	{strings.Repeat("(*", 90), "syntax_error"},
	{"f'" + strings.Repeat("{x:", 1) + strings.Repeat("{1}", 900) + "}'", "not_allowed"},
	{strings.Repeat("-", 3000) + "1", "nesting_limit"},
	{strings.Repeat("not ", 900) + "1", "nesting_limit"},
	{strings.Repeat("lambda:", 500) + "1", "nesting_limit"},
	{strings.Repeat("1if 1else ", 300) + "1", "nesting_limit"},
	{"1" + strings.Repeat("+1", 1500), "nesting_limit"},
	{"1" + strings.Repeat("**1", 1000), "nesting_limit"},
	{"value" + strings.Repeat("[0]", 1000), "nesting_limit"},
	{strings.Repeat("f'{", 100) + "1" + strings.Repeat("}'", 100), "syntax_error"},
	{`"` + strings.Repeat("a", 1<<20) + `"`, "source_limit"},
	{`[a.append(a) for a in [[]]] and value.__class__`, "not_allowed"},
	{`value.__class__`, "not_allowed"},
	{`().__class__.__bases__[0].__subclasses__()`, "not_allowed"},
	{`"{0.__class__}".format(value)`, "evaluation_error"},
	{`"{0.__class__.__mro__}".format(1)`, "evaluation_error"},
	{`__import__("os")`, "not_allowed"},
	{`ｅval("1")`, "not_allowed"},
	{`value.＿＿class__`, "syntax_error"},
	{`getattr(value, "x")`, "not_allowed"},
	{`open("/etc/passwd")`, "not_allowed"},
	{`(lambda f: f(f))(lambda f: f(f))`, "nesting_limit"},
	{`(x := 1) and [x := [x] for _ in range(100000)] and 1`, "memory_limit"},
	{`(x := []) or [x := [x] for _ in range(5000)] and str(x)`, "nesting_limit"},
	{`(x := ()) or [x := (x,) for _ in range(5000)] and {x: 1}`, "nesting_limit"},
	{`(x := ()) or (y := ()) or [(x := (x,), y := (y,)) for _ in range(2000)] and x == y`, "nesting_limit"},
	{`(x := []) or (y := []) or [(x := [x], y := [y]) for _ in range(2000)] and x < y`, "nesting_limit"},
	{`(x := []) or [x := [x] for _ in range(5000)] and x`, "nesting_limit"},
	{`(g := iter([1])) and [g := map(str, g) for _ in range(3000)] and next(g)`, "nesting_limit"},
	{`(g := [1]) and [g := (y for y in g) for _ in range(3000)] and list(g)`, "nesting_limit"},
	{`2**(10**10)`, "memory_limit"},
	{`9**9**9`, "memory_limit"},
	{`1<<(1<<60)`, "memory_limit"},
	{`(x := 3) and [x := x*x for _ in range(100)] and 1`, "step_limit"},
	{`pow(3, 2**60000, 2**60000-1)`, "step_limit"},
	{`math.factorial(10**6)`, "memory_limit"},
	{`math.comb(10**9, 5*10**8)`, "memory_limit"},
	{`math.prod(range(1, 10**9))`, "memory_limit"},
	{`f"{1:1000000000}"`, "memory_limit"},
	{`f"{1.5:.1000000000f}"`, "memory_limit"},
	{`"%1000000000d" % 1`, "memory_limit"},
	{`"%.1000000000f" % 1`, "memory_limit"},
	{`"%*d" % (10**9, 1)`, "memory_limit"},
	{`"{:{}}".format(1, 10**9)`, "memory_limit"},
	{`"a".ljust(10**9)`, "memory_limit"},
	{`"a".zfill(10**18)`, "memory_limit"},
	{`"a".center(10**9, "ü")`, "memory_limit"},
	{`"\t"*1000 and ("\t"*1000).expandtabs(10**6)`, "memory_limit"},
	{`bytes(10**9)`, "memory_limit"},
	{`sum([[0]]*100000, [])`, "memory_limit"},
	{`"".join("ab" for _ in range(10**9))`, "memory_limit"},
	{`[0 for a in range(1000) for b in range(1000) if 0]`, "step_limit"},
	{`{x: x for x in range(10**9)}`, "memory_limit"},
	{`{x for x in range(10**9)}`, "memory_limit"},
	{`all(True for _ in range(10**12))`, "step_limit"},
	{`10**12 in (x for x in range(10**13))`, "step_limit"},
	{`list(zip(*[range(10**9)]*3))`, "memory_limit"},
	{`list(enumerate(range(10**9)))`, "memory_limit"},
	{`sorted(range(10**9))`, "memory_limit"},
	{`dict.fromkeys(range(10**9))`, "memory_limit"},
	{`re.match("(a+)+$", "a"*30+"b") and 1`, ""},
	{`re.match("(a|aa)+$", "a"*5000+"b") and 1`, "memory_limit"},
	{`re.match("(a*)*b", "a"*20000)`, "memory_limit"},
	{`re.match("(.*)\\1\\1x", "a"*3000)`, "step_limit"},
	{`re.compile("(a{1000}){1000}")`, "evaluation_error"},
	{`re.compile("(?:a{60}){60}"*20)`, "evaluation_error"},
	{`re.compile("(?:(?:){1000000}){1000000}")`, "step_limit"},
	{`re.compile("((?:){1000000}?){,1000000}")`, "step_limit"},
	{`re.compile("(?<=(?:){1000000})a")`, "step_limit"},
	{`re.compile("(" * 1000 + ")" * 1000)`, "evaluation_error"},
	{`[re.compile("a" + str(i) + "b*"*500) for i in range(10**6)]`, "memory_limit"},
	{`re.sub("", "a"*1000, "b"*10000)`, "memory_limit"},
	{`re.findall("", "b"*100000)`, "memory_limit"},
	{`re.split("", "b"*100000)`, "memory_limit"},
	{`re.sub("a", lambda m: "a"*100000, "a"*100)`, "memory_limit"},
	{`("a"*1000000).split("a")`, "memory_limit"},
	{`list("a"*100000)`, "memory_limit"},
	{`repr("\x00"*300000)`, "memory_limit"},
	{`str([["a"*1000]*100]*100)`, "memory_limit"},
	{`"a"*100000`, "output_limit"},
	{`["a"*1000]*100`, "output_limit"},
	{`[x.update(a=x) for x in [y := {}]] and y`, "syntax_error"},
	{`(y := {}) or y.update(a=y) or y`, "nesting_limit"},
	{`(y := []) or y.append(y) or y`, "nesting_limit"},
	{`(y := []) or y.extend(y for _ in range(10**9))`, "memory_limit"},
	{`(y := [1]) and [y.append(x) for x in y]`, "memory_limit"},
	{`[y.extend(y) for y in [[1]] for _ in range(100)]`, "memory_limit"},
	{`(s := "a") and [s := s + s for _ in range(100)]`, "memory_limit"},
	{`(s := "a") and [s := f"{s}{s}" for _ in range(100)]`, "memory_limit"},
	{`(s := "a") and [s := s.replace("a", "aa") for _ in range(100)]`, "memory_limit"},
	{`(s := "ß"*1000) and [s := s.upper() + s for _ in range(100)]`, "step_limit"},
	{`unicodedata.normalize("NFKD", "ﷺ"*200000)`, "step_limit"},
	{`default("a"*(1<<40), 1)`, "memory_limit"},
	{`default([0 for x in range(10**9) if 0], 1)`, "step_limit"},
	{`[default(int("x"), 0) for _ in range(10**9)]`, "step_limit"},
	{`(lambda *a: a)(*range(10**9))`, "memory_limit"},
	{`min(*range(10**9))`, "memory_limit"},
	{`(f := lambda n: n and f(n-1)) and f(1000)`, "nesting_limit"},
	{`(f := lambda n: sorted([n], key=lambda x: f(x-1))) and f(1000)`, "nesting_limit"},
	{`"%s" % ("a"*900000,) + "b"*900000`, "memory_limit"},
	{`int("9"*5000)`, "evaluation_error"},
	{`str(10**5000)`, "evaluation_error"},
	{`hash(1)`, "evaluation_error"},
	{`date(2024,1,1).strftime("%c"*100000)`, "step_limit"},
	{`datetime.strptime("1"*10000, "%d"*1000)`, "evaluation_error"},
	{`timedelta(10**18)`, "evaluation_error"},
	{`[x for x in iter(lambda: 1)]`, "evaluation_error"},
	{`str.maketrans("a"*100000, "b"*100000)`, "memory_limit"},
	{`"é"*1000 and [("é"*100000)[i] for i in range(10000)]`, "memory_limit"},
	{`[("a"*100000).find("b") for i in range(100000)]`, "memory_limit"},
	{`(s := "a"*500000) and [s.count("b") for i in range(100000)]`, "step_limit"},
	{`(s := "a"*500000) and [len(s) for i in range(100000)]`, "step_limit"},
	{`(s := "a"*500000) and (t := s + "") and [s == t for i in range(100000)]`, "step_limit"},
	{`(s := "a"*400000) and (t := "a"*400000) and [s == t for i in range(100000)]`, "step_limit"},
	{`(s := "a"*400000) and (t := "a"*400000) and [s < t for i in range(100000)]`, "step_limit"},
	{`(l := [0]*30000) and [1 in l for i in range(100000)]`, "step_limit"},
	{`(l := [0]*30000) and [l.insert(0, 1) for i in range(100000)]`, "step_limit"},
	{`(l := [0]*30000) and [l.pop(0) for i in range(29999)]`, "memory_limit"},
	{`(s := "a"*400000) and [s.strip("b"*100) for i in range(100000)]`, "step_limit"},
	{`(s := "a "*30000) and [s.islower() for i in range(100000)]`, "step_limit"},
	{`(s := "a"*300000) and [s.startswith(("b",)*3) for i in range(10**6)]`, "memory_limit"},
	{`(s := "é"*100000) and [s.isidentifier() for i in range(10**6)]`, "step_limit"},
	{
		`(p := "[" + "".join(chr(i*2) for i in range(9000, 9300)) + "]+$") and [re.search(p, "䙃"*3000) for _ in range(1000)]`,
		"step_limit",
	},
	{`[round(0.1, 300) for _ in range(100000)]`, "step_limit"},
	{`[1.1 ** 1023 for _ in range(100000)]`, "memory_limit"},
	{`(a := 3**40000) and (b := 7**20000) and [a / b for _ in range(100000)]`, "step_limit"},
	{`(a := 3**40000) and (b := 7**20000) and [math.gcd(a, b) for _ in range(100000)]`, "step_limit"},
	{`math.fsum([1e308, 1e-308] * 30000)`, "step_limit"},
	{`[unicodedata.category("a") for _ in range(100000)]`, "step_limit"},
	{`[datetime.strptime("2024-01-01", "%Y-%m-%d") for _ in range(100000)]`, "memory_limit"},
	{`[date(2024, 1, 1).strftime("%c %c %c") for _ in range(100000)]`, "step_limit"},
	{`[{(1,)*10000} for _ in range(10000)]`, "memory_limit"},
	{`(t := (1,)*10000) and [t in {} for _ in range(10000)]`, "memory_limit"},
}

func TestBombsEndWithTheRightCodeInLittleMemory(t *testing.T) {
	for _, b := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code := codeOf(b.expr)
		runtime.ReadMemStats(&after)
		if code != b.code {
			t.Errorf("%.80s ends with %q; want %q", b.expr, code, b.code)
		}
		// All that was ever allocated counts, what was collected meanwhile included.
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 4<<20 {
			t.Errorf("%.80s allocated %d KiB", b.expr, spent>>10)
		}
	}
}

// codeOf is the code that an expression ends with. On a machine that is very busy the time may be over first; then it
// is tried again.
func codeOf(expr string) string {
	p, err := pyexpr.Compile(expr)
	if err == nil {
		_, err = p.Eval(context.Background(), "a value", pyexpr.NewRecord(people()))
	}
	for n := 0; n < 5 && late(err); n++ {
		_, err = p.Eval(context.Background(), "a value", pyexpr.NewRecord(people()))
	}
	var e *pyexpr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestAnEvaluationEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, err := pyexpr.Compile("sum(1 for _ in range(20000))")
	if err != nil {
		t.Fatal(err)
	}
	var e *pyexpr.Error
	if _, err := p.Eval(ctx, nil, nil); !errors.As(err, &e) || e.Code != "time_limit" {
		t.Errorf("Eval after the end of the context = %v; want a time_limit", err)
	}
}

// BenchmarkBombs tells what the dearest of the bombs costs.
func BenchmarkBombs(b *testing.B) {
	for _, bomb := range bombs {
		p, err := pyexpr.Compile(bomb.expr)
		if err != nil {
			continue
		}
		b.Run(bomb.expr[:min(len(bomb.expr), 50)], func(b *testing.B) {
			for b.Loop() {
				_, _ = p.Eval(context.Background(), "a value", nil)
			}
		})
	}
}
