package rest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

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
	if err != nil || got.Outcome != v1.OutcomeUnknown || got.ErrorDetail == nil ||
		got.ErrorDetail.Code != "query_too_costly" {
		t.Errorf("provision = %+v, %v; want an outcome that is not known, because of query_too_costly", got, err)
	}
}
