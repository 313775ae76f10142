package sapgrc

import (
	"path"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
)

// readText adds the records of a tab-separated file, whose name says which table it has. A first line with the names of
// columns is used. Without one, the columns have the order of the layout.
func (t tables) readText(text source.Text, r *ruleset.Report) {
	base := path.Base(text.Name)
	table := tableOf(strings.TrimSuffix(base, path.Ext(base)))
	if table == "" {
		if base == LeftOutFile {
			return
		}
		r.Add(
			text.Line(0),
			"",
			"unknown_table",
			"The name of the file is that of no table. Rename it to one of %s, each "+
				"with .txt.",
			strings.Join(order, ", "),
		)
		return
	}
	l := layouts[table]
	columns, first := l.columns, true
	for n, line := range strings.Split(text.Body, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		cells := strings.Split(line, "\t")
		for i := range cells {
			cells[i] = unquote(cells[i])
		}
		if head, is := header(cells, l); first && is {
			first = false
			if columns, is = head, slices.Contains(head, l.columns[0]); !is {
				r.Add(text.Line(n+1), "", "missing_column", "The column %s is missing. Add it.", l.columns[0])
				return
			}
			continue
		}
		first = false
		t.addCells(table, text.Line(n+1), columns, cells, r)
	}
}

// addCells adds a record of a line.
func (t tables) addCells(table string, at ruleset.Place, columns, cells []string, r *ruleset.Report) {
	for len(cells) > len(columns) && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) > len(columns) {
		r.Add(
			at,
			"",
			"too_many_cells",
			"The line has %d cells, and the table %q has the columns %s. Remove what is too "+
				"much.",
			len(cells),
			table,
			strings.Join(columns, ", "),
		)
		return
	}
	to := record{at, map[string]string{}}
	for i, c := range cells {
		to.values[columns[i]] = c
	}
	t.add(table, to, r)
}

// add adds a record, if it has what its table needs.
func (t tables) add(table string, to record, r *ruleset.Report) {
	l := layouts[table]
	for _, c := range l.columns[:l.required] {
		if to.get(c) == "" {
			r.Add(to.Place, c, "required", "The line of the table %q has no %s. Add it.", table, c)
			return
		}
	}
	for _, c := range []string{"FUNCTID", "RISKID", "RULESETID", "BPROC"} {
		if id := to.get(c); len(id) > longestID || strings.ContainsAny(id, "\"'<>") {
			r.Add(to.Place, c, "invalid", "%q is no ID. Use up to %d letters, digits and signs, without quotes.", id,
				longestID)
			return
		}
	}
	t[table] = append(t[table], to)
}

// longestID is generous: IDs of SAP have up to 8 characters, those of rule sets 20.
const longestID = 50

// header are the columns of a line, if all of its cells are names of columns of the table.
func header(cells []string, l layout) (columns []string, is bool) {
	for _, c := range cells {
		c = column(c)
		if c != "" && c != "ACTIVE" && !slices.Contains(l.columns, c) {
			return nil, false
		}
		columns = append(columns, c)
	}
	return columns, len(strings.Join(columns, "")) > 0
}

// unquote takes away the quotes that spreadsheets put around a cell.
func unquote(cell string) string {
	if len(cell) >= 2 && cell[0] == '"' && cell[len(cell)-1] == '"' {
		return strings.ReplaceAll(cell[1:len(cell)-1], `""`, `"`)
	}
	return cell
}
