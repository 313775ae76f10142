package action

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Routes are the actions on an identity.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/identities/{id}/deactivate", "Deactivate an identity", s.deactivate).
			For(viewer.Admin).
			Errors(409, 412).
			Describe("With effective_at in the future the identity is on notice until then. urgent lets the ending " +
				"of their access go before everybody else's. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/leave", "Start a leave", s.leave).For(viewer.Admin).Errors(409, 412).
			Describe("If from is omitted, the leave begins today; if to is omitted, it has no end. Both are whole " +
				"days in the tenant's time zone. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/return", "End a leave", s.returnFromLeave).
			For(viewer.Admin).
			Errors(409, 412).
			Describe("A leave that has not begun is taken back. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/merge", "Merge a duplicate identity", s.merge).
			For(viewer.Admin).
			Errors(409, 412).
			Describe("Accounts, source records, reasons for access, reports, what is owned or sponsored, and the " +
				"user move; the source is archived. " + aboutDryRun),
		httpapi.Handle("POST", "/identities/{id}/unpin", "Unpin identity fields", s.unpin).
			For(viewer.Admin).
			Errors(409, 412).
			Describe("They get the values of the source. attribute_sources of the identity names the fields that are " +
				"pinned."),
		httpapi.Handle("GET", "/identities/{id}/handover", "List the responsibilities of an identity", s.handover).
			For(viewer.Admin, viewer.Auditor),
		httpapi.Handle("POST", "/identities/{id}/reactivate", "Reactivate an identity", s.reactivate).
			For(viewer.Admin).
			Errors(409, 412).
			Describe("Access that ended is not restored; policies grant their access again. " + aboutDryRun),
	}
}

const aboutDryRun = "With dry_run=true nothing is written: the response is the resulting identity, with impact."

// DryRun is whether an action only returns what it would do. huma reads parameters of exported embedded structs only.
type DryRun struct {
	// Tell what would change, and write nothing.
	DryRun bool `query:"dry_run"`
}

type deactivateIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun
	Body struct {
		// Why the identity is deactivated. It is recorded in the audit log, and in status_reason if the status changes.
		Reason string `json:"reason" minLength:"1" maxLength:"1000"`
		// The default is now.
		EffectiveAt time.Time `json:"effective_at,omitempty"`
		// An immediate termination.
		Urgent bool `json:"urgent,omitempty"`
	}
}

// deactivate is POST …/deactivate.
func (s *Service) deactivate(ctx context.Context, v viewer.Viewer, in *deactivateIn) (*httpapi.One[Acted], error) {
	return actedOut(
		s.Deactivate(
			ctx,
			v,
			Decision{in.ID, in.IfMatch, in.DryRun.DryRun, in.Body.Reason},
			in.Body.EffectiveAt,
			in.Body.Urgent,
		),
	)
}

// actionIn is an action whose reason may be omitted, and then the body with it.
type actionIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun
	Body *struct {
		// Why the action is taken. It is recorded in the audit log, and in status_reason if the status changes.
		Reason string `json:"reason,omitempty" maxLength:"1000"`
	}
}

// decision is the action with the viewer's reason.
func (in *actionIn) decision() Decision {
	a := Decision{in.ID, in.IfMatch, in.DryRun.DryRun, ""}
	if in.Body != nil {
		a.Reason = in.Body.Reason
	}
	return a
}

// reactivate is POST …/reactivate.
func (s *Service) reactivate(ctx context.Context, v viewer.Viewer, in *actionIn) (*httpapi.One[Acted], error) {
	return actedOut(s.Reactivate(ctx, v, in.decision()))
}

// returnFromLeave is POST …/return.
func (s *Service) returnFromLeave(ctx context.Context, v viewer.Viewer, in *actionIn) (*httpapi.One[Acted], error) {
	return actedOut(s.Return(ctx, v, in.decision()))
}

type leaveIn struct {
	// ID of the identity.
	ID string `path:"id"`
	httpapi.IfMatch
	DryRun
	Body struct {
		// The first day. The default is today.
		From *string `json:"from,omitempty" format:"date"`
		// The last day. The default is an open end.
		To *string `json:"to,omitempty" format:"date"`
		// Why the leave starts. It is recorded in the audit log, and in status_reason if the status changes.
		Reason string `json:"reason" minLength:"1" maxLength:"1000"`
	}
}

// leave is POST …/leave.
func (s *Service) leave(ctx context.Context, v viewer.Viewer, in *leaveIn) (*httpapi.One[Acted], error) {
	return actedOut(
		s.Leave(ctx, v, Decision{in.ID, in.IfMatch, in.DryRun.DryRun, in.Body.Reason}, in.Body.From, in.Body.To),
	)
}

// actedOut is the response with the identity after the action.
func actedOut(a Acted, err error) (*httpapi.One[Acted], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[Acted]{ETag: httpapi.ETag(a.Version), Body: a}, nil
}

// identityOut is the response with an identity and its version as ETag.
func identityOut(i identity.Identity, err error) (*httpapi.One[identity.Identity], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[identity.Identity]{ETag: httpapi.ETag(i.Version), Body: i}, nil
}
