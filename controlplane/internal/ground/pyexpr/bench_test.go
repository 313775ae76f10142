package pyexpr_test

import (
	"context"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
)

// BenchmarkEval evaluates what mappings are made of.
func BenchmarkEval(b *testing.B) {
	for _, expr := range []string{
		"value.strip().lower()",
		"record['mail'].split('@')[0]",
		"f\"{record['name']['first']} {record['name']['last']}\"",
		"bool(int(record['count']) & 2)",
		"map_value(record['count'], {512: 'active', 514: 'disabled'}, 'unknown')",
		"' '.join(w.capitalize() for w in value.split())",
		"re.sub(r'[^a-z]', '', value.lower())",
		"parse_date(record['hired'], '%Y-%m-%d')",
	} {
		b.Run(expr, func(b *testing.B) {
			p, err := pyexpr.Compile(expr)
			if err != nil {
				b.Fatal(err)
			}
			fields := people()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Eval(context.Background(), "Jane Doe", pyexpr.NewRecord(fields)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFiveTransforms maps a record with five transforms, which share it.
func BenchmarkFiveTransforms(b *testing.B) {
	var all []*pyexpr.Program
	for _, expr := range []string{
		"value.strip().lower()", "f\"{record['name']['first']} {record['name']['last']}\"", "bool(record['count'] & 2)",
		"record['dn'].split(',')[1][3:]", "parse_date(record['hired'])",
	} {
		p, err := pyexpr.Compile(expr)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, p)
	}
	fields := people()
	for b.Loop() {
		rec := pyexpr.NewRecord(fields)
		for _, p := range all {
			if _, err := p.Eval(context.Background(), fields["mail"], rec); err != nil {
				b.Fatal(err)
			}
		}
	}
}
