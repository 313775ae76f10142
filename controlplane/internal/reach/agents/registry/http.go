package registry

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
)

type newAgent struct {
	// Name of the agent, unique among the agents that are not revoked.
	Name string `json:"name" minLength:"1" maxLength:"100"`
	// Agents of one group replace each other.
	Group string `json:"group,omitempty" maxLength:"100"`
	// Description of the agent.
	Description string `json:"description,omitempty" maxLength:"1000"`

	// Let the agent have the stored credentials of the connectors of its group. Only for administrators who have signed
	// in; it is audited.
	ReleaseCredentials bool `json:"release_credentials,omitempty"`
}

type agentPatch struct {
	// Name of the agent, unique among the agents that are not revoked.
	Name *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
	// Agents of one group replace each other.
	Group *string `json:"group,omitempty" maxLength:"100"`
	// Description of the agent.
	Description *string `json:"description,omitempty" maxLength:"1000"`

	// Let the agent have the stored credentials of the connectors of its new group. Only for administrators who have
	// signed in; it is audited.
	ReleaseCredentials bool `json:"release_credentials,omitempty"`
}

type enrollment struct {
	// Let the new host have the stored credentials of the connectors that use the agent or its group. It is audited.
	ReleaseCredentials bool `json:"release_credentials,omitempty"`
}

type revocation struct {
	// Why the agent is revoked. The reason is shown with the agent and goes into the audit log.
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
}

type listIn struct {
	httpapi.Paging
	// Agents in this state.
	State string `query:"state" enum:"pending,registered,online,degraded,draining,offline,disabled,quarantined,revoked"`
	// Agents of this group.
	Group string `query:"group" maxLength:"100"`
}

type oneIn struct {
	// ID of the agent.
	ID string `path:"id"`
}

type createIn struct{ Body newAgent }

type patchIn struct {
	// ID of the agent.
	ID string `path:"id"`
	httpapi.IfMatch
	Body agentPatch
}

type enrollIn struct {
	// ID of the agent.
	ID   string `path:"id"`
	Body *enrollment
}

type revokeIn struct {
	// ID of the agent.
	ID   string `path:"id"`
	Body revocation
}

// Routes are the administrators' and the agents' own endpoints, but for the websocket, which is Hub.Handler.
func (r *Registry) Routes() []httpapi.Route {
	read := []viewer.Role{viewer.Admin, viewer.Auditor}
	return []httpapi.Route{
		httpapi.Handle("POST", "/settings/agents", "Invite an agent", r.handleCreate).
			For(viewer.Admin).
			Status(201).
			Errors(409).
			Tag("settings").
			Scope("agents").
			Describe("Returns the agent with an enrollment token, which is shown once, works once and is valid for " +
				"an hour."),
		httpapi.Handle("GET", "/settings/agents", "List agents", r.handleList).
			For(read...).
			Tag("settings").
			Scope("agents"),
		httpapi.Handle("GET", "/settings/agents/{id}", "Retrieve an agent", r.handleFind).
			For(read...).
			Tag("settings").
			Scope("agents"),
		httpapi.Handle("PATCH", "/settings/agents/{id}", "Update an agent", r.handleChange).
			For(viewer.Admin).
			Errors(409, 412).
			Tag("settings").
			Scope("agents"),
		httpapi.Handle("POST", "/settings/agents/{id}/enroll", "Enroll an agent again", r.handleReenroll).
			For(viewer.Admin).
			ForPeople().
			Errors(409).
			Tag("settings").
			Scope("agents").
			Describe("Replaces a lost host or ends a quarantine. The old keys and tokens stop working at once. If " +
				"connectors with stored credentials use the agent or its group, the new host receives them only with " +
				"release_credentials; otherwise the response is 409 release_required."),
		httpapi.Handle("POST", "/settings/agents/{id}/drain", "Drain an agent", r.handle(r.drain)).
			For(viewer.Admin).
			Errors(409).
			Tag("settings").
			Scope("agents").
			Describe("Running tasks continue to their end. New tasks go to another agent of the group."),
		httpapi.Handle("POST", "/settings/agents/{id}/resume", "Resume an agent", r.handle(r.resume)).
			For(viewer.Admin).
			Errors(409).
			Tag("settings").
			Scope("agents"),
		httpapi.Handle("POST", "/settings/agents/{id}/disable", "Disable an agent", r.handle(r.disable)).
			For(viewer.Admin).
			Errors(409).
			Tag("settings").
			Scope("agents").
			Describe("The agent is disconnected, and its runs go to another agent of the group, or wait. The agent " +
				"keeps its keys."),
		httpapi.Handle("POST", "/settings/agents/{id}/enable", "Enable an agent", r.handle(r.enable)).
			For(viewer.Admin).
			Errors(409).
			Tag("settings").
			Scope("agents").
			Describe("The agent reconnects automatically within about two minutes."),
		httpapi.Handle("POST", "/settings/agents/{id}/quarantine/clear", "Clear the quarantine of an agent",
			r.handle(r.clear)).
			For(viewer.Admin).
			Errors(409).
			Tag("settings").
			Scope("agents").
			Describe("First stop the copy: if both run, the agent is quarantined again. If you do not know which one " +
				"is the original, enroll the agent again."),
		httpapi.Handle("POST", "/settings/agents/{id}/revoke", "Revoke an agent", r.handleRevoke).
			For(viewer.Admin).
			Tag("settings").
			Scope("agents"),
		httpapi.Handle("DELETE", "/settings/agents/{id}", "Delete an agent", r.handleRemove).
			For(viewer.Admin).
			Status(204).
			Errors(409).
			Tag("settings").
			Scope("agents"),
		httpapi.Handle("POST", "/agent/register", "Enroll an agent", r.handleRegister).
			Presents(r.mayRegister).
			Errors(401, 403, 413, 429).
			Describe("Called by grantwright-agent enroll with the enrolment token as Bearer."),
		httpapi.Handle("POST", "/agent/token", "Renew an agent's token", r.handleToken).
			Presents(r.mayRenew).
			Errors(401, 403, 409, 413, 429).
			Describe("Called by the agent with its last token as Bearer, expired or not, and a proof of its key."),
	}
}

// handleCreate is POST /settings/agents. The response has the enrollment token, which is shown
// once.
func (r *Registry) handleCreate(ctx context.Context, v viewer.Viewer, in *createIn) (*httpapi.Created[Invited], error) {
	out, err := r.create(ctx, v, in.Body)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[Invited]{
		Location: httpapi.Prefix + "/settings/agents/" + out.ID,
		ETag:     httpapi.ETag(out.Revision),
		Body:     out,
	}, nil
}

// handleList is GET /settings/agents, the newest first.
func (r *Registry) handleList(
	ctx context.Context,
	v viewer.Viewer,
	in *listIn,
) (*httpapi.ListOut[agents.Agent], error) {
	f := agents.Filters{State: in.State, Group: in.Group}
	w, err := r.Cursors.Walk(v, "agents", in.Paging, f)
	if err != nil {
		return nil, err
	}
	items, total, err := r.list(ctx, v, f, w.Page)
	if err != nil {
		return nil, err
	}
	return httpapi.Out(
		w,
		items,
		total,
		func(a agents.Agent) []string { return []string{a.CreatedAt.Format(time.RFC3339Nano), a.ID} },
	), nil
}

// handleFind is GET of one agent.
func (r *Registry) handleFind(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[agents.Agent], error) {
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	return shown(r.find(ctx, v, in.ID))
}

// handleChange is PATCH of one agent.
func (r *Registry) handleChange(ctx context.Context, v viewer.Viewer, in *patchIn) (*httpapi.One[agents.Agent], error) {
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	return shown(r.change(ctx, v, in.ID, in.IfMatch, in.Body))
}

// handleReenroll invites a new host for the agent. The keys and tokens of the old one are forgotten at once.
func (r *Registry) handleReenroll(ctx context.Context, v viewer.Viewer, in *enrollIn) (*httpapi.One[Invited], error) {
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	out, err := r.reenroll(ctx, v, in.ID, in.Body != nil && in.Body.ReleaseCredentials)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Invited]{ETag: httpapi.ETag(out.Revision), Body: out}, nil
}

// handleRevoke revokes the agent: its tokens no longer work and its connection is closed.
func (r *Registry) handleRevoke(
	ctx context.Context,
	v viewer.Viewer,
	in *revokeIn,
) (*httpapi.One[agents.Agent], error) {
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	return shown(r.revoke(ctx, v, in.ID, in.Body.Reason))
}

// handleRemove deletes the agent.
func (r *Registry) handleRemove(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.None, error) {
	if err := checkID(in.ID); err != nil {
		return nil, err
	}
	return &httpapi.None{}, r.remove(ctx, v, in.ID)
}

// handle serves an action that needs nothing but the agent it is for.
func (r *Registry) handle(
	act func(context.Context, viewer.Viewer, string) (agents.Agent, error),
) func(context.Context, viewer.Viewer, *oneIn) (*httpapi.One[agents.Agent], error) {
	return func(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[agents.Agent], error) {
		if err := checkID(in.ID); err != nil {
			return nil, err
		}
		return shown(act(ctx, v, in.ID))
	}
}

// checkID keeps what cannot be an id from the database.
func checkID(id string) error {
	if uuid.Validate(id) != nil {
		return agents.NotFound(id)
	}
	return nil
}

// shown is the response with an agent and its version as ETag.
func shown(a agents.Agent, err error) (*httpapi.One[agents.Agent], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[agents.Agent]{ETag: httpapi.ETag(a.Revision), Body: a}, nil
}
