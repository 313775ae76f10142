package stream

import (
	"errors"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

// TestAnAnswerHasOneBudgetForAllItsPaths judges an answer in which one path alone takes more than half of a budget.
func TestAnAnswerHasOneBudgetForAllItsPaths(t *testing.T) {
	object := map[string]any{}
	at := object
	for range 1100 {
		next := map[string]any{}
		at["a"], at["b"] = next, strings.Repeat("x", 10)
		at = next
	}
	costly := jsonpath.MustCompile("$..[?@..none]")
	j := Judge(object)
	steps := 0
	for j.Budget.Err() == nil && steps < 50 {
		j.First(costly)
		steps++
	}
	var exceeded *jsonpath.BudgetError
	if steps < 2 || !errors.As(j.Budget.Err(), &exceeded) {
		t.Fatalf(
			"the budget of an answer ended with %v after %d queries; want it exhausted after several",
			j.Budget.Err(),
			steps,
		)
	}
	v := SuccessCheck{message: costly, success: costly}
	judgement := Judge(object)
	for range steps {
		v.Failed(judgement, false)
	}
	if !errors.As(judgement.Budget.Err(), &exceeded) {
		t.Errorf("each path had a budget of its own: %v", judgement.Budget.Err())
	}
}
