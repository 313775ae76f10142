package inbox

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// maxBulk is how many tasks one call decides.
const maxBulk = 500

// DecisionBulk says what became of each task of a call.
type DecisionBulk struct {
	// How many were decided.
	Decided int `json:"decided"`
	// Number of tasks that were not decided. See results for the reasons.
	Refused int `json:"refused"`
	// Of a group_key: how many more of its tasks the caller may decide than one call takes. Call again.
	Remaining int64 `json:"remaining"`
	// In the order of ids.
	Results []DecisionResult `json:"results" nullable:"false"`
}

// DecisionResult is what became of one task.
type DecisionResult struct {
	// ID of the decision task.
	ID string `json:"id"`
	// Result for the task. decided: the decision has taken effect. deferred: it takes effect later and can be undone
	// until then. refused: the task was not decided.
	Result string `json:"result" enum:"decided,deferred,refused"`
	// Of a refusal, as the call for one task would give it.
	Code string `json:"code,omitempty"`
	// Reason for the refusal, in words. Absent if the decision was accepted.
	Detail string `json:"detail,omitempty"`
	// Fields that caused the refusal. Absent if there are none.
	Errors []fault.Field `json:"errors,omitempty"`
}

// DecideMany decides many tasks the same way, by their ids or by what they have in common. What cannot be decided is
// refused by itself; an error of another kind leaves everything as it was.
func (s *Service) DecideMany(
	ctx context.Context,
	v viewer.Viewer,
	ids []string,
	group string,
	c Choice,
) (out DecisionBulk, err error) {
	c.Channel = "bulk"
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out = DecisionBulk{Results: []DecisionResult{}}
		if group != "" {
			if ids, out.Remaining, err = tasklist.OfGroup(ctx, tx, group, maxBulk); err != nil {
				return err
			}
		}
		results, err := s.decide(ctx, tx, ids, c.Decision, c.Wait, nil)
		if err != nil {
			return err
		}
		for i, id := range ids {
			out.add(id, results[i], c.Wait > 0)
		}
		return nil
	})
	return out, err
}

func (b *DecisionBulk) add(id string, refused error, deferred bool) {
	r := DecisionResult{ID: id, Result: "decided"}
	var f *fault.Fault
	switch {
	case errors.As(refused, &f):
		r.Result, r.Code, r.Detail, r.Errors = "refused", f.Code, f.Message, f.Fields
		b.Refused++
	default:
		if deferred {
			r.Result = "deferred"
		}
		b.Decided++
	}
	b.Results = append(b.Results, r)
}
