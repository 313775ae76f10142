package exchange

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// maker makes a plan out of a set.
type maker struct {
	plan
	*stored
	set    ruleset.Set
	format string
	// dutyIDs are the IDs of duties by name and key, those of the set first.
	dutyIDs map[string]string
	names   map[string]string // of duties, by ID
}

// makePlan compares a set with what is stored.
func makePlan(ctx context.Context, tx *pg.Tx, set ruleset.Set, r *ruleset.Report, format string) (*plan, error) {
	s, err := read(ctx, tx, set)
	if err != nil {
		return nil, err
	}
	m := &maker{
		plan: plan{report: r, at: map[string]int{}}, stored: s, set: set, format: format,
		dutyIDs: map[string]string{}, names: map[string]string{},
	}
	for i, d := range s.duties {
		m.dutyIDs[strings.ToLower(d.Name)], m.names[d.ID] = d.ID, d.Name
		if key := keyOf(s.duties[i].Origin); key != "" {
			m.dutyIDs["key "+key] = d.ID
		}
	}
	for _, d := range set.Duties {
		if err := m.duty(d); err != nil {
			return nil, err
		}
	}
	for _, p := range set.Policies {
		if err := m.policy(p); err != nil {
			return nil, err
		}
	}
	m.contradictions()
	return &m.plan, nil
}

// planned is the ID of a new object in plans.
func planned(of string) string { return uuid.NewSHA1(uuid.Nil, []byte(of)).String() }

// origin is that of new objects.
func (m *maker) origin(key string) map[string]any {
	o := map[string]any{"kind": "import", "format": m.format}
	if key != "" {
		o["key"] = key
	}
	return o
}

// duty plans a duty.
func (m *maker) duty(d ruleset.Duty) error {
	of := ruleset.DutyID(d.Name)
	w := duty.Write{ID: planned(of), Origin: m.origin(d.Key)}
	i, there, renamed := m.dutyAt.find(d.Key, d.Name, d.Alias, func(i int) string { return keyOf(m.held()[i].Origin) })
	if there {
		before := m.held()[i]
		w.ID, w.Before, w.Fields = before.ID, &before, before.Fields
	}
	m.once(of, d.Place, w.ID)
	m.dutyIDs[strings.ToLower(d.Name)] = w.ID
	if renamed {
		d.Name = w.Before.Name
	}
	if other, there := m.dutyAt.name[strings.ToLower(d.Name)]; there && m.held()[other].ID != w.ID {
		m.report.AddOf(
			of,
			d.Place,
			"name",
			"duplicate_name",
			"Another duty has the name %q already. Rename one of the two.",
			d.Name,
		)
	}
	m.names[w.ID] = d.Name
	if d.Key != "" {
		m.dutyIDs["key "+d.Key] = w.ID
	}
	w.Name = d.Name
	if d.Has("description") {
		w.Description = d.Description
	}
	if d.Has("process") {
		w.Process = d.Process
	}
	if d.Has("owners") {
		w.OwnerIDs = m.owners(of, d.Place, d.Owners, d.LenientOwners)
	}
	unresolved := m.groups(of, d, &w)
	m.faults(of, d.Place, w.Complete(), strings.TrimSpace)
	m.lengths(
		of,
		d.Place,
		map[string]lengthOf{"name": {w.Name, 200}, "description": {w.Description, 4000}, "process": {w.Process, 200}},
	)
	changes, err := dutyChanges(w)
	if err != nil {
		return err
	}
	item := m.item(of, "duty", d.Name, d.Place, w.ID, w.Before != nil, changes)
	m.items[item].Unresolved = unresolved
	if m.items[item].Action != "unchanged" {
		m.plan.duties = append(m.plan.duties, w)
	}
	return nil
}

// once reports an object that an earlier one of the files is already.
func (m *maker) once(of string, at ruleset.Place, id string) {
	if i, twice := m.at[id]; twice {
		m.report.AddOf(of, at, "name", "duplicate_name", "%q of line %d is the same object. Rename one of the two.",
			m.items[i].Name, m.items[i].Line)
	}
}

// held are the stored duties.
func (m *maker) held() []duty.Duty { return m.stored.duties }

// dutyChanges are the fields that change.
func dutyChanges(w duty.Write) ([]string, error) {
	if w.Before == nil {
		return []string{}, nil
	}
	changes, err := audit.Diff(w.Before.Fields, w.Fields)
	return fields(changes), err
}

// fields are the names of changed fields.
func fields(changes []audit.Change) []string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Field
	}
	return names
}

// item adds an item of the plan.
func (m *maker) item(of, kind, name string, at ruleset.Place, id string, there bool, changes []string) int {
	item := SeparationImportItem{
		Kind: kind, Name: name, File: at.File, Line: at.Line, Action: "created", Changes: changes,
	}
	if there {
		item.ID, item.Action = &id, "updated"
		if len(changes) == 0 {
			item.Action = "unchanged"
		}
	}
	m.at[id] = len(m.items)
	m.items, m.of = append(m.items, item), append(m.of, of)
	return len(m.items) - 1
}

// owners are the IDs of people.
func (m *maker) owners(of string, at ruleset.Place, names []string, lenient bool) []string {
	ids := []string{}
	for _, n := range names {
		found := m.people[n]
		switch {
		case len(found) == 1:
			ids = append(ids, found[0])
		case lenient:
			m.report.Note(
				at,
				"owners",
				"unknown_owner",
				"The owner %q was not found among the external IDs of people, "+
					"and is omitted.",
				n,
			)
		case len(found) == 0:
			m.report.AddOf(of, at, "owners", "unknown_owner", "The owner %q was not found. Use the external ID of a "+
				"person.", n)
		default:
			m.report.AddOf(of, at, "owners", "ambiguous_owner", "%d people have the external ID %q. Use the ID of one.",
				len(found), n)
		}
	}
	return ids
}

// groups resolves the members of a duty, and counts those that have not been read yet.
func (m *maker) groups(of string, d ruleset.Duty, w *duty.Write) (unresolved int) {
	w.AllOf = []duty.Group{}
	for g, group := range d.Groups {
		to := duty.Group{Members: []duty.Member{}}
		seen := map[duty.Member]bool{}
		if len(group) == 0 {
			m.report.AddOf(
				of,
				d.Place,
				"all_of",
				"required",
				"Group %d of the duty %q has no members. Add one, or number "+
					"the groups without gaps.",
				g+1,
				d.Name,
			)
		}
		for _, each := range group {
			made, found, ok := m.member(of, each, w.Before)
			if !ok {
				continue
			}
			if seen[made] {
				m.report.AddOf(
					of,
					each.Place,
					"",
					"member_repeated",
					"The member is already in the group. Remove one of "+
						"the two.",
				)
				continue
			}
			seen[made] = true
			if !found {
				unresolved++
			}
			to.Members = append(to.Members, made)
		}
		w.AllOf = append(w.AllOf, to)
	}
	return unresolved
}

// member resolves a member. found says that it has been read.
func (m *maker) member(of string, from ruleset.Member, before *duty.Duty) (made duty.Member, found, ok bool) {
	wrong := func(field, code, format string, args ...any) (duty.Member, bool, bool) {
		m.report.AddOf(of, from.Place, field, code, format, args...)
		return duty.Member{}, false, false
	}
	made.Kind = from.Kind
	if needs, missing := from.Lacks(); missing {
		return wrong(needs, "required", "A member of the kind %s needs %s. Add it.", from.Kind, needs)
	}
	m.lengths(
		of,
		from.Place,
		map[string]lengthOf{"external_id": {from.ExternalID, 1000}, "duty_tag": {from.DutyTag, 100}},
	)
	switch from.Kind {
	case duty.Tag:
		made.DutyTag = from.DutyTag
		return made, true, true
	case duty.Role:
		id, there := m.roles[from.Role]
		if !there && listing.IsID(from.Role) {
			if id, there = m.roles[strings.ToLower(from.Role)]; !there && names(before, from.Role) {
				id, there = strings.ToLower(from.Role), true
			}
		}
		if made.RoleID = id; !there {
			return wrong("role", "unknown_role", "The role %q was not found. Use the key of a role.", from.Role)
		}
		return made, true, true
	case duty.Entitlement:
		if from.Connector == "" {
			made.EntitlementID = strings.ToLower(from.ExternalID)
			if !m.byID[made.EntitlementID] && !names(before, made.EntitlementID) {
				return wrong(
					"external_id",
					"unknown_entitlement",
					"Entitlement %q was not found. Use the business ID of "+
						"its connector and its external ID.",
					from.ExternalID,
				)
			}
			return made, m.byID[made.EntitlementID], true
		}
	case duty.Connector, duty.External:
	default:
		return wrong(
			"member_kind",
			"invalid",
			"The kind is %q. Use entitlement, role, duty_tag, connector or external.",
			from.Kind,
		)
	}
	connector, there := m.connector(from.Connector)
	if !there && names(before, from.Connector) {
		connector, there = strings.ToLower(from.Connector), true
	}
	if !there {
		return wrong("connector", "unknown_connector", "The connector %q was not found. Use the business ID of a "+
			"connector.", from.Connector)
	}
	if from.Kind == duty.Connector {
		made.ConnectorID = connector
		return made, true, true
	}
	id, read := m.entitlements[[2]string{connector, from.ExternalID}]
	if from.Kind == duty.Entitlement && read {
		made.EntitlementID = id
		return made, true, true
	}
	made.Kind, made.ConnectorID, made.ExternalID = duty.External, connector, from.ExternalID
	return made, read, true
}

// names reports whether a duty names something by its ID.
func names(d *duty.Duty, id string) bool {
	if d == nil {
		return false
	}
	for _, g := range d.AllOf {
		for _, m := range g.Members {
			if id = strings.ToLower(id); id == m.EntitlementID || id == m.RoleID || id == m.ConnectorID {
				return true
			}
		}
	}
	return false
}

// faults adds the problems of a check of all fields.
func (m *maker) faults(of string, at ruleset.Place, err error, readable func(string) string) {
	f := (*fault.Fault)(nil)
	if !errors.As(err, &f) {
		return
	}
	if m.report.Refused(of) { // what is wrong already is the reason
		return
	}
	for _, w := range f.Fields {
		m.report.AddOf(of, at, strings.TrimPrefix(w.Pointer, "#/"), w.Code, "%s", readable(w.Detail))
	}
}

// lengthOf is a text with its limit.
type lengthOf struct {
	text string
	most int
}

// lengths adds problems of texts that are too long.
func (m *maker) lengths(of string, at ruleset.Place, texts map[string]lengthOf) {
	for field, t := range texts {
		if n := len([]rune(t.text)); n > t.most {
			m.report.AddOf(
				of,
				at,
				field,
				"too_long",
				"%s has %s characters, and at most %d are allowed. Shorten it.",
				field,
				strconv.Itoa(n),
				t.most,
			)
		}
	}
}
