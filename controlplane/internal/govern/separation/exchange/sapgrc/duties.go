package sapgrc

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// function collects what the tables say about a function.
type function struct {
	record
	processes   []string
	actions     []ruleset.Member
	permissions []permission
}

// permission is a permission that an action needs.
type permission struct {
	ruleset.Member
	action action
	field  string // object and field, with the value where all values are needed
}

// action names an action of a connector.
type action struct{ connector, name string }

// duties are the functions of the rule set.
func (b builder) duties() (list []ruleset.Duty) {
	all, ids := map[string]*function{}, []string{}
	for _, r := range b.tables[functions] {
		if id := r.get("FUNCTID"); all[id] == nil {
			all[id] = &function{record: r}
			ids = append(ids, id)
			b.known[id] = true
		}
	}
	of := func(r record) *function {
		f := all[r.get("FUNCTID")]
		if f == nil {
			b.report.Add(
				r.Place,
				"FUNCTID",
				"unknown_function",
				"The function %q is not in the table of functions. Add it, "+
					"or remove the line.",
				r.get("FUNCTID"),
			)
		}
		return f
	}
	for _, r := range b.tables[functionBP] {
		if f := of(r); f != nil {
			f.processes = append(f.processes, r.get("BPROC"))
		}
	}
	for _, r := range b.tables[actions] {
		if f := of(r); f != nil && !b.inactive(r) {
			b.action(f, r)
		}
	}
	if b.Permissions {
		for _, r := range b.tables[permissions] {
			if f := of(r); f != nil && !b.inactive(r) {
				b.permission(f, r)
			}
		}
	}
	texts, named := b.texts(functions, "FUNCTID", "DESCN"), b.texts(processes, "BPROC", "DESCN")
	given := ruleset.Given{"all_of": true, "process": len(b.tables[functionBP]) > 0}
	for _, id := range ids {
		f := all[id]
		d := ruleset.Duty{
			Place: f.Place, Given: given, Key: id, Name: titled(id, texts[id]), Alias: texts[id],
			Process: b.process(f, named),
		}
		if d.Groups = b.groups(f, d.Name); len(d.Groups) == 0 {
			b.report.AddOf(
				ruleset.DutyID(d.Name),
				f.Place,
				"",
				"no_members",
				"The function %q has no active actions. Add "+
					"one to the table of function actions, or remove the function.",
				id,
			)
		}
		list = append(list, d)
	}
	return list
}

// process is the business process of a function.
func (b builder) process(f *function, named map[string]string) string {
	names := []string{}
	for _, id := range f.processes {
		names = append(names, cmp.Or(named[id], id))
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// dummy begins the actions that stand for none, of functions with permissions only.
const dummy = "^!"

// action adds an action.
func (b builder) action(f *function, r record) {
	connector, ok := b.connector(r)
	if !ok || strings.HasPrefix(r.get("ACTION"), dummy) {
		return
	}
	m := ruleset.Member{Place: r.Place, Kind: "external", Connector: connector, ExternalID: r.get("ACTION")}
	if !slices.ContainsFunc(f.actions, func(a ruleset.Member) bool { return same(a, m) }) {
		f.actions = append(f.actions, m)
	}
}

func same(a, b ruleset.Member) bool {
	return a.Connector == b.Connector && a.ExternalID == b.ExternalID
}

// permission adds a permission.
func (b builder) permission(f *function, r record) {
	connector, ok := b.connector(r)
	if !ok {
		return
	}
	id := r.get("OBJECT")
	p := permission{action: action{connector, r.get("ACTION")}}
	if field := r.get("FIELD"); field != "" {
		id += ":" + field
	}
	p.field = id
	if from := r.get("FROMVAL"); from != "" {
		if id += ":" + from; r.get("TOVAL") != "" && r.get("TOVAL") != from {
			id += ".." + r.get("TOVAL")
		}
	}
	switch search := strings.ToUpper(r.get("SEARCHTYPE")); search {
	case "", "OR", "0":
	case "AND", "1":
		p.field = id
	default:
		b.report.Add(r.Place, "SEARCHTYPE", "invalid", "SEARCHTYPE is %q. Use AND or OR.", search)
	}
	p.Member = ruleset.Member{Place: r.Place, Kind: "external", Connector: connector, ExternalID: id}
	f.permissions = append(f.permissions, p)
}

// mostGroups is how many groups a duty has at most.
const mostGroups = 20

// groups are the groups of a function: its actions, and a group for each object and field.
func (b builder) groups(f *function, name string) (groups [][]ruleset.Member) {
	if len(f.actions) > 0 {
		groups = append(groups, f.actions)
	}
	byField := map[string][]permission{}
	for _, p := range f.permissions {
		byField[p.field] = append(byField[p.field], p)
	}
	for i, field := range slices.Sorted(maps.Keys(byField)) {
		if len(groups) == mostGroups {
			b.report.Note(
				f.Place,
				"",
				"too_many_groups",
				"The function %q needs %d objects and fields, and the duty has the "+
					"first %d. It then counts too many people, rather than too few.",
				name,
				len(byField),
				i,
			)
			break
		}
		groups = append(groups, group(byField[field], f.actions))
	}
	return groups
}

// group has the permissions of an object and field, and the actions that do not need it.
func group(of []permission, all []ruleset.Member) (members []ruleset.Member) {
	needed := map[action]bool{}
	for _, p := range of {
		needed[p.action] = true
		if !slices.ContainsFunc(members, func(m ruleset.Member) bool { return same(m, p.Member) }) {
			members = append(members, p.Member)
		}
	}
	for _, a := range all {
		if !needed[action{a.Connector, a.ExternalID}] {
			members = append(members, a)
		}
	}
	return members
}
