package chain

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
)

// addExceptions adds the stages of exception rules after all others: since the request was submitted, its access has
// come to violate policies that need an exception.
func (w *work) addExceptions(f *state.Flow, rules []ExceptionRule) {
	for _, r := range rules {
		first := len(f.Plan.Stages)
		f.Plan.AddExceptions(r.Plan, r.Of)
		f.PlanChanged = true
		f.AddStages(first)
		names := []string{}
		for _, e := range r.Of {
			names = append(names, e.Policy)
		}
		w.Log(f, f.Stage, "exception", "the rule %s decides about an exception: %s", state.Quoted(r.Plan.Rule.Name),
			r.Of[0].Conflict)
		w.Audit(f, batch.DidExcept, "", map[string]any{"rule": r.Plan.Rule.Name, "policies": names})
		w.Touch(f)
	}
}

// exceptionStages are the stages after one that allow exceptions. They stay when another rule takes over.
func exceptionStages(f *state.Flow, after int) []approval.PlanStage {
	return slices.DeleteFunc(slices.Clone(f.Plan.Stages[after+1:]), func(s approval.PlanStage) bool {
		return len(s.Exceptions) == 0
	})
}

// allowsException reports whether a stage allows exceptions. Its approvers must answer: silence allows none.
func allowsException(f *state.Flow, st *state.Stage) bool { return len(f.ExceptionsOf(st.Stage)) > 0 }
