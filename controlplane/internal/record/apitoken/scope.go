package apitoken

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// family is a part of the API that a token is let into as a whole.
type family struct {
	name     string
	about    string
	readOnly bool
}

// families are all that a token can be let into. Whatever belongs to none, such as the control plane of the deployment,
// is closed to every token.
var families = []family{
	{name: "identities", about: "people and non-human identities"},
	{name: "accounts", about: "accounts and who owns them"},
	{name: "entitlements", about: "entitlements, roles and grants"},
	{name: "connectors", about: "connectors, their tests and their runs"},
	{name: "access-requests", about: "requests for access"},
	{name: "approval-rules", about: "rules of who approves"},
	{name: "decision-tasks", about: "tasks that wait for a decision"},
	{name: "dashboard", about: "the sum of what there is and what waits", readOnly: true},
	{name: "policies", about: "policies and their violations"},
	{name: "sector-packs", about: "sector packs"},
	{name: "audit-events", about: "the audit log", readOnly: true},
	{name: "agents", about: "agents"},
	{name: "webhooks", about: "webhooks and their deliveries"},
	{name: "tokens", about: "service tokens"},
	{name: "users", about: "the people who sign in"},
	{name: "settings", about: "the other settings of the tenant"},
}

// TokenScope is one thing that a token can be let do.
type TokenScope struct {
	// Name of the scope: a part of the API, a colon, and read or write.
	Scope string `json:"scope" example:"identities:read"`
	// Description of what the scope permits.
	About string `json:"description" example:"Read people and non-human identities"`
	// What it opens at present.
	Operations []string `json:"operations" nullable:"false" example:"[\"GET /api/v1/identities\"]"`
}

// Scopes are all that there are, each with the routes that it opens.
func Scopes(routes []httpapi.Route) []TokenScope {
	opens := map[string][]string{}
	for _, r := range routes {
		need := r.Needs()
		opens[need] = append(opens[need], r.Method+" "+r.Path)
	}
	var all []TokenScope
	for _, f := range families {
		for _, right := range f.rights() {
			scope := f.name + ":" + right.verb
			operations := slices.Sorted(slices.Values(opens[scope]))
			if operations == nil {
				operations = []string{}
			}
			all = append(all, TokenScope{Scope: scope, About: right.word + " " + f.about, Operations: operations})
		}
	}
	return all
}

// right is what a scope allows in a family, with the word for it.
type right struct{ verb, word string }

// rights are those that the family has.
func (f family) rights() []right {
	if f.readOnly {
		return []right{{"read", "Read"}}
	}
	return []right{{"read", "Read"}, {"write", "Change"}}
}

// known reports whether there is such a scope.
func known(scope string) bool {
	return slices.ContainsFunc(families, func(f family) bool {
		return slices.ContainsFunc(f.rights(), func(r right) bool { return scope == f.name+":"+r.verb })
	})
}

// checkScopes sorts scopes, and names every one that does not exist.
func checkScopes(scopes []string) ([]string, error) {
	var wrong []fault.Field
	for i, s := range scopes {
		if !known(s) {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: fmt.Sprintf("#/scopes/%d", i),
					Code:    "unknown_scope",
					Detail:  fmt.Sprintf("there is no scope %q", s),
				},
			)
		}
	}
	if len(wrong) > 0 {
		return nil, fault.New(fault.Invalid,
			"a scope does not exist; GET %s/settings/api-tokens/scopes lists those that do", httpapi.Prefix).
			With(wrong...)
	}
	sorted := slices.Clone(scopes)
	slices.Sort(sorted)
	return slices.Compact(sorted), nil
}
