package conflict_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
)

// company is a tenant with pair policies of so many entitlements on each side, and the entitlements of its people.
type company struct {
	rules  *conflict.Rules
	people [][]string
}

func newCompany(policies, members, people, grants, entitlements int) *company {
	rnd := rand.New(rand.NewPCG(1, 2))
	ids := make([]string, entitlements)
	for i := range ids {
		ids[i] = fmt.Sprintf("%08x-0000-7000-8000-000000000000", i)
	}
	list := make([]conflict.Policy, policies)
	duties := make([]conflict.Duty, 0, 2*policies)
	for i := range list {
		list[i] = conflict.Policy{ID: fmt.Sprint(i), Kind: conflict.Pair}
		for range 2 {
			// A duty is about entitlements that lie together, as those of one system do.
			group, from := make([]string, members), rnd.IntN(entitlements)
			for j := range group {
				group[j] = ids[(from+j)%entitlements]
			}
			d := conflict.Duty{ID: fmt.Sprint(len(duties)), Groups: [][]string{group}}
			duties = append(duties, d)
			list[i].Sides = append(list[i].Sides, conflict.Side{DutyIDs: []string{d.ID}})
		}
	}
	rules, err := conflict.Compile(list, duties)
	if err != nil {
		panic(err)
	}
	c := &company{rules: rules}
	for range people {
		held := make([]string, grants)
		for j := range held {
			held[j] = ids[rnd.IntN(entitlements)]
		}
		c.people = append(c.people, held)
	}
	return c
}

func benchmarkScan(b *testing.B, policies, members int) {
	c := newCompany(policies, members, 100_000, 10, 50_000)
	suspects := 0
	for b.Loop() {
		suspects = 0
		pass := c.rules.NewPass()
		for _, held := range c.people {
			suspects += len(pass.Suspects(held))
		}
	}
	b.ReportMetric(float64(suspects), "suspects")
}

// BenchmarkScanOfFewPolicies looks at 100,000 people with 1,000,000 grants by 50 policies.
func BenchmarkScanOfFewPolicies(b *testing.B) { benchmarkScan(b, 50, 50) }

// BenchmarkScanOfManyPolicies does so by 5,000 policies with 2,000 members on each side.
func BenchmarkScanOfManyPolicies(b *testing.B) { benchmarkScan(b, 5_000, 2_000) }

func BenchmarkCheckOfOnePerson(b *testing.B) {
	c := newCompany(5_000, 2_000, 1, 200, 50_000)
	a := &conflict.Access{}
	for i, id := range c.people[0] {
		a.Sources = append(a.Sources, conflict.Source{ID: fmt.Sprint(i), Gives: []string{id}})
	}
	pass := c.rules.NewPass()
	for b.Loop() {
		c.rules.CheckSuspects(a, pass.Suspects(a.Entitlements()))
	}
}
