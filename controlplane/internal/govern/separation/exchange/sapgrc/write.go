package sapgrc

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// LeftOutFile is the file of an archive that lists what the layout cannot express. Imports skip it.
const LeftOutFile = "left-out.txt"

// Text writes the text files of a rule set, and what is left out.
func Text(s ruleset.Set, ruleSet string) map[string][]byte {
	w := newWriter(s, ruleSet)
	files := map[string][]byte{}
	for _, table := range order {
		var b strings.Builder
		for _, row := range w.rows[table] {
			for i, cell := range row {
				cell = strings.Join(strings.Fields(cell), " ") // a cell has no tabs and line breaks
				if row[i] = cell; strings.HasPrefix(cell, `"`) {
					row[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
				}
			}
			b.WriteString(strings.Join(row, "\t") + "\r\n")
		}
		files[table+".txt"] = []byte(b.String())
	}
	if len(w.leftOut) > 0 {
		files[LeftOutFile] = []byte(strings.Join(w.leftOut, "\r\n") + "\r\n")
	}
	return files
}

// XML writes a rule set as XML, with what is left out as a comment.
func XML(s ruleset.Set, ruleSet string) []byte {
	w := newWriter(s, ruleSet)
	var b bytes.Buffer
	b.WriteString(xml.Header + "<RULE_SET>\n")
	for _, table := range order {
		element := strings.ToUpper(strings.ReplaceAll(table, " ", "_"))
		fmt.Fprintf(&b, "  <%s>\n", element)
		for _, row := range w.rows[table] {
			b.WriteString("    <item>")
			for i, cell := range row {
				name := layouts[table].columns[i]
				fmt.Fprintf(&b, "<%s>", name)
				_ = xml.EscapeText(&b, []byte(cell)) // a buffer takes all writes
				fmt.Fprintf(&b, "</%s>", name)
			}
			b.WriteString("</item>\n")
		}
		fmt.Fprintf(&b, "  </%s>\n", element)
	}
	for _, each := range w.leftOut {
		fmt.Fprintf(&b, "  <!-- %s -->\n", strings.ReplaceAll(each, "--", "- -"))
	}
	b.WriteString("</RULE_SET>\n")
	return b.Bytes()
}

// writer makes the rows of tables.
type writer struct {
	rows     map[string][][]string
	leftOut  []string
	keys     map[string]string // of duties that are written, by lower name
	taken    map[string]bool
	business map[string]string // IDs of processes
}

func newWriter(s ruleset.Set, ruleSet string) *writer {
	w := &writer{
		rows:     map[string][][]string{},
		keys:     map[string]string{},
		taken:    map[string]bool{},
		business: map[string]string{},
	}
	for _, d := range s.Duties {
		w.taken[d.Key] = true
	}
	for _, p := range s.Policies {
		w.taken[p.Key] = true
	}
	w.add(ruleSets, ruleSet, "EN", "Grantwright")
	for _, d := range s.Duties {
		w.duty(d)
	}
	for _, p := range s.Policies {
		w.policy(p, ruleSet)
	}
	return w
}

func (w *writer) add(table string, cells ...string) { w.rows[table] = append(w.rows[table], cells) }

// key is the key of an object, or one that is made of its number.
func (w *writer) key(key, letter string) string {
	for n := 1; key == ""; n++ {
		if made := letter + fmt.Sprintf("%04d", n); !w.taken[made] {
			key = made
		}
	}
	w.taken[key] = true
	return key
}

// title is a name without its key.
func title(key, name string) string {
	if rest, cut := strings.CutPrefix(name, key+": "); cut && key != "" {
		return rest
	}
	return name
}

// duty writes a function, if reading it again gives the same duty.
func (w *writer) duty(d ruleset.Duty) {
	key := w.key(d.Key, "F")
	one := &writer{rows: map[string][][]string{}, business: w.business}
	one.function(d, key)
	read, report := tables{}, &ruleset.Report{}
	for table, rows := range one.rows {
		for _, row := range rows {
			read.addCells(table, ruleset.Place{}, layouts[table].columns, row, report)
		}
	}
	systems := map[string]string{}
	for _, g := range d.Groups {
		for _, m := range g {
			systems[m.Connector] = m.Connector
		}
	}
	again := read.set(Options{Systems: systems, Permissions: true, Language: "EN"}, report)
	if !report.OK() || len(again.Duties) != 1 || !equal(again.Duties[0].Groups, d.Groups) ||
		again.Duties[0].Process != d.Process {
		w.leftOut = append(
			w.leftOut,
			fmt.Sprintf("Duty %q: its members are not actions and permissions by external ID.",
				d.Name),
		)
		return
	}
	w.keys[strings.ToLower(d.Name)] = key
	for table, rows := range one.rows {
		w.rows[table] = append(w.rows[table], rows...)
	}
}

// equal reports whether groups have the same members, in whatever order.
func equal(a, b [][]ruleset.Member) bool {
	set := func(groups [][]ruleset.Member) (list []string) {
		for i, g := range groups {
			for _, m := range g {
				list = append(list, strings.Join([]string{strconv.Itoa(i), m.Kind, m.Connector, m.ExternalID}, "\x00"))
			}
		}
		slices.Sort(list)
		return list
	}
	return slices.Equal(set(a), set(b))
}

// function writes the rows of a function.
func (w *writer) function(d ruleset.Duty, key string) {
	w.add(functions, key, "EN", title(d.Key, d.Name), "")
	if d.Process != "" {
		id, there := w.business[d.Process]
		if !there {
			id = fmt.Sprintf("BP%02d", len(w.business)+1)
			w.business[d.Process] = id
		}
		w.add(processes, id, "EN", d.Process)
		w.add(functionBP, key, id)
	}
	if len(d.Groups) == 0 {
		return
	}
	for _, m := range d.Groups[0] {
		w.add(actions, key, m.Connector, m.ExternalID, "0")
	}
	for _, g := range d.Groups[1:] {
		for _, a := range d.Groups[0] {
			if slices.ContainsFunc(g, func(m ruleset.Member) bool { return same(m, a) }) {
				continue
			}
			for _, m := range g {
				if slices.ContainsFunc(d.Groups[0], func(a ruleset.Member) bool { return same(m, a) }) {
					continue
				}
				parts := append(strings.SplitN(m.ExternalID, ":", 3), "", "", "")
				from, to, _ := strings.Cut(parts[2], "..")
				w.add(permissions, key, m.Connector, a.ExternalID, parts[0], parts[1], from, to, "OR", "0")
			}
		}
	}
}

var levels = map[string]string{"medium": "0", "high": "1", "low": "2", "critical": "3"}

// policy writes a risk: a policy in which all sides, each of one duty, conflict.
func (w *writer) policy(p ruleset.Policy, ruleSet string) {
	all := p.Kind == "pair" || (p.Kind == "n_of_m" && p.N != nil && *p.N == len(p.Sides) && len(p.Sides) <= 5)
	cells := []string{w.key(p.Key, "P"), "", "", "", "", "", "", levels[p.Severity], "0", "1"}
	for i, s := range p.Sides {
		if all = all && len(s.Duties) == 1; all {
			cells[i+1] = w.keys[strings.ToLower(s.Duties[0].Name)]
			all = cells[i+1] != ""
		}
	}
	if !all {
		w.leftOut = append(
			w.leftOut,
			fmt.Sprintf("Policy %q: a risk has two to five functions, which all conflict, and "+
				"each of which was exported.", p.Name),
		)
		return
	}
	if !p.Enabled {
		cells[8] = "1"
	}
	w.add(risks, cells...)
	w.add(riskTexts, cells[0], "EN", title(p.Key, p.Name), p.Description)
	w.add(riskRuleSets, cells[0], ruleSet)
	for _, o := range p.Owners {
		w.add(riskOwners, cells[0], o)
	}
}
