package exchange

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Service exports and imports duties and policies.
type Service struct {
	DB *pg.DB
}

const base = "/policies/separation-of-duties"

const (
	aboutExport = "Returns all duties and separation-of-duties policies as a file for POST …/import. csv and " +
		"sap-grc-txt are ZIP archives of tables. The SAP layouts leave out what they cannot express, and list it."
	aboutImport = "Creates and changes duties and separation-of-duties policies from files, all or nothing. With " +
		"dry_run the response is the plan, with everything that is wrong by file and line. Applying needs the " +
		"plan_hash of the plan in confirm. New policies are drafts, and the mode of existing policies stays. Objects " +
		"that are not in the files stay. Files are UTF-8, UTF-16 or Windows-1252, or ZIP archives of such files."
	media = "application/yaml,application/zip,application/xml"
)

// Routes export and import duties and policies. Administrators import; auditors export too.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Download("GET", base+"/export", "Export separation-of-duties policies", media, s.export).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutExport),
		httpapi.Handle("POST", base+"/import", "Import separation-of-duties policies", s.post).
			For(viewer.Admin).
			Status(http.StatusOK).
			Errors(409).
			Bulk().
			LongRunning().
			Describe(aboutImport),
	}
}

type exportIn struct {
	// Format of the file.
	Format string `query:"format" default:"yaml" enum:"yaml,csv,sap-grc-txt,sap-grc-xml"`
	// Rule set that exported risks belong to, for the SAP layouts.
	RuleSet string `query:"rule_set" default:"GRANTWRIGHT" maxLength:"20"`
}

// export is GET …/export.
func (s *Service) export(ctx context.Context, v viewer.Viewer, in *exportIn) (httpapi.File, error) {
	f, err := s.Export(ctx, v, in.Format, in.RuleSet)
	if err != nil {
		return httpapi.File{}, err
	}
	return httpapi.File{Name: f.name, Media: f.media, Write: func(_ context.Context, w io.Writer) error {
		_, err := w.Write(f.content)
		return err
	}}, nil
}

// SeparationImportFile is a file of an import.
type SeparationImportFile struct {
	// Name of the file, with its extension.
	Name string `json:"name" minLength:"1" maxLength:"255"`
	// Content of the file, in base64. A file may be empty.
	Content string `json:"content"`
}

// SeparationImportOptions are how files are read.
type SeparationImportOptions struct {
	// Format of the files. By default the extensions tell: .yaml, .csv, .txt for sap-grc-txt, .xml for sap-grc-xml.
	Format string `json:"format" required:"false" enum:"auto,yaml,csv,sap-grc-txt,sap-grc-xml"`
	// Connector of the members, for the SAP layouts. Its ID or business ID.
	Connector string `json:"connector" required:"false" maxLength:"200"`
	// Connectors by the system that the files name, for SAP rule sets over several systems. IDs or business IDs.
	Systems map[string]string `json:"systems" required:"false"`
	// Use of the permissions of functions, for the SAP layouts. groups: each object and field is a group of
	// the duty. ignore: duties have the actions only. The default is groups.
	Permissions string `json:"permissions" required:"false" enum:"groups,ignore"`
	// Rule set whose risks are imported, for the SAP layouts. Empty: all.
	RuleSet string `json:"rule_set" required:"false" maxLength:"200"`
	// Language of the descriptions, for the SAP layouts. The default is EN.
	Language string `json:"language" required:"false" maxLength:"10"`
}

type separationImportIn struct {
	// Return the plan, and change nothing.
	DryRun bool `query:"dry_run"`
	// The plan_hash of the plan that you have reviewed.
	Confirm string `query:"confirm" maxLength:"64"`
	Body    struct {
		// Files of the rule set. All have one format.
		Files []SeparationImportFile `json:"files" minItems:"1" maxItems:"60" nullable:"false"`
		SeparationImportOptions
	}
}

// post is POST …/import.
func (s *Service) post(
	ctx context.Context,
	v viewer.Viewer,
	in *separationImportIn,
) (*httpapi.One[SeparationImport], error) {
	if in.DryRun && in.Confirm != "" {
		return nil, fault.Coded(fault.Malformed, "conflicting_parameters", "Send dry_run or confirm, not both.")
	}
	files := make([]source.File, len(in.Body.Files))
	for i, f := range in.Body.Files {
		content, err := base64.StdEncoding.DecodeString(f.Content)
		if err != nil {
			return nil, fault.New(fault.Invalid, "The content of the file %q is not base64.", f.Name).
				With(fault.Field{Pointer: fmt.Sprintf("#/files/%d/content", i), Code: "invalid", Detail: "Encode the " +
					"file in base64, with padding."})
		}
		files[i] = source.File{Name: f.Name, Content: content}
	}
	out, err := s.Import(ctx, v, files, in.Body.SeparationImportOptions, in.Confirm, in.DryRun)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[SeparationImport]{Body: out}, nil
}
