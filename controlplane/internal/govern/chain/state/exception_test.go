package state_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// TestExceptionsAreAllowedByPeopleInAllOfTheirStages compares AllowedExceptions with a count of what happened to random
// stages: an exception is allowed if each of its stages was approved, and in each a person answered a task.
func TestExceptionsAreAllowedByPeopleInAllOfTheirStages(t *testing.T) {
	policies := []string{"a", "b"}
	states := []string{state.StageApproved, state.StageApproved, state.StageSkipped, state.StageWaiting,
		state.StageRejected}
	rapid.Check(t, func(t *rapid.T) {
		f := &state.Flow{}
		asked, answered := map[string]int{}, map[string]int{}
		for i := range rapid.IntRange(0, 6).Draw(t, "stages") {
			var s approval.PlanStage
			st := &state.Stage{Stage: i, State: rapid.SampledFrom(states).Draw(t, "state")}
			by := rapid.SampledFrom([]string{"person", "request", "nobody"}).Draw(t, "by")
			if by != "nobody" {
				slot := &state.Slot{
					State:     state.SlotApproved,
					DecidedBy: &decision.Actor{Type: "user", ID: "x", Display: by},
				}
				if by == "person" {
					slot.TaskID = new(string)
				}
				st.Slots = append(st.Slots, slot)
			}
			for _, p := range policies {
				if !rapid.Bool().Draw(t, "excepts "+p) {
					continue
				}
				s.Exceptions = append(s.Exceptions, approval.StageException{PolicyID: p, RuleID: "r"})
				asked[p]++
				if st.State == state.StageApproved && by == "person" {
					answered[p]++
				}
			}
			f.Plan.Stages, f.Stages = append(f.Plan.Stages, s), append(f.Stages, st)
		}
		var got []string
		for _, e := range f.AllowedExceptions() {
			got = append(got, e.PolicyID)
			if len(e.By) != 1 || e.By[0].Display != "person" {
				t.Errorf("%s was allowed by %v", e.PolicyID, e.By)
			}
		}
		for _, p := range policies {
			if want := asked[p] > 0 && asked[p] == answered[p]; slices.Contains(got, p) != want {
				t.Errorf("%s: allowed %v; want %v", p, !want, want)
			}
		}
	})
}
