package directory

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// maxImport is the most rows of one import.
const maxImport = 50_000

// record is one row of an import, as far as it could be read.
type record struct {
	line    int
	members map[string]any // as they were sent: what is absent stays, null clears
	wrong   []fault.Field
}

// externalID is what the row is known by.
func (r *record) externalID() string {
	id, _ := r.members["external_id"].(string)
	return strings.TrimSpace(id)
}

// rows reads an import row by row. A row that cannot be read is a record that says why; the rows behind it are read all the same.
func rows(format, data string, yield func(record) error) error {
	if format == "csv" {
		return csvRows(data, yield)
	}
	n := 0
	for line := range strings.SplitSeq(data, "\n") {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		r := record{line: n}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&r.members); err != nil || r.members == nil {
			r.members, r.wrong = nil, []fault.Field{{Code: "malformed_json", Detail: "the line is no JSON object"}}
		} else if _, err := d.Token(); !errors.Is(err, io.EOF) {
			r.wrong = []fault.Field{{Code: "malformed_json", Detail: "there is something behind the JSON object"}}
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return nil
}

// csvRows reads rows under a header of member names. attributes.x and labels.x are members of those; lists are separated by
// semicolons; an empty cell says nothing.
func csvRows(data string, yield func(record) error) error {
	in := csv.NewReader(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	in.FieldsPerRecord, in.ReuseRecord = -1, true
	first, err := in.Read()
	if err != nil {
		return fault.New(fault.Invalid, "the CSV has no header").With(fault.Field{Pointer: "#/data", Code: "required", Detail: "its first line names the members"})
	}
	header := slices.Clone(first)
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		line, _ := in.FieldPos(0)
		r := record{line: line, members: map[string]any{}}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			r.line, r.wrong = broken.StartLine, []fault.Field{{Code: "malformed_csv", Detail: broken.Err.Error()}}
		} else if err != nil {
			return fmt.Errorf("read CSV: %w", err)
		} else if len(cells) != len(header) {
			r.wrong = []fault.Field{{Code: "malformed_csv", Detail: fmt.Sprintf("the line has %d cells; the header has %d", len(cells), len(header))}}
		}
		for i := range min(len(cells), len(header)) {
			if cell := unharmed(cells[i]); cell != "" {
				r.put(header[i], cell)
			}
		}
		if err := yield(r); err != nil {
			return err
		}
	}
}

// put sets a member from a cell.
func (r *record) put(name, cell string) {
	outer, inner, nested := strings.Cut(name, ".")
	switch {
	case nested && (outer == "attributes" || outer == "labels"):
		group, _ := r.members[outer].(map[string]any)
		if group == nil {
			group = map[string]any{}
			r.members[outer] = group
		}
		group[inner] = cell
	case name == "secondary_emails":
		var list []any
		for each := range strings.SplitSeq(cell, ";") {
			if each = strings.TrimSpace(each); each != "" {
				list = append(list, each)
			}
		}
		r.members[name] = list
	default:
		r.members[name] = cell
	}
}

// exportOnly are columns of an export that an import passes over, so that what was exported can be imported again.
var exportOnly = []string{"id", "status", "status_reason", "status_source", "status_changed_at", "manager_id", "source_connector_id", "is_disabled", "urgent",
	"created_at", "updated_at", "version", "last_synced_at", "manager_unresolved", "manager_from_source", "merged_into_id", "previous_identity_id"}

// importable is the schema of a row, made once.
var importable = sync.OnceValue(func() func(map[string]any) []fault.Field {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schema := registry.Schema(reflect.TypeFor[NewIdentity](), false, "row")
	var mu sync.Mutex // the path of a validation is shared
	path := huma.NewPathBuffer(nil, 0)
	return func(members map[string]any) []fault.Field {
		mu.Lock()
		defer mu.Unlock()
		path.Reset()
		var result huma.ValidateResult
		huma.Validate(registry, schema, path, huma.ModeWriteToServer, members, &result)
		wrong := make([]fault.Field, 0, len(result.Errors))
		for _, err := range result.Errors {
			f := fault.Field{Code: "invalid", Detail: err.Error()}
			var detail *huma.ErrorDetail
			if errors.As(err, &detail) {
				f.Pointer, f.Detail = "#/"+strings.ReplaceAll(detail.Location, ".", "/"), detail.Message
			}
			wrong = append(wrong, f)
		}
		return wrong
	}
})

// judge finds out what is wrong with a row's members by themselves. What only an export has is left out, and what nobody knows is
// named.
func (r *record) judge() (ignored []string) {
	if len(r.wrong) > 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(r.members)) {
		switch {
		case slices.Contains(exportOnly, name):
			delete(r.members, name)
		case !slices.Contains(memberNames(), name):
			delete(r.members, name)
			ignored = append(ignored, name)
		}
	}
	if r.externalID() == "" {
		r.wrong = append(r.wrong, required("external_id", "a row is known by its external_id"))
		return ignored
	}
	r.members["external_id"] = r.externalID()
	r.wrong = append(r.wrong, importable()(plain(r.members))...)
	return ignored
}

// plain is a row with numbers as validation knows them.
func plain(members map[string]any) map[string]any {
	b, err := json.Marshal(members)
	if err != nil {
		return members
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		return members
	}
	for name, v := range out {
		if v == nil {
			delete(out, name) // null clears, whatever the type
		}
	}
	return out
}

// memberNames are the members that a row may have.
var memberNames = sync.OnceValue(func() []string {
	names := []string{"external_id", "kind"}
	fields := reflect.TypeFor[IdentityFields]()
	for i := range fields.NumField() {
		names = append(names, fields.Field(i).Tag.Get("json"))
	}
	return names
})

// patch is the row as a merge patch.
func (r *record) patch() ([]byte, error) {
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(r.members)
	return b.Bytes(), err
}

// harmless keeps a spreadsheet from taking a cell for a formula; unharmed takes that back.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n'＝＋－＠", []rune(cell)[0]) {
		return "'" + cell
	}
	return cell
}

func unharmed(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune("=+-@\t\r\n'＝＋－＠", []rune(cell)[1]) {
		return cell[1:]
	}
	return strings.TrimSpace(cell)
}
