package matching

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

// names makes people's names of common first names and made-up last names.
func names(n int) []string {
	first := []string{
		"Anna",
		"Maria",
		"Peter",
		"Thomas",
		"Michael",
		"Sandra",
		"Julia",
		"Stefan",
		"Karin",
		"Robert",
		"Ivan",
		"Olga",
		"Chloé",
		"Jürgen",
		"Łukasz",
	}
	syllables := []string{
		"mei",
		"er",
		"schmi",
		"tt",
		"lo",
		"ve",
		"lace",
		"bau",
		"hof",
		"mann",
		"ko",
		"val",
		"ski",
		"ros",
		"si",
		"gar",
		"cia",
		"ber",
		"ger",
		"win",
		"ter",
		"som",
	}
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]string, n)
	for i := range list {
		last := ""
		for range 2 + r.IntN(3) {
			last += syllables[r.IntN(len(syllables))]
		}
		list[i] = first[r.IntN(len(first))] + " " + last
	}
	return list
}

// BenchmarkFuzzyRules finds the candidates of 50,000 accounts among 50,000 people by likeness alone.
func BenchmarkFuzzyRules(b *testing.B) {
	const n = 50_000
	all := names(n)
	for _, way := range []string{"trigram>=0.7", "trigram>=0.5", "levenshtein<=1", "levenshtein<=2"} {
		b.Run(way, func(b *testing.B) {
			p, err := Compile(Settings{AutoLink: 0.9, Propose: 0.5, Rules: []CorrelationRule{{ID: "name", Weight: 0.9,
				Conditions: []CorrelationCondition{{"display_name", "display_name", way}}}}})
			if err != nil {
				b.Fatal(err)
			}
			subjects := make([]subject, n)
			for i := range subjects {
				subjects[i].values = []field.Values{{all[i][:len(all[i])-1]}} // the last letter is lost
			}
			for b.Loop() {
				found, err := p.pair(subjects, func(visit func(ID, []field.Values)) error {
					for i := range all {
						var who ID
						binary.BigEndian.PutUint32(who[:], uint32(i))
						visit(who, []field.Values{{all[i]}})
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				total := 0
				for _, l := range found.lists {
					total += len(l)
				}
				b.ReportMetric(float64(total)/n, "candidates/account")
			}
		})
	}
}

func TestAValueWithoutAnythingToCompareFindsNobody(t *testing.T) {
	for _, way := range []string{"exact", "digits", "normalized", "prefix_4", "trigram>=0.3", "levenshtein<=1"} {
		p, err := Compile(Settings{AutoLink: 0.9, Propose: 0.5, Rules: []CorrelationRule{{ID: "name", Weight: 0.9,
			Conditions: []CorrelationCondition{{"display_name", "display_name", way}, {"email", "email", "exact"}}}}})
		if err != nil {
			t.Fatal(err)
		}
		subjects := []subject{
			{values: []field.Values{nil, {"a@x"}}},
			{values: []field.Values{{""}, {"a@x"}}},
			{values: []field.Values{{"!"}, nil}},
		}
		found, err := p.pair(subjects, func(visit func(ID, []field.Values)) error {
			for i, v := range [][]field.Values{{nil, nil}, {{""}, {""}}, {{"?"}, {""}}} {
				visit(ID{byte(i)}, v)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(found.lists); got != "[[] [] []]" {
			t.Errorf("%s: candidates %s; want none", way, got)
		}
	}
}
