package bulk

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/spreadsheet"
)

// maxImport is the most rows of one import.
const maxImport = 50_000

// record is one row of an import, as far as it could be read.
type record struct {
	// line is the row's line in the file; wrong is what could not be read.
	line    int
	members map[string]any // as they were sent: what is absent stays, null clears
	wrong   []fault.Field
}

// externalID is what the row is known by.
func (r *record) externalID() string {
	id, _ := r.members["external_id"].(string)
	return strings.TrimSpace(id)
}

// rows reads an import row by row. A row that cannot be read is a record that says why; the rows behind it are read
// all the same.
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
			r.members, r.wrong = nil, []fault.Field{{Code: "malformed_json", Detail: "the line is not a JSON object"}}
		} else if _, err := d.Token(); !errors.Is(err, io.EOF) {
			r.wrong = []fault.Field{{Code: "malformed_json", Detail: "the line continues after the JSON object"}}
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return nil
}

// csvRows reads rows under a header of member names. attributes.x and labels.x are members of those; lists are
// separated by semicolons; an empty cell says nothing.
func csvRows(data string, yield func(record) error) error {
	in := csv.NewReader(strings.NewReader(strings.TrimPrefix(data, "\ufeff")))
	in.FieldsPerRecord, in.ReuseRecord = -1, true
	first, err := in.Read()
	if err != nil {
		return fault.New(fault.Invalid, "the CSV has no header").
			With(fault.Field{Pointer: "#/data", Code: "required", Detail: "its first line names the members"})
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
			r.wrong = []fault.Field{
				{
					Code:   "malformed_csv",
					Detail: fmt.Sprintf("the line has %d cells; the header has %d", len(cells), len(header)),
				},
			}
		}
		for i := range min(len(cells), len(header)) {
			if cell := unescaped(cells[i]); cell != "" {
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

// patch is the row as a merge patch.
func (r *record) patch() ([]byte, error) {
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(r.members)
	return b.Bytes(), err
}

// escaped keeps an import from taking the apostrophe of a cell for one that httpapi.Sheet has put before a formula.
func escaped(cell string) string {
	if strings.HasPrefix(cell, "'") {
		return "'" + cell
	}
	return cell
}

// unescaped removes what escaped and httpapi.Sheet put before a cell.
func unescaped(cell string) string {
	if rest, is := strings.CutPrefix(
		cell,
		"'",
	); is && rest != "" &&
		(rest[0] == '\'' || spreadsheet.Harmless(rest) != rest) {
		return rest
	}
	return strings.TrimSpace(cell)
}
