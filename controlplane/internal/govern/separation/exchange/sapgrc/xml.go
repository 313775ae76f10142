package sapgrc

import (
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
)

const (
	deepest   = 16        // levels of elements
	mostNodes = 6_000_000 // elements and attributes
)

// node is an element.
type node struct {
	name     string
	line     int
	text     strings.Builder
	columns  map[string]string
	children []*node
}

// readXML adds the records of an XML document.
func (t tables) readXML(text source.Text, r *ruleset.Report) {
	before := r.ProblemCount
	root := parse(text, r)
	if root == nil || r.ProblemCount > before {
		return
	}
	v := visit{tables: t, text: text, report: r, ignored: map[string]bool{}}
	v.node(root, "", nil)
	for _, name := range slices.Sorted(maps.Keys(v.ignored)) {
		r.Note(
			text.Line(0),
			name,
			"unknown_table",
			"Elements called %q are no rows of a known table, and are omitted.",
			name,
		)
	}
}

// parse reads the elements. Document types are refused, and with them entities of one's own.
func parse(text source.Text, r *ruleset.Report) (root *node) {
	d := xml.NewDecoder(strings.NewReader(text.Body))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is decoded already
	var stack []*node
	for nodes := 0; ; nodes++ {
		token, err := d.Token()
		line, _ := d.InputPos()
		at := text.Line(line)
		switch {
		case errors.Is(err, io.EOF) && root != nil:
			return root
		case err != nil:
			r.Add(at, "", "malformed_xml", "The XML is malformed: %v. Export the rule set again.", err)
			return nil
		case nodes > mostNodes:
			r.Add(at, "", "too_large", "The document has more than %d parts. Split it.", mostNodes)
			return nil
		}
		switch e := token.(type) {
		case xml.Directive:
			r.Add(at, "", "document_type", "Document types and entities are not allowed. Remove the line <!%.20s…>.", e)
			return nil
		case xml.StartElement:
			if len(stack) >= deepest {
				r.Add(at, "", "too_deep", "Elements are nested deeper than %d levels. Remove the nesting.", deepest)
				return nil
			}
			n := &node{name: e.Name.Local, line: line, columns: map[string]string{}}
			for _, a := range e.Attr {
				nodes++
				n.columns[column(a.Name.Local)] = a.Value
			}
			if len(stack) > 0 {
				parent := stack[len(stack)-1]
				parent.children = append(parent.children, n)
			} else if root == nil {
				root = n
			}
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text.Write(e)
			}
		}
	}
}

// visit finds the rows among elements.
type visit struct {
	tables
	text    source.Text
	report  *ruleset.Report
	ignored map[string]bool
}

// items are names of elements that are rows of the table around them.
var items = []string{"item", "row", "line", "record", "entry"}

// node adds the row of an element, and those within it. Rows within a row have its IDs.
func (v visit) node(n *node, table string, ids map[string]string) {
	if own := tableOf(n.name); own != "" {
		table = own
	} else if !slices.Contains(items, strings.ToLower(n.name)) {
		table = ""
	}
	row := record{v.text.Line(n.line), maps.Clone(ids)}
	if row.values == nil {
		row.values = map[string]string{}
	}
	own := len(n.columns)
	for c, value := range n.columns {
		row.values[c] = value
	}
	var inner []*node
	for _, child := range n.children {
		c := column(child.name)
		if len(child.children) > 0 || len(child.columns) > 0 || (table == "" && tableOf(child.name) != "") ||
			(table != "" && !slices.Contains(layouts[table].columns, c) && c != "ACTIVE" && tableOf(child.name) != "") {
			inner = append(inner, child)
			continue
		}
		own++
		if _, twice := row.values[c]; twice && ids[c] == "" {
			v.report.Add(
				v.text.Line(child.line),
				child.name,
				"duplicate_column",
				"The column %s occurs twice in the row. "+
					"Remove one of the two.",
				child.name,
			)
		}
		row.values[c] = child.text.String()
	}
	pass := maps.Clone(ids)
	if pass == nil {
		pass = map[string]string{}
	}
	switch {
	case table != "" && own > 0:
		v.add(table, row, v.report)
		for _, c := range []string{"FUNCTID", "RISKID", "CONNECTOR", "ACTION"} {
			if row.values[c] != "" {
				pass[c] = row.values[c]
			}
		}
	case table == "" && own > 0 && len(inner) == 0:
		v.ignored[n.name] = true
	}
	for _, child := range inner {
		v.node(child, table, pass)
	}
}
