package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// migrations is what the files of the schema create.
type migrations struct {
	files  int
	twice  []string // objects that more than one statement creates
	leases []string // tables with a lease of their own
}

var (
	created = regexp.MustCompile(
		`(?im)^\s*create\s+(?:or\s+replace\s+)?(?:unique\s+)?` +
			`(table|view|function|procedure|index|trigger|type)\s+(?:if\s+not\s+exists\s+)?([a-z_.]+)`,
	)
	onTable  = regexp.MustCompile(`(?is)^.*?\son\s+([a-z_.]+)`)
	takes    = regexp.MustCompile(`(?s)^\s*\([^)]*\)`)
	lease    = regexp.MustCompile(`(?i)\b(?:lease_until|leased_until|lease_expires_at)\b`)
	tableDef = regexp.MustCompile(`(?is)create table (?:if not exists )?([a-z_]+)\s*\((.*?)\n\s*\)`)
)

func readMigrations(root string) (*migrations, error) {
	m := &migrations{}
	times := map[string]int{}
	err := walk(filepath.Join(root, "controlplane/migrations"), func(path string, text []byte) error {
		if !strings.HasSuffix(path, ".sql") {
			return nil
		}
		m.files++
		for _, at := range created.FindAllSubmatchIndex(text, -1) {
			times[object(text, at)]++
		}
		for _, t := range tableDef.FindAllStringSubmatch(string(text), -1) {
			if lease.MatchString(t[2]) {
				m.leases = append(m.leases, t[1])
			}
		}
		return nil
	})
	for object, n := range times {
		if n > 1 {
			m.twice = append(m.twice, object)
		}
	}
	slices.Sort(m.twice)
	return m, err
}

// object names what a statement creates. Triggers are told apart by their table, functions by what they take.
func object(text []byte, at []int) string {
	kind, name, rest := string(text[at[2]:at[3]]), string(text[at[4]:at[5]]), text[at[5]:]
	switch strings.ToLower(kind) {
	case "trigger":
		if on := onTable.FindSubmatch(rest); on != nil {
			name += " on " + string(on[1])
		}
	case "function", "procedure":
		name += string(takes.Find(rest))
	}
	return strings.ToLower(kind + " " + name)
}
