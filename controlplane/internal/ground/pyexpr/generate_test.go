package pyexpr_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// generator makes expressions that are right by their grammar, and mostly by their types.
type generator struct {
	*rand.Rand
}

func (g *generator) of(choices ...string) string { return choices[g.IntN(len(choices))] }

// fill replaces every %s, %i, %n, %l, %b, %d and %a by a text, a number, a small one, a list, a truth, a dict or
// anything.
func (g *generator) fill(template string, depth int) string {
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		if template[i] != '%' || i+1 == len(template) {
			b.WriteByte(template[i])
			continue
		}
		i++
		switch template[i] {
		case 's':
			b.WriteString(g.text(depth - 1))
		case 'i':
			b.WriteString(g.number(depth - 1))
		case 'n':
			b.WriteString(g.of("0", "1", "2", "5", "-3", "9", "20", "len(value)", "None"))
		case 'l':
			b.WriteString(g.list(depth - 1))
		case 'b':
			b.WriteString(g.truth(depth - 1))
		case 'd':
			b.WriteString(g.dict(depth - 1))
		case 'a':
			b.WriteString(g.any(depth - 1))
		default:
			b.WriteByte('%')
			b.WriteByte(template[i])
		}
	}
	return b.String()
}

func (g *generator) any(depth int) string {
	switch g.IntN(9) {
	case 0, 1, 2:
		return g.text(depth)
	case 3, 4:
		return g.number(depth)
	case 5:
		return g.list(depth)
	case 6:
		return g.truth(depth)
	case 7:
		return g.dict(depth)
	}
	return g.of(
		"None",
		"value",
		"record",
		"()",
		"(1, 'a')",
		"record['tags']",
		"record['name']",
		"{1, 2}",
		"1.5",
		"range(3)",
	)
}

func (g *generator) text(depth int) string {
	if depth <= 0 {
		return g.of(
			"value",
			"'abc'",
			"''",
			"'a b'",
			"'Ünïcode ß'",
			"'x,y,z'",
			"record['mail']",
			"record['name']['last']",
			"'12'",
			"' p '",
			"'İΣ'",
			"'%s'",
			"'😀é'",
			`"it's"`,
		)
	}
	return g.fill(g.of(
		"%s.lower()",
		"%s.upper()",
		"%s.title()",
		"%s.capitalize()",
		"%s.casefold()",
		"%s.swapcase()",
		"%s.strip()",
		"%s.strip(%s)",
		"%s.lstrip()",
		"%s.rstrip('a')",
		"%s.replace(%s, %s)",
		"%s.replace(%s, %s, %i)",
		"%s[%i]",
		"%s[%i:]",
		"%s[:%i]",
		"%s[%i:%i]",
		"%s[::%i]",
		"%s[%i:%i:%i]",
		"(%s + %s)",
		"(%s * %n)",
		"%s.join(%l)",
		"''.join(%s)",
		"%s.removeprefix(%s)",
		"%s.removesuffix(%s)",
		"%s.zfill(%n)",
		"%s.center(%n)",
		"%s.ljust(%n, '*')",
		"%s.rjust(%n)",
		"str(%a)",
		"repr(%a)",
		"f'{%i}'",
		"f'{%i:5}|'",
		"(%s or %s)",
		"(%s and %s)",
		"(%s if %b else %s)",
		"%s.partition(%s)[0]",
		"%s.rpartition('.')[2]",
		"%s.split()[0]",
		"%s.split(%s)[-1]",
		"'%5s|%-6s' % (%s, %s)",
		"'{}-{}'.format(%a, %s)",
		"'{:>8}'.format(%s)",
		"%s.expandtabs(%n)",
		"re.sub('[aeiou]', %s, %s)",
		"re.sub(r'\\s+', '_', %s)",
		"re.sub(r'(\\w)(\\w)', r'\\2\\1', %s)",
		"''.join(sorted(%s))",
		"''.join(reversed(%s))",
		"''.join(c for c in %s if c.isalpha())",
		"chr(%i)",
		"min(%s, %s)",
		"max(%l, key=str)",
		"unaccent(%s)",
		"escape_dn(%s)",
		"lower(%a)",
		"coalesce(%a, %s)",
		"join(%l, '-')",
		"split(%s)[0]",
		"(lambda s: s + s)(%s)",
		"unicodedata.normalize('NFKD', %s)",
		"%s.encode('utf-8').decode()",
		"%s.encode('ascii', 'ignore').decode()",
		"ascii(%a)",
		"%s.translate(str.maketrans('abc', 'xyz'))",
		"format(%i, '05d')",
		"format(%i, ',')",
		"format(%s, '>6')",
		"str(%i).zfill(4)",
		"%s.splitlines()[0]",
		"%d['a']",
		"%d.get('a', %s)",
		"map_value(%s, {'abc': 'x'}, %s)",
		"default(%s[9], %s)",
		"hex(%i)",
		"bin(%i)",
		"oct(%i)",
		"string.capwords(%s)",
		"(q := %s) + q",
		"first(%l)",
		"default(str(%i / %i), 'none')",
	), depth)
}

func (g *generator) number(depth int) string {
	if depth <= 0 {
		return g.of(
			"0",
			"1",
			"2",
			"-1",
			"3",
			"7",
			"-5",
			"10",
			"255",
			"record['count']",
			"len(value)",
			"2.5",
			"True",
			"1e3",
			"-0.0",
			"100",
			"0.1",
			"2**64",
			"record['ratio']",
			"12345678901234567890",
		)
	}
	return g.fill(g.of(
		"(%i + %i)",
		"(%i - %i)",
		"(%i * %i)",
		"(%i // %i)",
		"(%i % %i)",
		"(%i / %i)",
		"(-%i)",
		"abs(%i)",
		"len(%s)",
		"len(%l)",
		"len(%a)",
		"%s.count(%s)",
		"%s.find(%s)",
		"%s.rfind(%s)",
		"%s.index(%s)",
		"round(%i)",
		"round(%i, 1)",
		"round(%i, -1)",
		"int(%s)",
		"int(%i)",
		"float(%i)",
		"float(%s)",
		"sum(%l)",
		"max(%i, %i)",
		"min(%l)",
		"sum(len(str(x)) for x in %l)",
		"%l.index(%a)",
		"%l.count(%a)",
		"ord(%s)",
		"(%i & %i)",
		"(%i | %i)",
		"(%i ^ %i)",
		"(~%i)",
		"(%i >> 2)",
		"(%i << 3)",
		"(%i if %b else %i)",
		"divmod(%i, %i)[1]",
		"pow(%i, 2)",
		"(%i ** 2)",
		"math.floor(%i)",
		"math.ceil(%i)",
		"math.gcd(%i, %i)",
		"default(int(%s), %i)",
		"int(%s, 16)",
		"bool(%a)",
		"next(iter(%l), %i)",
		"(%i).bit_length()",
		"math.isqrt(abs(%i))",
		"(lambda a, b=2: a * b)(%i)",
		"%s.find(%s, %i, %i)",
		"sum(x for x in %l if isinstance(x, int))",
		"math.trunc(%i)",
		"math.fsum(%l)",
	), depth)
}

func (g *generator) list(depth int) string {
	if depth <= 0 {
		return g.of(
			"[]",
			"[1, 2, 3]",
			"['a', 'b']",
			"record['tags']",
			"['x']",
			"[3, 1, 2]",
			"[None, 'a', '']",
			"[[1], [2]]",
			"('p', 'q')",
			"list(value)",
			"['b', 'a', 'c']",
			"[1.5, 2]",
			"range(4)",
		)
	}
	return g.fill(g.of(
		"[%a, %a]",
		"[%s, %s]",
		"[%i, %i]",
		"%s.split()",
		"%s.split(%s)",
		"%s.split(%s, %i)",
		"%s.rsplit(%s, 1)",
		"%s.splitlines()",
		"list(%s)",
		"sorted(%l)",
		"sorted(%l, key=str)",
		"sorted(%l, reverse=True)",
		"%l[%i:]",
		"%l[:%i]",
		"%l[::-1]",
		"%l[%i:%i:%i]",
		"(%l + %l)",
		"(%l * 2)",
		"[x for x in %l]",
		"[x for x in %l if x]",
		"[str(x) for x in %l]",
		"[x.upper() for x in %l]",
		"[x for x in %s if x in %s]",
		"[(i, x) for i, x in enumerate(%l)]",
		"[a + b for a in %s for b in %s][:9]",
		"list(map(str, %l))",
		"list(filter(None, %l))",
		"list(zip(%l, %l))",
		"list(enumerate(%l, %n))",
		"list(reversed(%l))",
		"list(range(%n))[:5]",
		"re.findall(r'\\w+', %s)",
		"re.split(r'[ ,]+', %s)",
		"re.findall('[a-c]', %s)",
		"re.findall(r'(\\w)(\\W)', %s)",
		"[*%l, %a]",
		"list(%d)",
		"list(%d.values())",
		"sorted(%d.items(), key=str)",
		"(%l or %l)",
		"list(set(%l))[:0]",
		"sorted(set(%s))",
		"%s.partition(%s)",
		"[%l]",
		"list(dict.fromkeys(%l))",
		"[y for x in %l for y in x]",
		"sorted(%l, key=lambda x: (len(str(x)), str(x)))",
		"[t for x in %l if (t := x)]",
		"(l := list(%l)).append(%a) or l",
		"[f'{x!r}' for x in %l]",
		"[i * 2 for i in range(5) if i % 2 == %i]",
		"[a for a, *b in %l]",
		"[x if %b else None for x in %l]",
		"list({x: 1 for x in %l})",
		"tuple(%l)",
		"[len(x) for x in %l]",
		"(a := [3, 1, 2]).sort() or a",
		"list(map(lambda x, y: (x, y), %l, %l))",
	), depth)
}

func (g *generator) truth(depth int) string {
	if depth <= 0 {
		return g.of("True", "False", "value", "not value", "record['active']", "None", "1", "''", "value is None")
	}
	return g.fill(g.of(
		"(%s == %s)",
		"(%i < %i)",
		"(%i <= %i < %i)",
		"(%s < %s)",
		"(%a == %a)",
		"(%a != %a)",
		"(%a < %a)",
		"(%s in %s)",
		"(%a in %l)",
		"(%a not in %l)",
		"(not %a)",
		"(%b and %b)",
		"(%b or %b)",
		"%s.startswith(%s)",
		"%s.endswith((%s, 'c'))",
		"%s.isalpha()",
		"%s.isdigit()",
		"%s.isalnum()",
		"%s.isupper()",
		"%s.islower()",
		"%s.istitle()",
		"%s.isspace()",
		"%s.isidentifier()",
		"any(%l)",
		"all(%l)",
		"isinstance(%a, str)",
		"isinstance(%a, (int, list))",
		"bool(%a)",
		"(%a is None)",
		"(%a is not None)",
		"re.match('[a-z]+', %s) is not None",
		"bool(re.search(r'\\d', %s))",
		"('a' in %d)",
		"(%l < %l)",
		"(%d == %d)",
		"re_match('a', %s)",
		"(set(%s) <= set(%s))",
		"any(x == %a for x in %l)",
		"%s.isprintable()",
		"%s.isascii()",
		"callable(%a)",
		"(%i == %i == %i)",
		"(%s <= %s != %s)",
	), depth)
}

func (g *generator) dict(depth int) string {
	if depth <= 0 {
		return g.of("{}", "{'a': 1}", "record['name']", "{'a': 'x', 'b': None}", "{1: 2}", "dict(a=value)")
	}
	return g.fill(g.of(
		"{%s: %a}",
		"{'a': %a, %s: %a}",
		"{**%d, 'a': %a}",
		"(%d | %d)",
		"{k: v for k, v in %d.items()}",
		"{x: %i for x in %s}",
		"dict(zip(%s, %l))",
		"dict(%d, b=%a)",
		"{str(x): x for x in %l}",
		"{v: k for k, v in %d.items()}",
		"(d := dict(%d)).update(%d) or d",
		"{%a: %a}",
		"dict(enumerate(%s))",
	), depth)
}

func TestGeneratedExpressionsGiveWhatCPythonGives(t *testing.T) {
	const pairs = 12_000
	g := &generator{Rand: rand.New(rand.NewPCG(20261122, 4))}
	questions := make([]question, pairs)
	for i := range questions {
		depth := 1 + g.IntN(3)
		questions[i] = question{g.any(depth), fieldValues[g.IntN(len(fieldValues))], people()}
		if len(questions[i].Expr) > 2000 {
			questions[i].Expr = "value"
		}
	}
	distinct := map[string]bool{}
	for _, q := range questions {
		distinct[fmt.Sprint(q)] = true
	}
	if len(distinct) < pairs/2 {
		t.Fatalf("only %d of %d pairs are different", len(distinct), pairs)
	}
	agree(t, questions)
}
