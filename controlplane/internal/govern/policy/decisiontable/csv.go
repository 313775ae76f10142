package decisiontable

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/ground/spreadsheet"
)

// Columns of the file that are no fields of a person.
const (
	rolesColumn        = "roles"
	entitlementsColumn = "entitlements"
	commentColumn      = "comment"
)

// mostFile is how many bytes a file may have.
const mostFile = 4 << 20

// DecisionTableProblem is something that is wrong with a file.
type DecisionTableProblem struct {
	// Line of the file, counted from 1. 0: the file as a whole.
	Line int `json:"line"`
	// Column of the file, by its name. Empty: the line as a whole.
	Column string `json:"column"`
	// Stable code of the problem.
	Code string `json:"code" example:"empty_cell"`
	// Explanation of the problem.
	Detail string `json:"detail"`
}

// mostProblems is how many problems are listed.
const mostProblems = 1000

// problems collects what is wrong with a file.
type problems struct {
	list  []DecisionTableProblem
	count int
}

// add adds a problem, up to a limit. All of them are counted.
func (p *problems) add(line int, column, code, format string, args ...any) {
	if p.count++; len(p.list) < mostProblems {
		p.list = append(p.list, DecisionTableProblem{line, column, code, fmt.Sprintf(format, args...)})
	}
}

// sheet is a file that was read: the columns that are fields, and the rows with their lines.
type sheet struct {
	encoding string
	columns  []string
	rows     []line
}

// line is a row of a file. roles and entitlements are as the file names them.
type line struct {
	number              int
	cells               []string
	roles, entitlements []string
	comment             string
}

// decode finds the encoding of a file: UTF-16 by its byte order mark, UTF-8 if it is valid, otherwise Windows-1252.
func decode(content []byte, p *problems) (text, encoding string, ok bool) {
	var err error
	encoding = "utf-8"
	switch {
	case len(content) > mostFile:
		p.add(0, "", "too_large", "The file is larger than %d MiB. A table has at most %d rows.", mostFile>>20,
			table.MaxRows)
		return "", encoding, false
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}) || bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		encoding = "utf-16"
		if len(content)%2 != 0 {
			err = errors.New("half a character at its end")
		} else {
			content, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(content)
		}
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		if content = content[3:]; !utf8.Valid(content) {
			err = errors.New("it says that it is UTF-8, and is not")
		}
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		err = errors.New("it is a workbook or an archive; save the table as CSV")
	case !utf8.Valid(content):
		encoding = "windows-1252"
		content, err = charmap.Windows1252.NewDecoder().Bytes(content)
	}
	text = string(content)
	if err == nil && strings.ContainsAny(text, "\x00\ufffd") {
		err = errors.New("it contains characters that no text has")
	}
	if err != nil {
		p.add(0, "", "damaged_file", "The file cannot be read: %v.", err)
	}
	return text, encoding, err == nil
}

// read reads a file. What is wrong goes to p.
func read(content []byte, p *problems) (s sheet) {
	text, encoding, ok := decode(content, p)
	s.encoding = encoding
	if !ok {
		return s
	}
	if strings.TrimSpace(text) == "" {
		p.add(1, "", "empty", "The file is empty. It needs a line with the names of its columns, and a row.")
		return s
	}
	in := csv.NewReader(strings.NewReader(text))
	in.Comma, in.FieldsPerRecord = comma(text), -1
	head, err := in.Read()
	if err != nil {
		malformed(err, p)
		return s
	}
	h, ok := s.header(head, p)
	if !ok {
		return s
	}
	s.lines(in, h, p)
	return s
}

// comma is the separator of a file: comma, semicolon or tab, whichever its first line has most of.
func comma(text string) rune {
	first, _, _ := strings.Cut(text, "\n")
	best := ','
	for _, c := range ";\t" {
		if strings.Count(first, string(c)) > strings.Count(first, string(best)) {
			best = c
		}
	}
	return best
}

// malformed reports an error of the CSV reader.
func malformed(err error, p *problems) {
	number := 1
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		number, err = wrong.StartLine, wrong.Err
	}
	p.add(number, "", "malformed_csv", "The line is no CSV: %v. Put cells with quotes, separators or line breaks in "+
		"double quotes, and double the quotes in them.", err)
}

// header reads the names of the columns. They are positions by name; fields of a person are columns of the table.
func (s *sheet) header(head []string, p *problems) (at map[string]int, ok bool) {
	at, ok = map[string]int{}, true
	for i, name := range head {
		name = strings.TrimSpace(name)
		if !strings.Contains(name, ".") { // the case of attributes matters
			name = strings.ToLower(name)
		}
		_, twice := at[name]
		switch {
		case name == "":
			p.add(1, "", "missing_column", "Column %d has no name. Name it, or remove it.", i+1)
			ok = false
		case twice:
			p.add(1, name, "duplicate_column", "The column %s occurs twice. Remove one of the two.", name)
			ok = false
		case !slices.Contains([]string{rolesColumn, entitlementsColumn, commentColumn}, name):
			s.columns = append(s.columns, name)
		}
		at[name] = i
	}
	_, roles := at[rolesColumn]
	_, entitlements := at[entitlementsColumn]
	if !roles && !entitlements {
		p.add(1, "", "missing_column", "The file has neither a column roles nor a column entitlements. Add one.")
		ok = false
	}
	if len(s.columns) == 0 {
		p.add(1, "", "missing_column", "The file has no column with a field of a person, such as department. Add one.")
		ok = false
	}
	return at, ok
}

// lines reads the rows that are not blank.
func (s *sheet) lines(in *csv.Reader, at map[string]int, p *problems) {
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			malformed(err, p)
			return
		}
		number, _ := in.FieldPos(0)
		if !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			continue
		}
		if len(s.rows) == table.MaxRows {
			p.add(number, "", "too_many", "The file has more than %d rows. Use lists and prefixes, or several tables.",
				table.MaxRows)
			return
		}
		if len(cells) != len(at) {
			p.add(number, "", "wrong_number_of_cells", "The line has %d cells, and the file has %d columns. Put cells "+
				"with separators in double quotes.", len(cells), len(at))
			continue
		}
		get := func(column string) string {
			if i, there := at[column]; there {
				return meant(cells[i])
			}
			return ""
		}
		l := line{number: number, roles: split(get(rolesColumn)), entitlements: split(get(entitlementsColumn)),
			comment: strings.TrimSpace(get(commentColumn))}
		for _, c := range s.columns {
			l.cells = append(l.cells, get(c))
		}
		s.rows = append(s.rows, l)
	}
}

// meant takes away the apostrophe that keeps spreadsheets from taking a cell for a formula.
func meant(cell string) string {
	if rest, quoted := strings.CutPrefix(cell, "'"); quoted && spreadsheet.Harmless(rest) != rest {
		return rest
	}
	return cell
}

// harmless keeps a cell that begins with an apostrophe from being taken for a quoted one.
func harmless(cell string) string {
	if meant(cell) != cell {
		return "'" + cell
	}
	return cell
}

// split reads the list in a cell. A backslash makes the next character a part of an element.
func split(cell string) (list []string) {
	var b strings.Builder
	end := func() {
		if text := strings.TrimSpace(b.String()); text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
		b.Reset()
	}
	escaped := false
	for _, r := range cell {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case r == '|':
			end()
		default:
			b.WriteRune(r)
		}
	}
	end()
	return list
}

// join writes a list into a cell.
func join(list []string) string {
	cells := make([]string, len(list))
	for i, each := range list {
		cells[i] = strings.NewReplacer(`\`, `\\`, `|`, `\|`).Replace(each)
	}
	return strings.Join(cells, "|")
}

// write writes a table as a file that read reads. called are the names of roles and entitlements by their IDs.
func write(w io.Writer, t *table.DecisionTable, called map[string]string) error {
	s := spreadsheet.New(w)
	head := append(slices.Clone(t.Columns), rolesColumn, entitlementsColumn, commentColumn)
	if err := s.Write(head); err != nil {
		return err
	}
	names := func(ids []string) string {
		list := make([]string, len(ids))
		for i, id := range ids {
			if list[i] = called[id]; list[i] == "" {
				list[i] = id // what is gone keeps its ID
			}
		}
		return join(list)
	}
	for _, r := range t.Rows {
		row := append(slices.Clone(r.Cells), names(r.RoleIDs), names(r.EntitlementIDs), r.Comment)
		for i := range row {
			row[i] = harmless(row[i])
		}
		if err := s.Write(row); err != nil {
			return err
		}
	}
	return s.Flush()
}
