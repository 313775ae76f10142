package tenant

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	aboutPatch = "A JSON merge patch (RFC 7396): null restores the default; absent members stay."
	aboutClose = "From now on users cannot sign in, no token works, agents are refused and sync runs are cancelled. " +
		"When the grace period ends, " +
		"the tenant's keys are destroyed and then all of its data is deleted, including its audit log. Until then it " +
		"can be reopened. " +
		"The audit log of the operator keeps which tenant was closed, by whom and how much was deleted."
)

// Routes are /control-plane/tenants for operators, and /settings/tenant for a tenant's own admins.
func (s *Service) Routes() []httpapi.Route {
	const all, one = "/control-plane/tenants", "/control-plane/tenants/{id}"
	operators := []httpapi.Route{
		httpapi.Handle("GET", all, "List tenants", s.list),
		httpapi.Handle("POST", all, "Create a tenant with its first admin", s.create).
			Status(http.StatusCreated).
			Errors(409).
			Describe("The response contains a one-time token with which the first administrator sets a password " +
				"(POST /auth/sign-in-link). It is shown once and is valid for an hour."),
		httpapi.Handle("GET", one, "Retrieve a tenant", s.read),
		httpapi.Handle("PATCH", one, "Update a tenant", s.patch).Errors(412).Describe(aboutPatch),
		httpapi.Handle("POST", one+"/suspend", "Suspend a tenant", s.suspend).Errors(409, 412).
			Describe("Within five seconds users cannot sign in, no token works, agents are refused and sync runs " +
				"stop. No data is lost: everything continues when the tenant is resumed."),
		httpapi.Handle("POST", one+"/resume", "Resume a suspended tenant", s.resume).Errors(409, 412),
		httpapi.Handle("POST", one+"/limits", "Set the limits of a tenant", s.limit).Errors(412).
			Describe("Replaces all limits: a member that is absent or null has the default limit again."),
		httpapi.Handle("POST", one+"/close", "Close a tenant", s.close).Errors(409, 412).Describe(aboutClose),
		httpapi.Handle("POST", one+"/reopen", "Reopen a closing tenant", s.reopen).Errors(409, 412).
			Describe("The tenant returns to its previous state, active or suspended. Runs that were canceled stay " +
				"canceled."),
	}
	for i := range operators {
		operators[i] = operators[i].ForOperators()
	}
	return append(
		operators,
		httpapi.Handle("GET", "/settings/tenant", "Retrieve your tenant", s.readOwn).
			For(viewer.Admin, viewer.Auditor).
			Tag("settings"),
		httpapi.Handle("PATCH", "/settings/tenant", "Update your tenant", s.patchOwn).
			For(viewer.Admin).
			Errors(412).
			Tag("settings").
			Describe(aboutPatch),
	)
}

// found is a tenant in an answer.
type found = httpapi.One[Tenancy]

// answer is the response with a tenant and its version as ETag.
func (s *Service) answer(t Tenant) *found {
	return &found{ETag: httpapi.ETag(t.Version), Body: s.resource(t)}
}
