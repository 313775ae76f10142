package pyexpr_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// pattern makes a regular expression with some of everything.
func (g *generator) pattern(depth int) string {
	if depth <= 0 {
		return g.of(
			"a",
			"b",
			"ab",
			".",
			`\d`,
			`\w`,
			`\s`,
			`\W`,
			"[ab]",
			"[^a]",
			"[a-c]",
			`[\w.]`,
			"^",
			"$",
			`\b`,
			`\B`,
			`\A`,
			`\Z`,
			"é",
			"[é-ü]",
			"",
			`\.`,
			"1",
			" ",
			"A",
			`[^\W\d]`,
		)
	}
	p := func() string { return g.pattern(depth - 1) }
	switch g.IntN(12) {
	case 0, 1, 2:
		return p() + p()
	case 3:
		return "(" + p() + ")"
	case 4:
		return "(?:" + p() + ")" + g.of("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{,2}?", "{0}", "*+", "?+")
	case 5:
		return "(" + p() + ")" + g.of("*", "+", "?", "*?", "{2}", "{1,3}?")
	case 6:
		return p() + "|" + p()
	case 7:
		return g.of("a", "b", ".", `\w`, "[ab]", `\s`) + g.of("*", "+", "?", "*?", "+?", "{2,}", "{1,2}", "++")
	case 8:
		return g.of("(?=", "(?!", "(?>", "(?i:", "(?s:", "(?m:") + p() + ")"
	case 9:
		return g.of("(?<=a)", "(?<!b)", "(?<=ab|cd)", "(?<!^)", "(?<=é)") + p()
	case 10:
		return "(" + p() + ")" + p() + `\1`
	}
	return g.of("(?i)", "(?m)", "(?s)", "(?a)", "(?x)") + p()
}

func (g *generator) subject() string {
	var b strings.Builder
	for range g.IntN(9) {
		b.WriteString(g.of("a", "b", "c", "A", "B", "é", "É", " ", "\n", "1", "ab", ".", "-", "ü", "_", "😀", "ı"))
	}
	return b.String()
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// spec makes a specification of the format language.
func (g *generator) spec() string {
	return g.of(
		"",
		"",
		"<",
		">",
		"^",
		"=",
		"*<",
		"0>",
		"é^",
		"x=",
	) + g.of(
		"",
		"",
		"+",
		"-",
		" ",
	) + g.of(
		"",
		"",
		"",
		"z",
	) + g.of(
		"",
		"",
		"",
		"#",
	) + g.of(
		"",
		"",
		"0",
	) +
		g.of(
			"",
			"5",
			"10",
			"1",
			"15",
			"02",
		) + g.of(
		"",
		"",
		"",
		",",
		"_",
	) + g.of(
		"",
		"",
		".0",
		".1",
		".2",
		".3",
		".10",
		".",
	) + g.of(
		"",
		"",
		"d",
		"s",
		"f",
		"e",
		"g",
		"x",
		"X",
		"b",
		"o",
		"%",
		"n",
		"G",
		"E",
		"c",
		"F",
		"q",
	)
}

func (g *generator) float() string {
	switch g.IntN(4) {
	case 0:
		return g.of(
			"0.0",
			"-0.0",
			"1.0",
			"0.5",
			"2.5",
			"1e16",
			"123456789.123",
			"1e-7",
			"float('inf')",
			"float('nan')",
			"-1.5",
			"0.1",
			"99999.5",
			"1e22",
			"5e-324",
			"1.7976931348623157e308",
			"0.00001",
			"100.0",
		)
	case 1:
		return fmt.Sprintf("%v", g.Float64()*1000-500)
	case 2:
		return strconv.FormatFloat(g.NormFloat64(), 'e', g.IntN(17), 64)
	}
	return strconv.FormatFloat(float64(g.IntN(100000))/float64(uint(1)<<g.IntN(12)), 'f', -1, 64)
}

func (g *generator) scalar() string {
	return g.of(
		g.float(),
		g.float(),
		strconv.Itoa(g.IntN(2_000_000)-1_000_000),
		strconv.Itoa(g.IntN(20)-10),
		"2**70",
		"-2**65",
		"'ab'",
		"'Üx'",
		"''",
		"True",
		"None",
		"1234567",
	)
}

func (g *generator) percent() string {
	return "%" + g.of(
		"",
		"-",
		"+",
		" ",
		"#",
		"0",
		"-0",
		"+0",
	) + g.of(
		"",
		"",
		"5",
		"10",
		"*",
	) + g.of(
		"",
		"",
		".2",
		".0",
		".5",
		".",
	) + g.of(
		"d",
		"s",
		"r",
		"f",
		"e",
		"g",
		"x",
		"X",
		"o",
		"c",
		"i",
		"G",
		"a",
		"%",
		"u",
	)
}

func (g *generator) when() string {
	return fmt.Sprintf(
		"datetime(%d, %d, %d, %d, %d, %d, %d)",
		g.IntN(9999)+1,
		g.IntN(12)+1,
		g.IntN(28)+1,
		g.IntN(24),
		g.IntN(60),
		g.IntN(60),
		g.of2(0, g.IntN(1_000_000)),
	)
}

func (g *generator) of2(a, b int) int {
	if g.IntN(2) == 0 {
		return a
	}
	return b
}

func (g *generator) formats() string {
	var b strings.Builder
	for range g.IntN(5) + 1 {
		b.WriteString(
			g.of(
				"%Y",
				"%m",
				"%d",
				"%H",
				"%M",
				"%S",
				"%y",
				"%b",
				"%B",
				"%a",
				"%A",
				"%j",
				"%I",
				"%p",
				"%f",
				"%U",
				"%W",
				"%w",
				"%u",
				"%V",
				"%G",
				"%%",
				"%F",
				"%T",
				"%-d",
				"%e",
				"%c",
				"%x",
			) + g.of(
				"",
				" ",
				"-",
				"/",
				":",
				".",
			),
		)
	}
	return b.String()
}

// stamp is a text that may be a date.
func (g *generator) stamp() string {
	day := fmt.Sprintf("%04d-%02d-%02d", g.IntN(30)+2000, g.IntN(13), g.IntN(32))
	clock := fmt.Sprintf("%02d:%02d:%02d", g.IntN(25), g.IntN(61), g.IntN(61))
	s := g.of(
		day,
		day,
		strings.ReplaceAll(day, "-", ""),
		fmt.Sprintf("%d-W%02d-%d", g.IntN(30)+2000, g.IntN(54), g.IntN(9)),
		fmt.Sprintf("%dW%02d%d", g.IntN(30)+2000, g.IntN(54), g.IntN(9)),
	)
	if g.IntN(2) == 0 {
		s += g.of(
			"T",
			" ",
			"x",
			"é",
		) + g.of(
			clock,
			clock,
			strings.ReplaceAll(clock, ":", ""),
			clock[:5],
			clock[:2],
			clock+".5",
			clock+".123456",
			clock+",1234567",
		) +
			g.of(
				"",
				"",
				"Z",
				"+02:00",
				"-0530",
				"+1",
				"+02:00:30",
				"z",
				"+24:00",
			)
	}
	return s
}

// special makes expressions about patterns, formats and dates, which have languages of their own.
func (g *generator) special() string {
	p, s := quoted(g.pattern(1+g.IntN(4))), quoted(g.subject())
	switch g.IntN(12) {
	case 0:
		return fmt.Sprintf("re.findall(%s, %s)", p, s)
	case 1:
		return fmt.Sprintf("re.sub(%s, '<\\g<0>>', %s)", p, s)
	case 2:
		return fmt.Sprintf("re.split(%s, %s)", p, s)
	case 3:
		return fmt.Sprintf(
			"[re.%s(%s, %s%s)]",
			g.of("search", "match", "fullmatch"),
			p,
			s,
			g.of("", ", re.I", ", re.M", ", re.S", ", re.A", ", re.X"),
		)
	case 4:
		return fmt.Sprintf("[(m.span(), m.groups(), m.lastindex) for m in re.finditer(%s, %s)]", p, s)
	case 5:
		return fmt.Sprintf("format(%s, %s)", g.scalar(), quoted(g.spec()))
	case 6:
		return fmt.Sprintf("f'{%s:%s}'", strings.ReplaceAll(g.scalar(), "'", `"`), g.spec())
	case 7:
		return fmt.Sprintf("'%s|%s' %% (%s, %s)", g.percent(), g.percent(), g.scalar(), g.scalar())
	case 8:
		return fmt.Sprintf("%s.strftime(%s)", g.when(), quoted(g.formats()))
	case 9:
		f := g.formats()
		return fmt.Sprintf("datetime.strptime(%s.strftime(%s), %s)", g.when(), quoted(f), quoted(g.of(f, g.formats())))
	case 10:
		return fmt.Sprintf("datetime.fromisoformat(%s)", quoted(g.stamp()))
	}
	return fmt.Sprintf(
		"[repr(%s), str(%s), round(%s, %d), %s // %s, %s %% %s]",
		g.float(),
		g.scalar(),
		g.float(),
		g.IntN(8)-3,
		g.float(),
		g.of("2", "0.1", "-3.5", "7"),
		g.float(),
		g.of("2", "0.1", "-3.5", "7"),
	)
}

func TestPatternsFormatsAndDatesGiveWhatCPythonGives(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(20261122, 4))}
	questions := make([]question, 12_000)
	for i := range questions {
		questions[i] = question{Expr: g.special()}
	}
	agree(t, questions)
}
