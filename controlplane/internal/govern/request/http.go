package request

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/metrics"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/timeline"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	aboutSubmit = "People request access for themselves, managers for their reports, administrators and integrations " +
		"for all people. Each item is decided separately, by the approval rule " +
		"that applies to it. POST /access-requests/preview returns the approvers in advance, and all reasons for a " +
		"refusal. Unknown members are ignored and named in the " +
		"header Ignored-Fields. kind: extend requests a later end date, return ends your own access, revoke ends the " +
		"access of another person."
	aboutVisible = "Lists requests by you, for you, for your reports, about what you own, and those that you were " +
		"asked to approve. Administrators and auditors see all."
	aboutPreview = "Nothing is written. For each item: the approval chain with names, its limits, whether the person " +
		"already has or requested it, and when the last decision is due."
	aboutCancel = "Withdraws all items without a decision. Approved items stay; to give that access back, return it."
	aboutDecide = "Makes the same decisions as the inbox, with the same checks, for all items of a request at once. " +
		"If no decision is accepted, the response is the first refusal."
	aboutUnsay = "Possible within half an hour of the approval, while the target system does not have the access. " +
		"The item is then pending again."
	aboutExtend = "Creates a request of kind extend, which the approval rule may approve at once. Emergency access " +
		"cannot be extended."
	aboutReturn = "The access ends now. The item is closed when the target system no longer has the access. Without " +
		"items, all access of the request ends."
	aboutBulk = "Requests that are refused do not prevent the others. With dry_run nothing is written, and the " +
		"response contains the result for each request."
	aboutMetrics = "Statistics of the requests that were submitted in the period, by default the last 90 days. Time " +
		"to approve is counted from the submission to the last decision."
	aboutReplay = "Resolves the approvers of the requests of a period again, in the current organization, with or " +
		"without a draft rule. Returns for how many requests " +
		"the outcome, the stages or the approvers would differ, and lists the first hundred. Nothing is written, and " +
		"no approver is notified."
	aboutReassign = "Approvers reassign their own decision, administrators all decisions. The approval rule may " +
		"forbid it, or name the possible approvers."
)

// Routes are the paths under /access-requests, but for the catalog, and the replay of approval rules.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	one := accessrequest.Path + "/{id}"
	return []httpapi.Route{
		httpapi.Handle("POST", accessrequest.Path, "Submit an access request", s.post).
			Status(http.StatusCreated).
			Errors(404, 409).
			Describe(aboutSubmit),
		httpapi.Handle("GET", accessrequest.Path, "List access requests", s.list).Describe(aboutVisible),
		httpapi.Handle("POST", accessrequest.Path+"/preview", "Preview an access request", s.preview).
			Status(200).
			Errors(404).
			Describe(aboutPreview),
		httpapi.Handle("POST", accessrequest.Path+"/bulk", "Submit access requests in bulk", s.bulk).
			For(viewer.Manager, viewer.Admin).
			Status(200).
			Describe(aboutBulk),
		httpapi.Handle("GET", accessrequest.Path+"/metrics", "Get access request metrics", s.metrics).
			For(both...).
			Describe(aboutMetrics),
		httpapi.Handle("GET", one, "Retrieve an access request", s.one).Describe(aboutVisible),
		httpapi.Handle("GET", one+"/timeline", "List the timeline of an access request", s.timeline),
		httpapi.Handle("POST", one+"/cancel", "Cancel an access request", s.cancel).
			Status(200).
			Errors(409, 412).
			Describe(aboutCancel),
		httpapi.Handle("POST", one+"/comments", "Comment on an access request", s.comment).Status(http.StatusCreated),
		httpapi.Handle("POST", one+"/decisions", "Decide items of an access request", s.decisions).
			Status(200).
			Errors(409, 412).
			Describe(aboutDecide),
		httpapi.Handle("POST", one+"/withdraw-approval", "Withdraw an approval", s.unsay).
			Status(200).
			Errors(409, 412).
			Describe(aboutUnsay),
		httpapi.Handle("POST", one+"/extend", "Extend requested access", s.extend).
			Status(http.StatusCreated).
			Errors(409, 412).
			Describe(aboutExtend),
		httpapi.Handle("POST", one+"/return", "Return access", s.giveBack).
			Status(200).
			Errors(409, 412).
			Describe(aboutReturn),
		httpapi.Handle("POST", "/approval-rules/replay", "Replay past requests with an approval rule", s.replay).
			For(viewer.Admin).
			Status(200).
			Describe(aboutReplay),
		httpapi.Handle("POST", one+"/items/{item_id}/withdraw", "Withdraw a request item", s.withdrawItem).
			Status(200).
			Errors(409, 412),
		httpapi.Handle("POST", one+"/items/{item_id}/reassign", "Reassign an approval", s.reassign).
			Status(200).
			Errors(409).
			Describe(aboutReassign),
	}
}

// postIn is the input of post and preview. RawBody shows members that the service sets itself.
type postIn struct {
	Body    accessrequest.NewAccessRequest
	RawBody []byte
}

// post is POST of an access request. Members that are unknown are ignored and named in a header.
func (s *Service) post(ctx context.Context, v viewer.Viewer,
	in *postIn) (*httpapi.Created[accessrequest.AccessRequest], error) {
	ignored, err := accessrequest.CheckMembers(in.RawBody, "#")
	if err != nil {
		return nil, err
	}
	made, err := s.Submit(ctx, v, in.Body)
	return created(made, ignored, err)
}

// created is the response with a new request.
func created(made accessrequest.AccessRequest, ignored []string,
	err error) (*httpapi.Created[accessrequest.AccessRequest], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[accessrequest.AccessRequest]{
		Location: httpapi.Prefix + accessrequest.Path + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Ignored:  strings.Join(ignored, ", "),
		Body:     made,
	}, nil
}

// shown is the response with a request and its version as ETag.
func shown(r accessrequest.AccessRequest, err error) (*httpapi.One[accessrequest.AccessRequest], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[accessrequest.AccessRequest]{ETag: httpapi.ETag(r.Version), Body: r}, nil
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	accessrequest.Filters
}

// list is GET of the access requests that the viewer sees.
func (s *Service) list(ctx context.Context, v viewer.Viewer,
	in *listIn) (*httpapi.ListOut[accessrequest.AccessRequest], error) {
	walk, err := s.Cursors.Walk(v, "access-requests", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.After), err
}

// preview is POST …/preview: what a submission would say, without writing anything.
func (s *Service) preview(
	ctx context.Context,
	v viewer.Viewer,
	in *postIn,
) (*httpapi.One[AccessRequestPreview], error) {
	ignored, err := accessrequest.CheckMembers(in.RawBody, "#")
	if err != nil {
		return nil, err
	}
	out, err := s.Preview(ctx, v, in.Body)
	return &httpapi.One[AccessRequestPreview]{Ignored: strings.Join(ignored, ", "), Body: out}, err
}

// AccessRequestBatch is the body of many requests in one call.
type AccessRequestBatch struct {
	// Access requests to submit, 1 to 200. Each is accepted or refused separately.
	Requests []accessrequest.NewAccessRequest `json:"requests" nullable:"false" minItems:"1" maxItems:"200"`
	// As the parameter.
	DryRun bool `json:"dry_run,omitempty"`
}

type bulkIn struct {
	// Only tell.
	DryRun  bool `query:"dry_run"`
	Body    AccessRequestBatch
	RawBody []byte
}

// bulk is POST …/bulk. Each request has a result of its own.
func (s *Service) bulk(ctx context.Context, v viewer.Viewer, in *bulkIn) (*httpapi.One[AccessRequestBulk], error) {
	var body struct {
		Requests []json.RawMessage `json:"requests"`
	}
	if err := json.Unmarshal(in.RawBody, &body); err != nil {
		return nil, fault.Coded(fault.Malformed, "malformed_json", "the body must be a JSON object")
	}
	var ignored []string
	for i, raw := range body.Requests {
		names, err := accessrequest.CheckMembers(raw, fmt.Sprintf("#/requests/%d", i))
		if err != nil {
			return nil, err
		}
		ignored = append(ignored, names...)
	}
	out, err := s.SubmitMany(ctx, v, in.Body.Requests, in.DryRun || in.Body.DryRun)
	return &httpapi.One[AccessRequestBulk]{Ignored: strings.Join(ignored, ", "), Body: out}, err
}

// metricsIn is the input of metrics.
type metricsIn struct {
	// From this instant.
	Since time.Time `query:"since"`
	// Only before this time. The default is now.
	Until time.Time `query:"until"`
}

// metrics is GET …/metrics. The default is the last 90 days. Years before 1 are refused: the answer
// repeats the instants, and RFC 3339 cannot write them.
func (s *Service) metrics(
	ctx context.Context,
	v viewer.Viewer,
	in *metricsIn,
) (*httpapi.One[metrics.AccessRequestMetrics], error) {
	since, until := in.Since, in.Until
	if until.IsZero() {
		until = s.Now().UTC()
	}
	if since.IsZero() {
		since = until.Add(-90 * span.Day)
	}
	if until.Year() < 1 || since.Year() < 1 { // which no answer can say either
		early := "until"
		if until.Year() >= 1 && !in.Since.IsZero() {
			early = "since"
		}
		return nil, fault.Coded(fault.Malformed, "invalid_parameter", "there is no year 0").
			With(fault.Field{Parameter: early, Code: "invalid", Detail: "a later instant"})
	}
	if !since.Before(until) {
		return nil, fault.Coded(fault.Malformed, "invalid_parameter", "since must come before until").
			With(fault.Field{Parameter: "since", Code: "invalid", Detail: "an instant before until"})
	}
	out, err := s.Metrics(ctx, v, since, until)
	return &httpapi.One[metrics.AccessRequestMetrics]{Body: out}, err
}

type idIn struct {
	// ID of the request.
	ID string `path:"id"`
}

// one is GET of an access request.
func (s *Service) one(ctx context.Context, v viewer.Viewer,
	in *idIn) (*httpapi.One[accessrequest.AccessRequest], error) {
	return shown(s.Read(ctx, v, in.ID))
}

type timelineIn struct {
	// ID of the request.
	ID string `path:"id"`
	// Rows in a page; above 500 it is cut down to 500.
	Limit int32 `query:"limit" minimum:"1" default:"500"`
	// Rows to pass over.
	Offset int32 `query:"offset" minimum:"0" default:"0"`
}

// timeline is GET …/timeline. A request has few steps, so a page is cut out of all of them.
func (s *Service) timeline(
	ctx context.Context,
	v viewer.Viewer,
	in *timelineIn,
) (*httpapi.ListOut[timeline.AccessRequestStep], error) {
	steps, err := s.Timeline(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	limit := min(int(in.Limit), httpapi.MaxLimit)
	from := min(int(in.Offset), len(steps))
	part := steps[from:min(from+limit, len(steps))]
	return &httpapi.ListOut[timeline.AccessRequestStep]{
		Body: httpapi.List[timeline.AccessRequestStep]{
			Items:  append([]timeline.AccessRequestStep{}, part...),
			Total:  int64(len(steps)),
			Limit:  limit,
			Offset: int(in.Offset),
		},
	}, nil
}

// AccessRequestReason is why somebody does something.
type AccessRequestReason struct {
	// Why, for those who were asked.
	Reason string `json:"reason,omitempty" maxLength:"2000"`
}

// text is the reason without spaces around it; empty without a body.
func (r *AccessRequestReason) text() string {
	if r == nil {
		return ""
	}
	return strings.TrimSpace(r.Reason)
}

// AccessRequestChoice are items of a request, with why something is done with them.
type AccessRequestChoice struct {
	// The items. The default is all items that allow the action.
	Items []string `json:"items,omitempty" nullable:"false" maxItems:"50" format:"uuid"`
	// Reason for the return of access. It is ignored when an approval is withdrawn.
	Reason string `json:"reason,omitempty" maxLength:"2000"`
}

// huma reads the parameters of exported embedded structs only, hence the id in each input.
type reasonIn struct {
	// ID of the request.
	ID string `path:"id"`
	httpapi.IfMatch
	Body *AccessRequestReason
}

// cancel is POST …/cancel.
func (s *Service) cancel(ctx context.Context, v viewer.Viewer,
	in *reasonIn) (*httpapi.One[accessrequest.AccessRequest], error) {
	return shown(s.Cancel(ctx, v, in.ID, in.IfMatch, in.Body.text()))
}

type withdrawIn struct {
	// ID of the request.
	ID string `path:"id"`
	// The id of the item.
	ItemID string `path:"item_id"`
	httpapi.IfMatch
	Body *AccessRequestReason
}

// withdrawItem is POST …/withdraw of one item.
func (s *Service) withdrawItem(
	ctx context.Context,
	v viewer.Viewer,
	in *withdrawIn,
) (*httpapi.One[accessrequest.AccessRequest], error) {
	return shown(s.Withdraw(ctx, v, in.ID, in.ItemID, in.IfMatch, in.Body.text()))
}

// AccessRequestHandover says who is asked instead.
type AccessRequestHandover struct {
	// The identity that is asked instead.
	To string `json:"to" format:"uuid"`
	// Reason for the reassignment. It is shown in the history of the decision task.
	Reason string `json:"reason" minLength:"1" maxLength:"2000"`
	// Whose question is meant, where several people are asked; one's own otherwise.
	TaskID string `json:"task_id,omitempty" format:"uuid"`
}

type reassignIn struct {
	// ID of the request.
	ID string `path:"id"`
	// The id of the item.
	ItemID string `path:"item_id"`
	Body   AccessRequestHandover
}

// reassign is POST …/reassign of one item.
func (s *Service) reassign(ctx context.Context, v viewer.Viewer,
	in *reassignIn) (*httpapi.One[accessrequest.AccessRequest], error) {
	return shown(s.Reassign(ctx, v, in.ID, in.ItemID, in.Body.TaskID, in.Body.To, in.Body.Reason))
}

// NewAccessRequestComment is what somebody says.
type NewAccessRequestComment struct {
	// Text of the comment.
	Text string `json:"text" minLength:"1" maxLength:"4000"`
	// Readers of the comment. approvers: the requester and the person who gets the access cannot read it.
	Visibility string `json:"visibility,omitempty" enum:"everybody,approvers" default:"everybody"`
}

type commentIn struct {
	// ID of the request.
	ID   string `path:"id"`
	Body NewAccessRequestComment
}

// comment is POST …/comments.
func (s *Service) comment(
	ctx context.Context,
	v viewer.Viewer,
	in *commentIn,
) (*httpapi.One[accessrequest.AccessRequestComment], error) {
	said, err := s.Comment(ctx, v, in.ID, in.Body.Text, in.Body.Visibility)
	return &httpapi.One[accessrequest.AccessRequestComment]{Body: said}, err
}

// AccessRequestVerdicts are decisions about items of a request.
type AccessRequestVerdicts struct {
	// Decisions on request items, 1 to 50.
	Decisions []AccessRequestVerdict `json:"decisions" nullable:"false" minItems:"1" maxItems:"50"`
}

type decisionsIn struct {
	// ID of the request.
	ID string `path:"id"`
	httpapi.IfMatch
	Body AccessRequestVerdicts
}

// decisions is POST …/decisions: the viewer decides about several items at once.
func (s *Service) decisions(
	ctx context.Context,
	v viewer.Viewer,
	in *decisionsIn,
) (*httpapi.One[AccessRequestDecisions], error) {
	out, err := s.Decide(ctx, v, in.ID, in.IfMatch, in.Body.Decisions)
	return &httpapi.One[AccessRequestDecisions]{ETag: httpapi.ETag(out.Request.Version), Body: out}, err
}

type itemsIn struct {
	// ID of the request.
	ID string `path:"id"`
	httpapi.IfMatch
	Body *AccessRequestChoice
}

// unsay takes the viewer's own approvals back. Without a body it concerns all items.
func (s *Service) unsay(ctx context.Context, v viewer.Viewer,
	in *itemsIn) (*httpapi.One[accessrequest.AccessRequest], error) {
	if in.Body == nil {
		in.Body = &AccessRequestChoice{}
	}
	return shown(s.WithdrawApproval(ctx, v, in.ID, in.IfMatch, in.Body.Items))
}

// giveBack returns access that the viewer was given. Without a body it concerns all items.
func (s *Service) giveBack(ctx context.Context, v viewer.Viewer,
	in *itemsIn) (*httpapi.One[accessrequest.AccessRequest], error) {
	if in.Body == nil {
		in.Body = &AccessRequestChoice{}
	}
	return shown(s.Return(ctx, v, in.ID, in.IfMatch, in.Body.Items, strings.TrimSpace(in.Body.Reason)))
}

type extendIn struct {
	// ID of the request.
	ID string `path:"id"`
	httpapi.IfMatch
	Body AccessRequestExtension
}

// extend is POST …/extend: a new request for more time.
func (s *Service) extend(ctx context.Context, v viewer.Viewer,
	in *extendIn) (*httpapi.Created[accessrequest.AccessRequest], error) {
	made, err := s.Extend(ctx, v, in.ID, in.IfMatch, in.Body)
	return created(made, nil, err)
}
