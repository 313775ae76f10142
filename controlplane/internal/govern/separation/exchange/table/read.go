package table

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
)

// Read adds the duties or policies of a table to the set.
func Read(t source.Text, s *ruleset.Set, r *ruleset.Report) {
	if strings.TrimSpace(t.Body) == "" {
		r.Add(t.Line(1), "", "empty", "The file is empty. It needs a line with the names of its columns.")
		return
	}
	in := csv.NewReader(strings.NewReader(t.Body))
	in.Comma, in.FieldsPerRecord = comma(t.Body), -1
	head, err := in.Read()
	if err != nil {
		malformed(t, r, err)
		return
	}
	h, ok := readHeader(t, head, r)
	if !ok {
		return
	}
	add := h.policies
	if h.of == "duty" {
		add = h.duties
	}
	add(s, rows(t, in, h, r), r)
}

// comma is the separator of a table: comma, semicolon or tab, whichever its first line has most of.
func comma(body string) rune {
	first, _, _ := strings.Cut(body, "\n")
	best := ','
	for _, c := range ";\t" {
		if strings.Count(first, string(c)) > strings.Count(first, string(best)) {
			best = c
		}
	}
	return best
}

// malformed reports an error of the CSV reader.
func malformed(t source.Text, r *ruleset.Report, err error) {
	line := 1
	if p := (*csv.ParseError)(nil); errors.As(err, &p) {
		line, err = p.StartLine, p.Err
	}
	r.Add(
		t.Line(line),
		"",
		"malformed_csv",
		"The line is no CSV: %v. Put cells with quotes, separators or line breaks "+
			"in double quotes, and double the quotes in them.",
		err,
	)
}

// header are the columns of a table, with their positions.
type header struct {
	of string // duty or policy
	at map[string]int
	n  int
}

// readHeader recognizes a table by its columns.
func readHeader(t source.Text, cells []string, r *ruleset.Report) (h header, ok bool) {
	h.at, h.n = map[string]int{}, len(cells)
	for i, c := range cells {
		c = strings.ToLower(strings.TrimSpace(c))
		if _, twice := h.at[c]; twice && c != "" {
			r.Add(t.Line(1), c, "duplicate_column", "The column %q occurs twice. Remove one of the two.", c)
			return h, false
		}
		h.at[c] = i
	}
	known, need := dutyColumns, []string{"duty", "member_kind"}
	if h.of = "duty"; h.has("policy") {
		h.of, known, need = "policy", policyColumns, []string{"policy", "kind", "side", "duty"}
	}
	for _, c := range need {
		if !h.has(c) {
			r.Add(
				t.Line(1),
				c,
				"missing_column",
				"The column %q is missing. A table of duties has the columns duty and "+
					"member_kind, and one of policies has policy, kind, side and duty.",
				c,
			)
			return h, false
		}
	}
	for c := range h.at {
		if c != "" && !slices.Contains(known, c) {
			r.Add(t.Line(1), c, "unknown_column", "The column %q is unknown. Remove it, or use one of %s.", c,
				strings.Join(known, ", "))
			ok = true
		}
	}
	return h, !ok
}

func (h header) has(column string) bool { _, there := h.at[column]; return there }

// row is a row with its place.
type row struct {
	ruleset.Place
	cells []string
	h     header
}

// get is the cell of a column, or empty.
func (w row) get(column string) string {
	i, there := w.h.at[column]
	if !there || i >= len(w.cells) {
		return ""
	}
	return w.cells[i]
}

// rows reads the rows that are not empty.
func rows(t source.Text, in *csv.Reader, h header, r *ruleset.Report) (list []row) {
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			malformed(t, r, err)
			return list
		}
		line, _ := in.FieldPos(0)
		w := row{t.Line(line), cells, h}
		if !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			continue
		}
		if len(cells) > h.n {
			r.Add(w.Place, "", "too_many_cells", "The line has %d cells, and the table has %d columns. Put cells with "+
				"separators in double quotes.", len(cells), h.n)
			continue
		}
		for i := range cells {
			cells[i] = meant(cells[i])
		}
		list = append(list, w)
	}
}
