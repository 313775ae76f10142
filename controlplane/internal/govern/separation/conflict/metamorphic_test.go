package conflict_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
)

// verdicts are the violated questions with their grade and the size of the smallest cure.
func verdicts(list []conflict.Violation) map[string]string {
	all := map[string]string{}
	for _, v := range list {
		size := "none"
		if len(v.Cures) > 0 {
			size = fmt.Sprint(len(v.Cures[0]))
		}
		all[questionOf(v)] = fmt.Sprintf("%s, cure of %s", v.Grade, size)
	}
	return all
}

// draw returns a random world, and a source of chance for what is done to it.
func draw(t *rapid.T) (*random, *rand.Rand) {
	seed := rapid.Uint64().Draw(t, "seed")
	return randomWorld(seed), rand.New(rand.NewPCG(seed, 61))
}

func TestMoreAccessNeverEndsAViolation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, rnd := draw(t)
		rules, before := w.rules(), w.access()
		first := verdicts(rules.Check(before))
		w.sources = append(w.sources, source{entitlements: []int{rnd.IntN(20)}, pending: rnd.IntN(2) == 0})
		after := verdicts(rules.Check(w.access()))
		for q := range first {
			if _, still := after[q]; !still && !w.companion(q) {
				t.Fatalf("%s ended when something was added", q)
			}
		}
	})
}

// companion reports whether a question is that of a companion policy, whose violation another duty ends.
func (w *random) companion(question string) bool {
	return slices.ContainsFunc(w.policies, func(p conflict.Policy) bool {
		return question == fmt.Sprintf("q(%s)", p.ID) && p.Kind == conflict.Companion
	})
}

func TestTheOrderOfAccessAndPoliciesChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, rnd := draw(t)
		before := verdicts(w.rules().Check(w.access()))
		rnd.Shuffle(len(w.sources), func(i, j int) { w.sources[i], w.sources[j] = w.sources[j], w.sources[i] })
		rnd.Shuffle(len(w.policies), func(i, j int) { w.policies[i], w.policies[j] = w.policies[j], w.policies[i] })
		for _, groups := range w.duties {
			rnd.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
		}
		if diff := cmp.Diff(before, verdicts(w.rules().Check(w.access()))); diff != "" {
			t.Fatalf("-before +after\n%s", diff)
		}
	})
}

func TestAnEmptyNestChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, rnd := draw(t)
		before := verdicts(w.rules().Check(w.access()))
		for i := range w.sources { // everything is nested in a group that no duty names
			w.nested = append(w.nested, [2]int{w.sources[i].entitlements[0], 1000 + rnd.IntN(3)})
		}
		if diff := cmp.Diff(before, verdicts(w.rules().Check(w.access()))); diff != "" {
			t.Fatalf("-before +after\n%s", diff)
		}
	})
}

func TestOtherNamesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := draw(t)
		before := verdicts(w.rules().Check(w.access()))
		renamed := w.access()
		name := func(id string) string { return "other-" + id }
		traits := map[string]conflict.Traits{}
		for id, of := range renamed.Traits {
			values := map[string]string{}
			for trait, v := range of.Values {
				values[trait] = name(v)
			}
			traits[name(id)] = conflict.Traits{Values: values, ReadOnly: of.ReadOnly}
		}
		renamed.Traits = traits
		for i := range renamed.Sources {
			for j, id := range renamed.Sources[i].Gives {
				renamed.Sources[i].Gives[j] = name(id)
			}
		}
		for i, p := range renamed.Past {
			renamed.Past[i].EntitlementID = name(p.EntitlementID)
		}
		if diff := cmp.Diff(before, verdicts(w.compile(name).Check(renamed))); diff != "" {
			t.Fatalf("-before +after\n%s", diff)
		}
	})
}

// TestARoleInTwoPartsConflictsAsTheWholeDoes splits one source that gives several entitlements into sources of one each:
// the violations stay, since they depend on the access that a person has and not on what grants it.
func TestARoleInTwoPartsConflictsAsTheWholeDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := draw(t)
		before := slices.Sorted(maps.Keys(verdicts(w.rules().Check(w.access()))))
		var parts []source
		for _, s := range w.sources {
			for _, e := range s.entitlements {
				parts = append(parts, source{entitlements: []int{e}, pending: s.pending, roles: s.roles})
			}
		}
		w.sources = parts
		after := slices.Sorted(maps.Keys(verdicts(w.rules().Check(w.access()))))
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("-before +after\n%s", diff)
		}
	})
}

// TestAnExemptionEndsTheViolationsOfItsPolicyAlone exempts the person from one policy more.
func TestAnExemptionEndsTheViolationsOfItsPolicyAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, rnd := draw(t)
		id := w.policies[rnd.IntN(len(w.policies))].ID
		var want []string
		for _, v := range w.rules().Check(w.access()) {
			if v.Policy.ID != id {
				want = append(want, questionOf(v))
			}
		}
		w.exempt[id] = true
		if diff := cmp.Diff(want, questions(w.rules().Check(w.access()))); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
	})
}

// TestAMemberThatIsNamedTwiceCountsOnce names the members of a duty twice, in another order.
func TestAMemberThatIsNamedTwiceCountsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := draw(t)
		before := verdicts(w.rules().Check(w.access()))
		for _, groups := range w.duties {
			for g := range groups {
				again := slices.Clone(groups[g])
				slices.Reverse(again)
				groups[g] = append(groups[g], again...)
			}
		}
		if diff := cmp.Diff(before, verdicts(w.rules().Check(w.access()))); diff != "" {
			t.Fatalf("-before +after\n%s", diff)
		}
	})
}

func TestACompileErrorSaysWhichPolicyIsWrong(t *testing.T) {
	two := []conflict.Side{{DutyIDs: []string{"a"}}, {DutyIDs: []string{"b"}}}
	duties := []conflict.Duty{{ID: "a", Groups: [][]string{{"1"}}}, {ID: "b", Groups: [][]string{{"2"}}}}
	for what, p := range map[string]conflict.Policy{
		"an unknown kind":    {Kind: "trio", Sides: two},
		"one side":           {Kind: conflict.Pair, Sides: two[:1]},
		"three of two":       {Kind: conflict.NOfM, Sides: two, N: 3},
		"a side with itself": {Kind: conflict.Matrix, Sides: two, Conflicts: [][2]int{{1, 1}}},
		"a missing duty":     {Kind: conflict.Pair, Sides: []conflict.Side{two[0], {DutyIDs: []string{"c"}}}},
		"a context of a companion": {Kind: conflict.Companion, Sides: two,
			Context: conflict.Context{Same: []string{"environment"}}},
	} {
		p.ID = "p1"
		if _, err := conflict.Compile([]conflict.Policy{p}, duties); err == nil {
			t.Errorf("%s: compiled", what)
		}
	}
}

func TestASideThatNobodyCanPerformIsBlind(t *testing.T) {
	sides := []conflict.Side{
		{DutyIDs: []string{"a", "empty"}},
		{DutyIDs: []string{"empty"}},
		{DutyIDs: []string{"none"}},
	}
	r, err := conflict.Compile([]conflict.Policy{{ID: "p", Kind: conflict.NOfM, N: 2, Sides: sides}}, []conflict.Duty{
		{ID: "a", Groups: [][]string{{"1"}}},
		{ID: "empty", Groups: [][]string{{"1"}, {}}},
		{ID: "none"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []conflict.Blindness{{PolicyID: "p", Side: 1}, {PolicyID: "p", Side: 2}}
	if diff := cmp.Diff(want, r.Blind()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
