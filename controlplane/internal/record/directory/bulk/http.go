package bulk

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Routes are the import and the export of identities.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/identities/import", "Import identities", s.importIdentities).
			For(viewer.Admin).
			Lines().
			LongRunning().
			Errors(409).
			Describe(aboutImport),
		httpapi.Download("GET", "/identities/export", "Export identities", exportMedia, s.export).
			For(viewer.Admin, viewer.Auditor).
			Describe(aboutExport),
	}
}

const (
	aboutImport = "At most 50,000 rows as newline-delimited JSON (application/x-ndjson) or as CSV with a header " +
		"(text/csv). Up to 1 MiB can also be sent as the member data of a JSON object. " +
		"Each row has an external_id. If an identity has it, the members of the row are updated; otherwise an " +
		"identity is created. In JSON null clears a member; in CSV an empty cell changes nothing, " +
		"attributes.x and labels.x are columns, and lists are separated by semicolons. Invalid rows are skipped and " +
		"reported with their line. " +
		"Some thousands of rows are committed together; unchanged rows are not written, so an interrupted import can " +
		"be sent again."
	aboutExport = "All identities that match the filters of the list, in its order. An export can be imported again."
)

// importIn is the input of importIdentities.
type importIn struct {
	// preview returns the outcome of each row; apply imports them. Before the body's.
	Mode string `query:"mode" enum:"preview,apply"`
	Body struct {
		// The default is preview.
		Mode string `json:"mode,omitempty" enum:"preview,apply"`
		// Format of data. ndjson: one JSON object per line. csv: a header, then one row per line.
		Format string `json:"format,omitempty" enum:"ndjson,csv" default:"ndjson"`
		// The lines.
		Data string `json:"data" minLength:"1"`
	}
}

// importIdentities is POST /identities/import. Without a mode it is a preview.
func (s *Service) importIdentities(ctx context.Context, v viewer.Viewer,
	in *importIn) (*httpapi.One[*Imported], error) {
	mode := in.Mode
	for _, other := range []string{in.Body.Mode, "preview"} {
		if mode == "" {
			mode = other
		}
	}
	done, err := s.Import(ctx, v, mode, in.Body.Format, in.Body.Data)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[*Imported]{Body: done}, nil
}
