package inbox

import (
	"context"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/colleague"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/decision-tasks"

const (
	aboutList = "Without parameters: the tasks that the caller can decide, ordered by due date. A task is visible to " +
		"its approvers, directly or by delegation or role, " +
		"to those for whom a delegate decides, and to administrators and auditors."
	aboutClaim = "Only the claimer can decide the task until it is released, by the claimer or an administrator. " +
		"Tasks can be decided without a claim."
	aboutDecide = "The member actions of the task lists the possible actions and their required members. With " +
		"defer_seconds, the decision is checked now and takes effect after that time; until then it can be undone. " +
		"Requesters and recipients cannot decide, also not through a role, a delegation or a reassignment: 403 " +
		"own_request."
	aboutUndo = "A decision with defer_seconds can be undone until it takes effect, by its author or an " +
		"administrator. The task is open again."
	aboutBulk = "By ids, or by group_key all open tasks with that key that the caller may decide, 500 in a call. " +
		"Each task is checked separately: those that cannot be decided are returned with the reason, the others are " +
		"decided, " +
		"all in one transaction."
	aboutReassign   = "Only the new approvers can decide the task. Its approvers and administrators can reassign it."
	aboutColleagues = "People to whom the caller may reassign the task: they are not absent, can sign in, are not " +
		"approvers of it already, and are not its subject. Returns only enough to distinguish them, " +
		"20 at most; give a longer q to narrow the list. If reassign_to of the task names people, only those are " +
		"returned, and q is optional. Not available to service tokens."
	aboutEscalate = "Adds approvers to the task: the managers of its approvers, or administrators if there are no " +
		"managers or to says so."
)

// Routes are the paths under /decision-tasks.
func (s *Service) Routes() []httpapi.Route {
	return append([]httpapi.Route{
		httpapi.Handle("GET", base, "List decision tasks", s.list).Describe(aboutList),
		httpapi.Handle("GET", base+"/summary", "Count open decision tasks", s.summary),
		httpapi.Handle("POST", base+"/bulk-decide", "Decide decision tasks in bulk", s.bulk).
			Status(http.StatusOK).
			Errors(404).
			Describe(aboutBulk),
		httpapi.Handle("GET", base+"/{id}", "Retrieve a decision task", s.one),
		httpapi.Handle("POST", base+"/{id}/claim", "Claim a decision task", s.claim).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutClaim),
		httpapi.Handle("POST", base+"/{id}/release", "Release a decision task", s.release).
			Status(http.StatusOK).
			Errors(409, 412),
		httpapi.Handle("POST", base+"/{id}/decide", "Decide a decision task", s.decideOne).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutDecide),
		httpapi.Handle("POST", base+"/{id}/undo", "Undo a pending decision", s.undo).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutUndo),
		httpapi.Handle("POST", base+"/{id}/reassign", "Reassign a decision task", s.reassign).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutReassign),
		httpapi.Handle("GET", base+"/{id}/colleagues", "List possible assignees of a decision task", s.colleagues).
			ForPeople().
			Errors(409).
			Describe(aboutColleagues),
		httpapi.Handle("POST", base+"/{id}/escalate", "Escalate a decision task", s.escalate).
			Status(http.StatusOK).
			Errors(409, 412).
			Describe(aboutEscalate),
		httpapi.Handle("POST", base+"/{id}/comments", "Comment on a decision task", s.comment).Status(http.StatusOK),
	}, s.delegations().Routes()...)
}

type listIn struct {
	httpapi.Paging
	tasklist.Filters
}

func (s *Service) list(
	ctx context.Context,
	v viewer.Viewer,
	in *listIn,
) (*httpapi.ListOut[decision.DecisionTask], error) {
	walk, err := s.Cursors.Walk(v, "decision-tasks", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.After), err
}

type summaryIn struct {
	// As of the list.
	Assigned string `query:"assigned" default:"mine" enum:"mine,all,delegated"`
}

func (s *Service) summary(
	ctx context.Context,
	v viewer.Viewer,
	in *summaryIn,
) (*httpapi.One[tasklist.DecisionSummary], error) {
	sum, err := s.Summary(ctx, v, in.Assigned)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[tasklist.DecisionSummary]{Body: sum}, nil
}

type idIn struct {
	ID string `path:"id"`
}

type taskOut = httpapi.One[tasklist.DecisionTaskDetail]

func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*taskOut, error) {
	return shown(s.Read(ctx, v, in.ID))
}

func shown(d tasklist.DecisionTaskDetail, err error) (*taskOut, error) {
	if err != nil {
		return nil, err
	}
	return &taskOut{ETag: httpapi.ETag(d.Version), Body: d}, nil
}

type matchIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

func (s *Service) claim(ctx context.Context, v viewer.Viewer, in *matchIn) (*taskOut, error) {
	return shown(s.Claim(ctx, v, in.ID, in.IfMatch))
}

func (s *Service) release(ctx context.Context, v viewer.Viewer, in *matchIn) (*taskOut, error) {
	return shown(s.Release(ctx, v, in.ID, in.IfMatch))
}

func (s *Service) undo(ctx context.Context, v viewer.Viewer, in *matchIn) (*taskOut, error) {
	return shown(s.Undo(ctx, v, in.ID, in.IfMatch))
}

// DecisionChoice is a decision.
type DecisionChoice struct {
	// The key of one of the task's actions.
	Action string `json:"action" minLength:"1" maxLength:"100" example:"approve"`
	// Comment on the decision. It is required if requires of the action lists comment.
	Comment string `json:"comment,omitempty" maxLength:"4000"`
	// What the action takes beside a comment.
	Inputs map[string]any `json:"inputs,omitempty"`
	// How long it can be undone. 0: it takes effect at once.
	DeferSeconds int `json:"defer_seconds,omitempty" minimum:"0" maximum:"86400"`
}

func (c DecisionChoice) choice() Choice {
	return Choice{
		Decision: decision.Decision{Action: c.Action, Comment: c.Comment, Inputs: c.Inputs},
		Wait:     time.Duration(c.DeferSeconds) * time.Second,
	}
}

type decideIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body DecisionChoice
}

func (s *Service) decideOne(ctx context.Context, v viewer.Viewer, in *decideIn) (*taskOut, error) {
	c := in.Body.choice()
	c.Match = in.IfMatch
	return shown(s.DecideOne(ctx, v, in.ID, c))
}

// DecisionBulkChoice is a decision about many tasks.
type DecisionBulkChoice struct {
	// IDs of the decision tasks. Give either ids or group_key.
	IDs []string `json:"ids,omitempty" nullable:"false" minItems:"1" maxItems:"500" format:"uuid"`
	// Instead of ids.
	GroupKey string `json:"group_key,omitempty" maxLength:"500"`
	DecisionChoice
}

type bulkIn struct{ Body DecisionBulkChoice }

func (s *Service) bulk(ctx context.Context, v viewer.Viewer, in *bulkIn) (*httpapi.One[DecisionBulk], error) {
	if (len(in.Body.IDs) == 0) == (in.Body.GroupKey == "") {
		return nil, fault.New(fault.Invalid, "Select tasks by ids or by group_key.").
			With(fault.Field{Pointer: "#/ids", Code: "required", Detail: "ids, or group_key instead"})
	}
	out, err := s.DecideMany(ctx, v, in.Body.IDs, in.Body.GroupKey, in.Body.choice())
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DecisionBulk]{Body: out}, nil
}

// DecisionReassignment is to whom a task is given, and why.
type DecisionReassignment struct {
	// Identities.
	To []string `json:"to" nullable:"false" minItems:"1" maxItems:"20" format:"uuid"`
	// Reason for the reassignment. It is shown in the history of the task.
	Reason string `json:"reason" minLength:"1" maxLength:"1000" example:"She runs the project"`
}

type reassignIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body DecisionReassignment
}

func (s *Service) reassign(ctx context.Context, v viewer.Viewer, in *reassignIn) (*taskOut, error) {
	return shown(s.Reassign(ctx, v, in.ID, in.IfMatch, in.Body.To, in.Body.Reason))
}

type colleaguesIn struct {
	ID string `path:"id"`
	colleague.Search
}

func (s *Service) colleagues(
	ctx context.Context,
	v viewer.Viewer,
	in *colleaguesIn,
) (*httpapi.One[colleague.DecisionColleagues], error) {
	return colleague.Answer(s.TaskColleagues(ctx, v, in.ID, in.Q))
}

// DecisionEscalation is who is asked beside, and why.
type DecisionEscalation struct {
	// The default is the managers of the assignees, and administrators if there are none.
	To string `json:"to,omitempty" enum:"manager,admin"`
	// Reason for the escalation. It is shown in the history of the task.
	Reason string `json:"reason" minLength:"1" maxLength:"1000" example:"Nobody has answered for a week"`
}

type escalateIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body DecisionEscalation
}

func (s *Service) escalate(ctx context.Context, v viewer.Viewer, in *escalateIn) (*taskOut, error) {
	return shown(s.Escalate(ctx, v, in.ID, in.IfMatch, in.Body.To, in.Body.Reason))
}

// NewDecisionComment is a comment about a task.
type NewDecisionComment struct {
	// Text of the comment.
	Text string `json:"text" minLength:"1" maxLength:"4000"`
}

type commentIn struct {
	ID   string `path:"id"`
	Body NewDecisionComment
}

func (s *Service) comment(ctx context.Context, v viewer.Viewer, in *commentIn) (*taskOut, error) {
	return shown(s.Comment(ctx, v, in.ID, in.Body.Text))
}
