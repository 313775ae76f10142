package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// graph is a GraphQL service with people in pages, as far as the tests ask it. Every answer but a refused request has
// status 200.
type graph struct {
	people map[string]map[string]any
	order  []string
	asked  []map[string]any
	refuse string // answers a mutation with these words
	status int    // with this status
}

func (g *graph) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Query     string
		Variables map[string]any
	}
	raw, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(raw, &q); err != nil {
		http.Error(w, `{"errors":[{"message":"no JSON"}]}`, 400)
		return
	}
	g.asked = append(g.asked, q.Variables)
	w.Header().Set("Content-Type", "application/json")
	answer := g.answer(q.Query, q.Variables)
	if g.status != 0 && strings.HasPrefix(q.Query, "mutation") {
		w.WriteHeader(g.status)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (g *graph) answer(query string, vars map[string]any) any {
	failure := func(words string) any {
		return map[string]any{"data": nil, "errors": []any{map[string]any{"message": words}}}
	}
	switch {
	case strings.Contains(query, "people("):
		return g.page(vars)
	case strings.Contains(query, "person("):
		p, there := g.people[fmt.Sprint(vars["id"])]
		if !there {
			return failure("person not found")
		}
		return map[string]any{"data": map[string]any{"person": p}}
	case g.refuse != "":
		return failure(g.refuse)
	}
	input, _ := vars["input"].(map[string]any)
	id := fmt.Sprint(vars["id"])
	if vars["id"] == nil {
		id = fmt.Sprintf("p%d", len(g.people)+1)
		g.people[id], g.order = map[string]any{"id": id}, append(g.order, id)
	}
	for k, v := range input {
		g.people[id][k] = v
	}
	return map[string]any{"data": map[string]any{"save": map[string]any{"id": id}}}
}

func (g *graph) page(vars map[string]any) any {
	begin := 0
	for i, id := range g.order {
		if vars["after"] == "c"+id {
			begin = i + 1
		}
	}
	var nodes []any
	end := min(begin+2, len(g.order))
	for _, id := range g.order[begin:end] {
		nodes = append(nodes, g.people[id])
	}
	info := map[string]any{"hasNextPage": end < len(g.order), "endCursor": "c" + g.order[end-1]}
	return map[string]any{"data": map[string]any{"people": map[string]any{"nodes": nodes, "pageInfo": info}}}
}

const graphStreams = `[{"name":"people","object":"account","request":{"path":"graphql","method":"POST",
  "body":{"query":"query($after: String) { people(after: $after) { nodes { id login } } }","variables":{"after":null,"kind":"staff"}}},
  "record_selector":"$.data.people.nodes[*]","key_path":"id","fields":{"username":"login","is_disabled":"off"},
  "pagination":{"style":"cursor","in":"body","cursor_param":"variables.after","cursor_path":"$.data.people.pageInfo.endCursor",
    "has_more_path":"$.data.people.pageInfo.hasNextPage"}}]`

const graphWrites = `{
  "reads": {"account": {"method":"POST","path":"/graphql","body":{"query":"{ person(id: $id) { id login } }","variables":{"id":"{{target.remote_id}}"}},
    "record_path":"$.data.person","message_path":"$.errors[0].message","missing_contains":"not found"}},
  "ops": {
    "account.create": {"path":"/graphql","body":{"query":"mutation { save(input: {a: {b: {c: 1}}}) { id }}","variables":{"input":{"login":"{{account.username}}"}}},
      "id_path":"$.data.save.id"},
    "account.disable": {"path":"/graphql","body":{"query":"mutation { save { id }}","variables":{"id":"{{target.remote_id}}","input":{"off":true}}},
      "success_path":"$.data.save.id","message_path":"$.errors[0].message","already":{"status":[200],"contains":"already off"}}}}`

func graphed(t *testing.T) (*graph, v1.AuthConfig) {
	t.Helper()
	g := &graph{people: map[string]map[string]any{}}
	for i := range 5 {
		id := fmt.Sprintf("p%d", i+1)
		g.people[id], g.order = map[string]any{"id": id, "login": "user" + id, "off": false}, append(g.order, id)
	}
	srv := httptest.NewServer(g)
	t.Cleanup(srv.Close)
	auth := settings(srv.URL, graphStreams)
	var w map[string]any
	if err := json.Unmarshal([]byte(graphWrites), &w); err != nil {
		t.Fatal(err)
	}
	auth["writes"] = w
	return g, auth
}

func TestACursorMayStandInsideOfTheVariables(t *testing.T) {
	t.Parallel()
	g, auth := graphed(t)
	var names []string
	err := newConnector().Sync(context.Background(), v1.SyncRequest{AuthConfig: auth},
		func(_ context.Context, p v1.SyncResponse) error {
			for _, a := range p.Accounts {
				names = append(names, *a.Username)
			}
			return nil
		})
	if err != nil || len(names) != 5 {
		t.Fatalf("read %v (%v); want five people", names, err)
	}
	want := []map[string]any{
		{"after": nil, "kind": "staff"},
		{"after": "cp2", "kind": "staff"},
		{"after": "cp4", "kind": "staff"},
	}
	if diff := cmp.Diff(want, g.asked); diff != "" {
		t.Errorf("asked with (-want +got):\n%s", diff)
	}
}

func TestAChangeThatAnswers200WithAnErrorIsAnError(t *testing.T) {
	t.Parallel()
	g, auth := graphed(t)
	name := "new"
	create := v1.ProvisionRequest{
		AuthConfig: auth,
		Op:         v1.OpAccountCreate,
		Account:    &v1.ProvisionAccount{Username: &name},
	}
	disable := v1.ProvisionRequest{
		AuthConfig: auth,
		Op:         v1.OpAccountDisable,
		Target:     v1.ProvisionTarget{RemoteID: "p1"},
	}
	for what, tt := range map[string]struct {
		req    v1.ProvisionRequest
		status int
	}{
		"without an id and without settings": {create, 0},
		"by success_path":                    {disable, 0},
		"by message_path with a 400":         {disable, 400},
	} {
		g.refuse = "duplicate key value violates people_login_key"
		g.status = tt.status
		_, err := newConnector().Provision(context.Background(), tt.req)
		var d *v1.ErrorDetail
		if !errors.As(err, &d) || d.Class != v1.ClassData || !strings.Contains(d.Message, "duplicate key") {
			t.Errorf("%s: %v; want the target's words", what, err)
		}
	}
	g.refuse = ""
	g.status = 0
	got, err := newConnector().Provision(context.Background(), create)
	if err != nil || got.Outcome != v1.OutcomeApplied || got.Account == nil || got.Account.ExternalID != "p6" {
		t.Errorf("create = %+v, %v", got, err)
	}
	if got, err = newConnector().Provision(context.Background(), disable); err != nil ||
		got.Outcome != v1.OutcomeApplied ||
		!got.Verified {
		t.Errorf("disable = %+v, %v; want it verified by the read", got, err)
	}
}

func TestAReadWithABodyShowsWhatIsThere(t *testing.T) {
	t.Parallel()
	_, auth := graphed(t)
	got, err := newConnector().Read(context.Background(),
		v1.ReadRequest{AuthConfig: auth, Accounts: []v1.ProvisionTarget{{RemoteID: "p2"}, {RemoteID: "p9"}}})
	if err != nil || len(got.Accounts) != 2 || got.Accounts[0].Account == nil || got.Accounts[1].Account != nil {
		t.Fatalf("read = %+v, %v; want the first and not the second", got, err)
	}
}

func TestAnErrorThatIsNoAbsenceFailsARead(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":null,"errors":[{"message":"permission denied"}]}`)
	}))
	t.Cleanup(srv.Close)
	_, auth := graphed(t)
	auth["base_url"] = srv.URL
	_, err := newConnector().Read(context.Background(),
		v1.ReadRequest{AuthConfig: auth, Accounts: []v1.ProvisionTarget{{RemoteID: "p2"}}})
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || !strings.Contains(d.Message, "permission denied") {
		t.Errorf("read = %v; want the target's words", err)
	}
}
