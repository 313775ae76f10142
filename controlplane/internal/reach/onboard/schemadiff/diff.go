package schemadiff

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
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

// SchemaDecision is what a user decided about a field.
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

// FieldKey is the kind of object and the name of a field.
type FieldKey [2]string

// Fields are all that a diff is about, in its order.
func (d SchemaDiff) Fields() (out []FieldKey) {
	for _, f := range d.Added {
		out = append(out, FieldKey{f.Object, f.Path})
	}
	for _, f := range d.Removed {
		out = append(out, FieldKey{f.Object, f.Path})
	}
	for _, f := range d.TypeChanged {
		out = append(out, FieldKey{f.Object, f.Path})
	}
	return out
}

func (d SchemaDiff) decided() map[FieldKey]bool {
	out := map[FieldKey]bool{}
	for _, one := range d.Decisions {
		out[FieldKey{one.Object, one.Path}] = true
	}
	return out
}

// Waiting are the fields that wait for a decision.
func (d SchemaDiff) Waiting() []FieldKey {
	decided := d.decided()
	return slices.DeleteFunc(d.Fields(), func(k FieldKey) bool { return decided[k] })
}
