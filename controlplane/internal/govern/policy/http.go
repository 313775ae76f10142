package policy

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/simulation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	base   = "/policies/access-grant"
	ndjson = "application/x-ndjson"
)

const (
	aboutPolicies = "An access policy assigns roles, entitlements or accounts to the people who meet its condition, " +
		"denies them, or lets these people request them. With the effect require, it says what people must have. " +
		"It is evaluated when a person " +
		"is created or changes, and for all people when the policy changes. In shadow mode it only reports what it " +
		"would change. With the effect eligible, it defines who can request the access."
	aboutConfirm = "Changes beyond the circuit breaker of an enforced policy, or that affect more than 10 % of the " +
		"people, must be confirmed: " +
		"the response is 409 confirmation_required with the impact. Send the request again with confirm, the " +
		"plan_hash of the impact. If the impact has changed in the meantime, the response is 409 plan_changed."
	aboutDelete   = "The access that the policy granted ends at once."
	aboutDisable  = "The access that the policy granted ends, after the grace period if there is one."
	aboutSimulate = "Returns who would gain and lose access if the policy were enforced, computed by the same " +
		"evaluation. With download=true, or Accept: application/x-ndjson, returns all affected people, one per line; " +
		"otherwise counts and a sample."
	aboutReset = "Resumes a policy that its circuit breaker stopped. Its pending changes are applied now, and the " +
		"breaker counts from zero. To reduce them, change the policy first: simulate shows the pending changes."
	aboutEvaluate = "Evaluates the enforced policies for one person. dry_run is true by default and only reports the " +
		"changes. false applies them, and also restores access that " +
		"was revoked from the person."
	aboutValidate = "Returns whether a condition is valid, its normal form, its wording as a sentence, and the " +
		"number of people who meet it now. You can give sentence instead of condition."
)

// Routes are the paths under /policies, and the evaluation of one person. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	both := []viewer.Role{viewer.Admin, viewer.Auditor}
	routes := []httpapi.Route{
		httpapi.Handle("GET", base, "List access grant policies", s.list).For(both...).Describe(aboutPolicies),
		httpapi.Handle("POST", base, "Create an access grant policy", s.post).
			For(viewer.Admin).
			Status(http.StatusCreated).
			Errors(409).
			Bulk().
			Describe(aboutPolicies + " " + aboutConfirm),
		httpapi.Report("POST", base+"/simulate", "Simulate an unsaved policy", ndjson, (*simulateIn).whole, s.simulate,
			s.simulateAll).
			For(viewer.Admin).
			Bulk().
			LongRunning().
			Describe(aboutSimulate),
		httpapi.Handle("GET", base+"/{id}", "Retrieve an access grant policy", s.one).For(both...),
		httpapi.Handle("PATCH", base+"/{id}", "Update an access grant policy", s.patch).
			For(viewer.Admin).
			Errors(409, 412).
			Bulk().
			Describe("subject is replaced as a whole. " + aboutConfirm),
		httpapi.Handle("DELETE", base+"/{id}", "Delete an access grant policy", s.remove).
			For(viewer.Admin).
			Status(http.StatusNoContent).
			Errors(412).
			Describe(aboutDelete),
		httpapi.Handle("GET", base+"/{id}/versions", "List the versions of an access grant policy", s.versions).
			For(both...),
		httpapi.Handle("POST", base+"/{id}/enable", "Enable a policy", s.enable).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutConfirm),
		httpapi.Handle("POST", base+"/{id}/disable", "Disable a policy", s.disable).
			For(viewer.Admin).
			Status(200).
			Errors(412).
			Describe(aboutDisable),
		httpapi.Handle("POST", base+"/{id}/mode", "Set the mode of a policy", s.mode).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutConfirm),
		httpapi.Report("POST", base+"/{id}/simulate", "Simulate a policy", ndjson, (*storedIn).whole, s.simulateStored,
			s.simulateStoredAll).
			For(viewer.Admin).
			LongRunning().
			Describe(aboutSimulate),
		httpapi.Handle("POST", base+"/{id}/breaker/reset", "Resume a policy", s.reset).
			For(viewer.Admin).
			Status(200).
			Errors(409, 412).
			Describe(aboutReset),
		httpapi.Handle("POST", "/policies/conditions/validate", "Validate a condition", s.validate).
			For(viewer.Admin).
			LongRunning().
			Status(200).
			Describe(aboutValidate),
		httpapi.Handle("POST", "/identities/{id}/birthrights/evaluate", "Evaluate the policies for a person",
			s.evaluateOne).
			For(viewer.Admin).
			Status(200).
			Errors(409).
			Describe(aboutEvaluate),
	}
	routes = append(routes, s.tables().Routes()...)
	return append(routes, s.Gaps().Routes()...)
}

// listIn is the input of list.
type listIn struct {
	httpapi.Paging
	accesspolicy.Filters
}

// list is GET of the access grant policies.
func (s *Service) list(
	ctx context.Context,
	v viewer.Viewer,
	in *listIn,
) (*httpapi.ListOut[accesspolicy.AccessPolicy], error) {
	walk, err := s.Cursors.Walk(v, "access-grant-policies", in.Paging, in.Filters)
	if err != nil {
		return nil, err
	}
	items, total, err := s.List(ctx, v, in.Filters, walk.Page)
	return httpapi.Out(walk, items, total, in.After), err
}

type idIn struct {
	// ID of the policy.
	ID string `path:"id"`
}

// one is GET of a policy.
func (s *Service) one(ctx context.Context, v viewer.Viewer, in *idIn) (*httpapi.One[accesspolicy.AccessPolicy], error) {
	return shown(s.Read(ctx, v, in.ID))
}

// shown is the response with a policy and its version as ETag.
func shown(p accesspolicy.AccessPolicy, err error) (*httpapi.One[accesspolicy.AccessPolicy], error) {
	if err != nil {
		return nil, err
	}
	return &httpapi.One[accesspolicy.AccessPolicy]{ETag: httpapi.ETag(p.Version), Body: p}, nil
}

// Confirmation is what a change may be confirmed by.
type Confirmation struct {
	// The plan_hash of the impact that you have seen.
	Confirm string `query:"confirm" maxLength:"64"`
}

// postIn is the input of post. RawBody distinguishes an absent member from one that is empty.
type postIn struct {
	Confirmation
	Body    accesspolicy.Fields
	RawBody []byte
}

// sentFields are the fields that were sent. A policy is enabled unless they say otherwise.
func sentFields(f accesspolicy.Fields, raw []byte) accesspolicy.Fields {
	var given struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(raw, &given) == nil && given.Enabled == nil {
		f.Enabled = true
	}
	return f
}

// post is POST of a policy. One that is enforced from the start names the impact that was seen.
func (s *Service) post(
	ctx context.Context,
	v viewer.Viewer,
	in *postIn,
) (*httpapi.Created[accesspolicy.AccessPolicy], error) {
	made, err := s.Create(ctx, v, accesspolicy.New{Fields: sentFields(in.Body, in.RawBody)}, in.Confirm)
	if err != nil {
		return nil, err
	}
	return &httpapi.Created[accesspolicy.AccessPolicy]{
		Location: httpapi.Prefix + base + "/" + made.ID,
		ETag:     httpapi.ETag(made.Version),
		Body:     made,
	}, nil
}

type patchIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
	Confirmation
	Body    accesspolicy.Fields
	RawBody []byte
}

// patch is PATCH of a policy (RFC 7396).
func (s *Service) patch(
	ctx context.Context,
	v viewer.Viewer,
	in *patchIn,
) (*httpapi.One[accesspolicy.AccessPolicy], error) {
	return shown(s.Patch(ctx, v, in.ID, in.IfMatch, in.RawBody, in.Confirm))
}

type matchIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
}

// remove is DELETE of a policy.
func (s *Service) remove(ctx context.Context, v viewer.Viewer, in *matchIn) (*httpapi.None, error) {
	return nil, s.Delete(ctx, v, in.ID, in.IfMatch)
}

type versionsIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.Paging
}

// versions is GET of the versions of a policy, the newest first.
func (s *Service) versions(
	ctx context.Context,
	v viewer.Viewer,
	in *versionsIn,
) (*httpapi.ListOut[accesspolicy.PolicyVersion], error) {
	walk, err := s.Cursors.Walk(v, "access-grant-policy-versions", in.Paging, in.ID)
	if err != nil {
		return nil, err
	}
	var items []accesspolicy.PolicyVersion
	var total int64
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if _, err = accesspolicy.Locked(ctx, tx, in.ID, ""); err != nil {
			return err
		}
		items, total, err = accesspolicy.Versions(ctx, tx, in.ID, walk.Page)
		return err
	})
	return httpapi.Out(
		walk,
		items,
		total,
		func(v accesspolicy.PolicyVersion) []string { return []string{strconv.Itoa(v.Version)} },
	), err
}

type enableIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
	Confirmation
}

// enable is POST …/enable.
func (s *Service) enable(
	ctx context.Context,
	v viewer.Viewer,
	in *enableIn,
) (*httpapi.One[accesspolicy.AccessPolicy], error) {
	return shown(s.Enable(ctx, v, in.ID, in.IfMatch, in.Confirm))
}

// disable is POST …/disable. It needs no confirmation.
func (s *Service) disable(
	ctx context.Context,
	v viewer.Viewer,
	in *matchIn,
) (*httpapi.One[accesspolicy.AccessPolicy], error) {
	return shown(s.Disable(ctx, v, in.ID, in.IfMatch))
}

type modeIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
	Confirmation
	Body struct {
		// New mode of the policy. In shadow it is evaluated and changes nothing. In enforce it changes access.
		Mode string `json:"mode" enum:"shadow,enforce"`
	}
}

// mode is POST …/mode.
func (s *Service) mode(
	ctx context.Context,
	v viewer.Viewer,
	in *modeIn,
) (*httpapi.One[accesspolicy.AccessPolicy], error) {
	return shown(s.SetMode(ctx, v, in.ID, in.IfMatch, in.Body.Mode, in.Confirm))
}

type resetIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.IfMatch
	Body struct {
		// Must be true: the changes that are due can be made.
		Accept bool `json:"accept"`
	}
}

// reset is POST …/breaker/reset. The administrator must accept that what is due is done.
func (s *Service) reset(
	ctx context.Context,
	v viewer.Viewer,
	in *resetIn,
) (*httpapi.One[accesspolicy.AccessPolicy], error) {
	if !in.Body.Accept {
		return nil, fault.New(fault.Invalid, "Set accept to apply the pending changes. To reduce them, change the "+
			"policy first.").
			With(fault.Field{Pointer: "#/accept", Code: "required", Detail: "true"})
	}
	return shown(s.Reset(ctx, v, in.ID, in.IfMatch))
}

// simulateIn is the input of simulate: a policy that is not saved.
type simulateIn struct {
	httpapi.Whole
	Body    accesspolicy.Fields
	RawBody []byte
}

// whole says whether the answer lists everyone affected, one a line.
func (in *simulateIn) whole() bool { return in.Wanted(ndjson) }

// simulate is POST …/simulate: counts and a sample.
func (s *Service) simulate(ctx context.Context, v viewer.Viewer, in *simulateIn) (*impact.Impact, error) {
	out, err := s.Simulations().Simulate(ctx, v, sentFields(in.Body, in.RawBody), nil)
	return &out, err
}

// simulateAll is simulate with everyone affected. What is wrong with the policy is found before the
// first line, while the answer can still be an error.
func (s *Service) simulateAll(_ context.Context, v viewer.Viewer, in *simulateIn) (httpapi.File, error) {
	f := sentFields(in.Body, in.RawBody)
	if _, err := f.Complete(); err != nil {
		return httpapi.File{}, err
	}
	return lines(func(ctx context.Context, each func(impact.PersonImpact) error) error {
		_, err := s.Simulations().Simulate(ctx, v, f, each)
		return err
	}), nil
}

type storedIn struct {
	// ID of the policy.
	ID string `path:"id"`
	httpapi.Whole
}

// whole says whether the answer lists everyone affected, one a line.
func (in *storedIn) whole() bool { return in.Wanted(ndjson) }

// simulateStored is POST …/{id}/simulate: counts and a sample.
func (s *Service) simulateStored(ctx context.Context, v viewer.Viewer, in *storedIn) (*impact.Impact, error) {
	out, err := s.Simulations().SimulateStored(ctx, v, in.ID, nil)
	return &out, err
}

// simulateStoredAll is simulateStored with everyone affected.
func (s *Service) simulateStoredAll(ctx context.Context, v viewer.Viewer, in *storedIn) (httpapi.File, error) {
	if _, err := s.Read(ctx, v, in.ID); err != nil {
		return httpapi.File{}, err
	}
	return lines(func(ctx context.Context, each func(impact.PersonImpact) error) error {
		_, err := s.Simulations().SimulateStored(ctx, v, in.ID, each)
		return err
	}), nil
}

// lines is a file with a line for each person.
func lines(run func(ctx context.Context, each func(impact.PersonImpact) error) error) httpapi.File {
	return httpapi.File{Name: "impact.ndjson", Write: func(ctx context.Context, w io.Writer) error {
		encoder := json.NewEncoder(w)
		return run(ctx, func(p impact.PersonImpact) error { return encoder.Encode(p) })
	}}
}

type evaluateIn struct {
	// ID of the identity.
	ID   string `path:"id"`
	Body *struct {
		// The default is true.
		DryRun *bool `json:"dry_run,omitempty"`
	}
}

// evaluateOne is POST …/birthrights/evaluate of one person. Without a body it is a dry run.
func (s *Service) evaluateOne(
	ctx context.Context,
	v viewer.Viewer,
	in *evaluateIn,
) (*httpapi.One[simulation.PersonEvaluation], error) {
	dry := in.Body == nil || in.Body.DryRun == nil || *in.Body.DryRun
	out, err := s.Simulations().EvaluatePerson(ctx, v, in.ID, dry)
	return &httpapi.One[simulation.PersonEvaluation]{Body: out}, err
}

// validateIn is the input of validate.
type validateIn struct{ Body simulation.ConditionTrial }

// validate is POST …/conditions/validate.
func (s *Service) validate(
	ctx context.Context,
	v viewer.Viewer,
	in *validateIn,
) (*httpapi.One[simulation.ConditionVerdict], error) {
	out, err := s.Simulations().Validate(ctx, v, in.Body)
	return &httpapi.One[simulation.ConditionVerdict]{Body: out}, err
}
