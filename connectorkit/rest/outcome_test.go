package rest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	v1 "github.com/grantwright/grantwright/protocol/v1"
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
	j := judge(object)
	steps := 0
	for j.budget.Err() == nil && steps < 50 {
		j.first(costly)
		steps++
	}
	var exceeded *jsonpath.BudgetError
	if steps < 2 || !errors.As(j.budget.Err(), &exceeded) {
		t.Fatalf("the budget of an answer ended with %v after %d queries; want it exhausted after several", j.budget.Err(), steps)
	}
	v := verdict{message: costly, success: costly}
	judgement := judge(object)
	for range steps {
		v.failed(judgement, false)
	}
	if !errors.As(judgement.budget.Err(), &exceeded) {
		t.Errorf("each path had a budget of its own: %v", judgement.budget.Err())
	}
}

// TestAnAnswerThatIsTooCostlyToJudgeLeavesTheChangeOpen answers a change with a list that its success_path compares
// for each element.
func TestAnAnswerThatIsTooCostlyToJudgeLeavesTheChangeOpen(t *testing.T) {
	t.Parallel()
	list := "[" + strings.Repeat("0,", 100_000) + "0]"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, `{"list":`+list+`,"same":`+list+`}`)
			return
		}
		_, _ = io.WriteString(w, `[]`)
	}))
	t.Cleanup(srv.Close)
	_, auth := graphed(t)
	auth["base_url"] = srv.URL
	auth["writes"] = map[string]any{"ops": map[string]any{"account.create": map[string]any{"path": "/users",
		"success_path": "$.list[?$.list == $.same]", "message_path": "$.message"}}}
	name := "new"
	got, err := newConnector().Provision(t.Context(), v1.ProvisionRequest{AuthConfig: auth, Op: v1.OpAccountCreate,
		Account: &v1.ProvisionAccount{Username: &name}})
	if err != nil || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail == nil || got.ErrorDetail.Code != "query_too_costly" {
		t.Errorf("provision = %+v, %v; want an outcome that is not known, because of query_too_costly", got, err)
	}
}
