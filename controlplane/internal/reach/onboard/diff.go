package onboard

import (
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// States of a diff. It is closed once everything is decided, or when it was dismissed.
const (
	stateOpen      = "open"
	stateAccepted  = "accepted"
	statePartially = "partially_accepted"
	stateDismissed = "dismissed"
)

// SchemaDiff is what a later look at a target showed otherwise than the fields that the mappings are about.
type SchemaDiff struct {
	// ID of the schema diff.
	ID string `json:"id" db:"id"`
	// ID of the connector whose schema changed.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// ID of the earlier schema snapshot.
	FromSnapshotID string `json:"from_snapshot_id" db:"from_snapshot_id"`
	// ID of the later schema snapshot.
	ToSnapshotID string `json:"to_snapshot_id" db:"to_snapshot_id"`
	// Status of the diff: no field decided (open), all decided (accepted), some decided (partially_accepted), or
	// closed without a decision (dismissed).
	State string `json:"state" db:"state" enum:"open,accepted,partially_accepted,dismissed"`
	// Fields that only the later snapshot has.
	Added []AddedField `json:"added" db:"added" nullable:"false"`
	// Fields that only the earlier snapshot has.
	Removed []RemovedField `json:"removed" db:"removed" nullable:"false"`
	// Fields whose type differs between the snapshots.
	TypeChanged []RetypedField `json:"type_changed" db:"type_changed" nullable:"false"`
	// Decisions that were made about fields of the diff.
	Decisions []SchemaDecision `json:"decisions" db:"decisions" nullable:"false"`
	// Number of fields that await a decision.
	Undecided int `json:"undecided" db:"-"`
	// The diff of a later look that took its place.
	ReplacedByID *string `json:"replaced_by_id" db:"replaced_by_id"`
	// Version number of the diff, for If-Match.
	Version int `json:"version" db:"version"`
	// Time the diff was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the diff was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// When nothing was left to decide, or it was dismissed or replaced.
	ClosedAt *time.Time `json:"closed_at" db:"closed_at"`
	BaseID   string     `json:"-" db:"base_snapshot_id"`
}

// AddedField is a field that was not there before.
type AddedField struct {
	proposal.FieldRef
	// What accepting it does; null for a kind of object that is not mapped.
	Proposal *mapping.Mapping `json:"proposal"`
}

// RemovedField is a field that is not there any more.
type RemovedField struct {
	proposal.FieldRef
	// The mappings that use it: its own, and those whose transforms name it.
	Breaks []mapping.Mapping `json:"breaks" nullable:"false"`
}

// RetypedField is a field of another type than before.
type RetypedField struct {
	proposal.TypeChange
	// What is done with it now.
	Mapping *mapping.Mapping `json:"mapping"`
}

// SchemaDecision is what somebody decided about a field.
type SchemaDecision struct {
	// Kind of record that the field belongs to.
	Object string `json:"object"`
	// Name of the source field.
	Path string `json:"path"`
	// Whether the proposal was followed (accept), another mapping was given (override), or the field is not used
	// (ignore).
	Decision string `json:"decision" enum:"accept,override,ignore"`
	// The given one, of an override.
	Mapping *mapping.Mapping `json:"mapping"`
	// Display name of the user or token that made the decision.
	By string `json:"by"`
	// Time of the decision.
	At time.Time `json:"at"`
}

type fieldKey [2]string // kind of object, name

// fields are all that a diff is about, in its order.
func (d SchemaDiff) fields() (out []fieldKey) {
	for _, f := range d.Added {
		out = append(out, fieldKey{f.Object, f.Path})
	}
	for _, f := range d.Removed {
		out = append(out, fieldKey{f.Object, f.Path})
	}
	for _, f := range d.TypeChanged {
		out = append(out, fieldKey{f.Object, f.Path})
	}
	return out
}

func (d SchemaDiff) decided() map[fieldKey]bool {
	out := map[fieldKey]bool{}
	for _, one := range d.Decisions {
		out[fieldKey{one.Object, one.Path}] = true
	}
	return out
}

// undecided are the fields that wait for a decision.
func (d SchemaDiff) undecided() []fieldKey {
	decided := d.decided()
	return slices.DeleteFunc(d.fields(), func(k fieldKey) bool { return decided[k] })
}

// between compares two snapshots, with what the change means for the rules in use and what could be done about it.
func between(before, after fieldmap.SchemaSnapshot, rules, proposals []mapping.Mapping) SchemaDiff {
	found := proposal.Diff(before.Discovered(), after.Discovered())
	out := SchemaDiff{
		ConnectorID:    before.ConnectorID,
		FromSnapshotID: before.ID,
		BaseID:         before.ID,
		ToSnapshotID:   after.ID,
		State:          stateOpen,
		Added:          []AddedField{},
		Removed:        []RemovedField{},
		TypeChanged:    []RetypedField{},
		Decisions:      []SchemaDecision{},
	}
	gone := map[fieldKey]bool{}
	for _, f := range found.Removed {
		gone[fieldKey{f.Object, f.Path}] = true
		out.Removed = append(out.Removed, RemovedField{f, using(rules, f)})
	}
	kept := slices.DeleteFunc(
		slices.Clone(rules),
		func(r mapping.Mapping) bool { return gone[fieldKey{r.Object, r.Source}] },
	)
	all, added := proposal.Complete(kept, proposals)
	possible := all[len(all)-added:]
	for _, f := range found.Added {
		out.Added = append(out.Added, AddedField{f, ruleFor(possible, f.Object, f.Path)})
	}
	for _, f := range found.TypeChanged {
		out.TypeChanged = append(out.TypeChanged, RetypedField{f, ruleFor(rules, f.Object, f.Path)})
	}
	return out
}

func ruleFor(rules []mapping.Mapping, object, path string) *mapping.Mapping {
	at := indexOf(rules, fieldKey{object, path})
	if at < 0 {
		return nil
	}
	return &rules[at]
}

func indexOf(rules []mapping.Mapping, k fieldKey) int {
	return slices.IndexFunc(rules, func(r mapping.Mapping) bool { return r.Object == k[0] && r.Source == k[1] })
}

// using are the rules that use a field: its own, and those whose transforms have its name in quotes.
func using(rules []mapping.Mapping, f proposal.FieldRef) []mapping.Mapping {
	out := []mapping.Mapping{}
	for _, r := range rules {
		own := r.Source == f.Path
		named := strings.Contains(r.Transform, "'"+f.Path+"'") || strings.Contains(r.Transform, `"`+f.Path+`"`)
		if r.Object == f.Object && r.Action == mapping.ActionMap && (own || named) {
			out = append(out, r)
		}
	}
	return out
}

// settled are the objects that the mappings are about once some fields of a diff are decided: the later look, but for
// what waits. whole says whether nothing of the earlier look is left in it.
func settled(before, after fieldmap.SchemaSnapshot, waiting []fieldKey) (objects []v1.DiscoveredObject, whole bool) {
	old, left := map[fieldKey]v1.DiscoveredField{}, map[fieldKey]bool{}
	gone := map[fieldKey]bool{}
	for _, o := range before.Discovered() {
		for _, f := range o.Fields {
			old[fieldKey{o.Kind, f.Name}] = f
		}
	}
	for _, f := range proposal.Diff(before.Discovered(), after.Discovered()).Removed {
		gone[fieldKey{f.Object, f.Path}] = true
	}
	whole = true
	for _, o := range after.Discovered() {
		fields := o.Fields
		o.Fields = nil
		for _, f := range fields {
			k := fieldKey{o.Kind, f.Name}
			was, known := old[k]
			left[k] = true
			switch {
			case !slices.Contains(waiting, k):
				o.Fields = append(o.Fields, f)
			case known:
				o.Fields, whole = append(o.Fields, was), false
			default:
				whole = false
			}
		}
		objects = append(objects, o)
	}
	for _, o := range before.Discovered() {
		fields := o.Fields
		o.Fields = nil
		for _, f := range fields {
			// What was seen in samples alone may come again; see mapping.Diff.
			if k := (fieldKey{o.Kind, f.Name}); !left[k] && (!gone[k] || slices.Contains(waiting, k)) {
				o.Fields, whole = append(o.Fields, f), false
			}
		}
		if len(o.Fields) > 0 {
			objects = appended(objects, o)
		}
	}
	return objects, whole
}

// appended puts an object's fields to those of the same type, or the object to the others.
func appended(objects []v1.DiscoveredObject, o v1.DiscoveredObject) []v1.DiscoveredObject {
	for i := range objects {
		if objects[i].Kind == o.Kind && objects[i].NativeType == o.NativeType {
			objects[i].Fields = append(objects[i].Fields, o.Fields...)
			return objects
		}
	}
	return append(objects, o)
}
