package sapgrc

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
)

// Options are how a rule set is read.
type Options struct {
	// Connector is the business ID or ID of the connector of systems that Systems does not name.
	Connector string
	// Systems are connectors by the name of the system.
	Systems map[string]string
	// Permissions says that the permissions of functions become groups of duties.
	Permissions bool
	// RuleSet is the rule set whose risks are read. Empty: all.
	RuleSet string
	// Language is the preferred language of descriptions.
	Language string
}

// Read reads the files of a rule set, text files or XML.
func Read(texts []source.Text, isXML bool, o Options, r *ruleset.Report) ruleset.Set {
	t := tables{}
	for _, text := range texts {
		if isXML {
			t.readXML(text, r)
		} else {
			t.readText(text, r)
		}
	}
	if o.Language == "" {
		o.Language = "EN"
	}
	return t.set(o, r)
}

// set is the rule set of the tables.
func (t tables) set(o Options, r *ruleset.Report) (s ruleset.Set) {
	b := builder{tables: t, Options: o, report: r, known: map[string]bool{}, unmapped: map[string]bool{}}
	s.Duties = b.duties()
	s.Policies = b.policies(s.Duties)
	return s
}

// builder makes a rule set of tables.
type builder struct {
	tables
	Options
	report   *ruleset.Report
	known    map[string]bool // functions
	unmapped map[string]bool // systems that were reported
}

// texts are the descriptions of a table by ID, in the preferred language or the first one.
func (b builder) texts(table, id, column string) map[string]string {
	found, languages := map[string]string{}, map[string]string{}
	for _, r := range b.tables[table] {
		text, language := r.get(column), strings.ToUpper(r.get("LANGU"))
		if text == "" {
			continue
		}
		had, there := languages[r.get(id)]
		preferred := strings.HasPrefix(language, strings.ToUpper(b.Language)) || language == ""
		if there && had == language && found[r.get(id)] != text {
			b.report.Add(
				r.Place,
				column,
				"contradiction",
				"%s has another description in the same language in an earlier "+
					"line. Remove one of the two.",
				r.get(id),
			)
		}
		if !there || (preferred && !strings.HasPrefix(had, strings.ToUpper(b.Language))) {
			found[r.get(id)], languages[r.get(id)] = text, language
		}
	}
	return found
}

// titled is the name of an object with an ID.
func titled(id, text string) string {
	if text == "" || text == id {
		return id
	}
	return id + ": " + text
}

// inactive reads the columns STATUS, in which 0 is active and 1 is not, and ACTIVE, in which an X is active.
func (b builder) inactive(r record) bool {
	if value, there := r.values["ACTIVE"]; there {
		switch strings.ToUpper(strings.TrimSpace(value)) {
		case "X", "1", "TRUE", "YES":
			return false
		case "", "0", "FALSE", "NO":
			return true
		}
		b.report.Add(r.Place, "ACTIVE", "invalid", "ACTIVE is %q. Use X for active, or leave it empty.", value)
		return false
	}
	switch value := strings.ToUpper(r.get("STATUS")); value {
	case "", "0", "ACTIVE", "ENABLED":
		return false
	case "1", "INACTIVE", "DISABLED":
		return true
	default:
		b.report.Add(r.Place, "STATUS", "invalid", "STATUS is %q. Use 0 for active and 1 for inactive.", value)
		return false
	}
}

// connector is the connector of a record's system. A system without one is reported once.
func (b builder) connector(r record) (string, bool) {
	system := r.get("CONNECTOR")
	for _, name := range []string{b.Systems[system], b.Systems[strings.ToUpper(system)], b.Options.Connector} {
		if name != "" {
			return name, true
		}
	}
	if !b.unmapped[system] {
		b.unmapped[system] = true
		b.report.Add(
			r.Place,
			"CONNECTOR",
			"unknown_system",
			"The system %q has no connector. Choose a connector for the "+
				"import, or name one for the system.",
			system,
		)
	}
	return "", false
}
