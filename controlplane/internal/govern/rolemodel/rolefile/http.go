package rolefile

import (
	"context"
	"io"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// export is GET …/export: all roles as YAML.
func (s *Service) export(ctx context.Context, v viewer.Viewer, _ *struct{}) (httpapi.File, error) {
	text, err := s.Export(ctx, v)
	if err != nil {
		return httpapi.File{}, err
	}
	return httpapi.File{Name: "roles.yaml", Write: func(_ context.Context, w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}, nil
}

type roleFileIn struct {
	// Tell what would come of it, and do nothing.
	DryRun bool `query:"dry_run"`
	// The plan_hash of the impact that you have seen.
	Confirm string `query:"confirm" maxLength:"64"`
	Body    struct {
		// The file, as GET …/export writes it.
		YAML string `json:"yaml" minLength:"1" maxLength:"1000000"`
	}
}

// importFile is POST …/import.
func (s *Service) importFile(ctx context.Context, v viewer.Viewer, in *roleFileIn) (*httpapi.One[RoleImport], error) {
	if in.DryRun && in.Confirm != "" {
		return nil, fault.Coded(fault.Malformed, "conflicting_parameters", "give either dry_run or confirm, not both")
	}
	out, err := s.Import(ctx, v, in.Body.YAML, in.Confirm, in.DryRun)
	return &httpapi.One[RoleImport]{Body: out}, err
}

// Service exports and imports roles as files. It needs all fields.
type Service struct {
	DB    *pg.DB
	Roles *role.Service
	// Plan makes a change of roles, says what it does to access, and takes it back. See PlanRoles of policy/simulation.
	Plan func(
		ctx context.Context,
		tx *pg.Tx,
		ids []string,
		change func(tx *pg.Tx) ([]string, error),
		each func(impact.PersonImpact) error,
	) (impact.PolicyImpact, error)
}

const media = "application/yaml"

const (
	aboutExport = "Returns all roles that are not retired, by key, as a file for POST …/import. The same roles " +
		"always give the same file. Entitlements are identified by the business ID of their connector and their " +
		"external ID, people by their external ID."
	aboutImport = "Creates or updates the roles in the file, all or none; they are then managed by code. Other roles " +
		"stay. dry_run only reports the changes. Large changes of access are confirmed " +
		"with confirm. Changes to a role of high or critical risk become a draft, and another person must approve " +
		"its publication."
)

// Routes export and import roles. Administrators import; auditors export too.
func (s *Service) Routes() []httpapi.Route {
	const base = "/entitlements/roles"
	return []httpapi.Route{
		httpapi.Download("GET", base+"/export", "Export roles", media, s.export).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutExport),
		httpapi.Handle("POST", base+"/import", "Import roles", s.importFile).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			LongRunning().
			Describe(aboutImport),
	}
}
