package decisiontable

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const base = "/policies/decision-tables"

const (
	aboutCheck = "Compares the rows with each other and with the people: rows without effect, people who match no " +
		"row or rows that differ, values that no person has, and roles that cannot be assigned. Changes nothing."
	aboutExport = "Returns the table as CSV for POST …/import, with a column for each field, and the columns roles, " +
		"entitlements and comment."
	aboutImport = "Replaces the table of a policy by a CSV file, or creates a policy in shadow mode, all or nothing. " +
		"With dry_run the response is the plan: what is wrong by line, the rows that change, a check, and the impact " +
		"if the policy is enforced. Applying needs the plan_hash of the plan in confirm, which also confirms the " +
		"impact. Files are UTF-8, UTF-16 or Windows-1252, with commas, semicolons or tabs."
)

// Routes check, export and import decision tables. Administrators write; auditors read.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", base+"/check", "Check an unsaved decision table", s.check).
			For(viewer.Admin).
			Status(http.StatusOK).
			Bulk().
			LongRunning().
			Describe(aboutCheck),
		httpapi.Handle("GET", base+"/{id}/check", "Check a decision table", s.checkStored).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutCheck),
		httpapi.Download("GET", base+"/{id}/export", "Export a decision table", "text/csv", s.export).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutExport),
		httpapi.Handle("POST", base+"/import", "Import a decision table", s.post).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Bulk().
			LongRunning().
			Describe(aboutImport),
	}
}

type decisionTableCheckIn struct {
	Body struct {
		// Rows to check.
		Table accesspolicy.DecisionTable `json:"table"`
		// Who the policy applies to, as a condition. The default is everyone.
		Subject accesspolicy.Subject `json:"subject" required:"false"`
		// What the policy requires in addition to its condition.
		Constraints accesspolicy.Constraints `json:"constraints" required:"false"`
		// When in the employment of a person the policy applies.
		Lifecycle accesspolicy.Lifecycle `json:"lifecycle" required:"false"`
	}
}

// check is POST …/check.
func (s *Service) check(
	ctx context.Context,
	v viewer.Viewer,
	in *decisionTableCheckIn,
) (*httpapi.One[DecisionTableCheck], error) {
	out, err := s.Check(ctx, v, accesspolicy.Fields{Table: &in.Body.Table, Subject: in.Body.Subject,
		Constraints: in.Body.Constraints, Lifecycle: in.Body.Lifecycle})
	return &httpapi.One[DecisionTableCheck]{Body: out}, err
}

type idIn struct {
	// ID of the policy.
	ID string `path:"id"`
}

// checkStored is GET …/check.
func (s *Service) checkStored(
	ctx context.Context,
	v viewer.Viewer,
	in *idIn,
) (*httpapi.One[DecisionTableCheck], error) {
	out, err := s.CheckStored(ctx, v, in.ID)
	return &httpapi.One[DecisionTableCheck]{Body: out}, err
}

type exportIn struct {
	// ID of the policy.
	ID string `path:"id"`
	// Version of the policy. The default is the current one.
	Version int `query:"version" minimum:"0" maximum:"2147483647"`
}

// export is GET …/export.
func (s *Service) export(ctx context.Context, v viewer.Viewer, in *exportIn) (httpapi.File, error) {
	out, err := s.Export(ctx, v, in.ID, in.Version)
	if err != nil {
		return httpapi.File{}, err
	}
	return httpapi.File{Name: "decision-table.csv", Write: func(_ context.Context, w io.Writer) error {
		return write(w, out.table, out.called)
	}}, nil
}

type decisionTableImportIn struct {
	// Return the plan, and change nothing.
	DryRun bool `query:"dry_run"`
	// The plan_hash of the plan that you have reviewed.
	Confirm string `query:"confirm" maxLength:"64"`
	Body    struct {
		// ID of the policy whose table is replaced. Without it, a policy is created.
		PolicyID string `json:"policy_id" required:"false" format:"uuid"`
		// Display name of a new policy.
		Name string `json:"name" required:"false" maxLength:"200"`
		// Rows that assign access to a person who matches several. The default is that of the policy, and all for a new
		// one.
		HitPolicy string `json:"hit_policy" required:"false" enum:"all,first"`
		// CSV file, in base64.
		File string `json:"file"`
	}
}

// post is POST …/import.
func (s *Service) post(
	ctx context.Context,
	v viewer.Viewer,
	in *decisionTableImportIn,
) (*httpapi.One[DecisionTableImport], error) {
	if in.DryRun && in.Confirm != "" {
		return nil, fault.Coded(fault.Malformed, "conflicting_parameters", "Send dry_run or confirm, not both.")
	}
	if in.Body.PolicyID != "" && in.Body.Name != "" {
		return nil, fault.New(fault.Invalid, "Send policy_id or name, not both.").
			With(fault.Field{Pointer: "#/name", Code: "invalid", Detail: "An import does not rename a policy."})
	}
	content, err := base64.StdEncoding.DecodeString(in.Body.File)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The file is not base64.").
			With(fault.Field{Pointer: "#/file", Code: "invalid", Detail: "Encode the file in base64, with padding."})
	}
	out, err := s.Import(ctx, v, order{policyID: in.Body.PolicyID, name: in.Body.Name, hitPolicy: in.Body.HitPolicy,
		content: content, confirm: in.Confirm, dry: in.DryRun})
	if err != nil {
		return nil, err
	}
	return &httpapi.One[DecisionTableImport]{Body: out}, nil
}
