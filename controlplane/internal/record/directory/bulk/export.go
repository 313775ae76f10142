package bulk

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/spreadsheet"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

const (
	csvMedia    = "text/csv; charset=utf-8"
	ndjsonMedia = "application/x-ndjson"
	exportMedia = csvMedia + "," + ndjsonMedia
)

// exportPage is how many people are read at once, each page in a transaction of its own: a slow reader holds none open.
const exportPage = 2000

type exportIn struct {
	// Format of the file: csv, or ndjson with one identity per line.
	Format string `query:"format" enum:"csv,ndjson" default:"ndjson"`
	identity.Filters
}

// export is GET …/export. The export is recorded before the first row is sent. CSV needs the names
// of all custom attributes beforehand, for its header.
func (s *Service) export(ctx context.Context, v viewer.Viewer, in *exportIn) (httpapi.File, error) {
	if _, err := in.Query(v); err != nil {
		return httpapi.File{}, err
	}
	var names []string
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if in.Format == "csv" {
			if names, err = attributeNames(ctx, tx); err != nil {
				return err
			}
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "identity.exported", Subject: audit.Subject{Type: "tenant", ID: v.Tenant},
				Context: map[string]any{"format": in.Format, "filters": in.Filters}},
		)
	})
	file := httpapi.File{
		Name:  "identities." + in.Format,
		Media: ndjsonMedia,
		Write: func(ctx context.Context, w io.Writer) error {
			out := json.NewEncoder(w)
			return s.eachIdentity(
				ctx,
				v,
				in.Filters,
				func(i identity.Identity) error { return out.Encode(i) },
				func() error { return nil },
			)
		},
	}
	if in.Format == "csv" {
		file.Media, file.Write = csvMedia, func(ctx context.Context,
			w io.Writer) error {
			return s.exportCSV(ctx, v, in.Filters, names, w)
		}
	}
	return file, err
}

// attributeNames are the custom attributes that anybody has: the columns of a CSV are known before its rows.
func attributeNames(ctx context.Context, tx *pg.Tx) (names []string, err error) {
	const sql = `
		select array(select distinct a.name
		               from identity i
		              cross join jsonb_object_keys(i.attributes) a (name)
		              where i.tenant_id = current_tenant() and i.attributes <> '{}'
		              order by a.name
		              limit 500)`
	if err := tx.QueryRow(ctx, sql).Scan(&names); err != nil {
		return nil, fmt.Errorf("find names of attributes: %w", err)
	}
	return names, nil
}

// eachIdentity calls write for everybody in the list's order, and done after each page.
func (s *Service) eachIdentity(ctx context.Context, v viewer.Viewer, f identity.Filters,
	write func(identity.Identity) error, done func() error) error {
	q, err := f.Query(v)
	if err != nil {
		return err
	}
	page := pg.Page{Limit: exportPage - 1}
	for {
		var found []identity.Identity
		err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
			found, _, err = identity.Fetch(ctx, tx, q, page)
			return err
		})
		if err != nil {
			return err
		}
		for _, i := range found {
			if err := write(i); err != nil {
				return fmt.Errorf("write export: %w", err)
			}
		}
		if err := done(); err != nil || len(found) < exportPage {
			return err
		}
		page.After = f.After(found[len(found)-1])
	}
}

// plainColumns are the columns of a CSV before the custom attributes.
var plainColumns = []string{
	"id",
	"external_id",
	"kind",
	"status",
	"status_reason",
	"status_changed_at",
	"email",
	"secondary_emails",
	"username",
	"first_name",
	"middle_name",
	"last_name",
	"preferred_name",
	"display_name",
	"employment_type",
	"employee_number",
	"department",
	"division",
	"organization",
	"cost_center",
	"title",
	"job_code",
	"job_family",
	"location",
	"country",
	"locale",
	"timezone",
	"manager_external_id",
	"manager_id",
	"sponsor_id",
	"backup_owner_id",
	"hire_date",
	"start_date",
	"termination_date",
	"last_working_at",
	"leave_from",
	"leave_to",
	"source_connector_id",
}

// exportCSV writes the filtered identities as CSV, row by row.
func (s *Service) exportCSV(ctx context.Context, v viewer.Viewer, f identity.Filters, attributes []string,
	w io.Writer) error {
	out := spreadsheet.New(w)
	header := slices.Clone(plainColumns)
	for _, name := range attributes {
		header = append(header, pin.CustomPrefix+name)
	}
	if err := out.Write(header); err != nil {
		return fmt.Errorf("write export: %w", err)
	}
	return s.eachIdentity(ctx, v, f, func(i identity.Identity) error {
		cells, err := cells(i, attributes)
		if err != nil {
			return err
		}
		return out.Write(cells)
	}, out.Flush)
}

// cells are a person's row of a CSV.
func cells(i identity.Identity, attributes []string) ([]string, error) {
	b, err := json.Marshal(i)
	if err != nil {
		return nil, fmt.Errorf("write export: %w", err)
	}
	var members map[string]any
	if err := json.Unmarshal(b, &members); err != nil {
		return nil, fmt.Errorf("write export: %w", err)
	}
	members["status_changed_at"] = i.StatusChangedAt.UTC().Format(time.RFC3339)
	members["secondary_emails"] = strings.Join(i.SecondaryEmails, ";")
	row := make([]string, 0, len(plainColumns)+len(attributes))
	for _, name := range plainColumns {
		row = append(row, escaped(cell(members[name])))
	}
	for _, name := range attributes {
		row = append(row, escaped(cell(i.Attributes[name])))
	}
	return row, nil
}

// cell is a value as a spreadsheet has it; what has parts is JSON.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case map[string]any, []any:
		b, _ := json.Marshal(v)
		return string(b)
	}
	return fmt.Sprint(v)
}
