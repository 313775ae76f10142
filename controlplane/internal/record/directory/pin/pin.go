package pin

import (
	"maps"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// FieldTypes are the SQL types of those SourceFields that are not text.
var FieldTypes = map[string]string{"hire_date": "date", "start_date": "date", "termination_date": "date",
	"last_working_at": "timestamptz", "leave_from": "date", "leave_to": "date"}

// SourceFields are the fields of a person that a sync writes.
var SourceFields = []string{
	"email",
	"display_name",
	"username",
	"first_name",
	"middle_name",
	"last_name",
	"preferred_name",
	"employee_number",
	"department",
	"division",
	"organization",
	"cost_center",
	"title",
	"job_code",
	"location",
	"country",
	"employment_type",
	"hire_date",
	"start_date",
	"termination_date",
	"last_working_at",
	"leave_from",
	"leave_to",
}

// StatusField is the key of a pin on the standing of an identity, apart from its dates.
const StatusField = "status"

// CustomPrefix begins the keys of pins on custom attributes.
const CustomPrefix = "attributes."

// Pin keeps what a person decided about a field that a source writes.
type Pin struct {
	// Who pinned the field.
	By PinnedBy `json:"pinned_by"`
	// Origin of the pinned value: manual or import.
	Kind string `json:"kind"`
	// Time the field was pinned.
	At time.Time `json:"at"`
	// End of the pin. Absent: no end is set.
	Until       *time.Time `json:"until,omitempty"`
	Soft        bool       `json:"soft,omitempty"` // until the source says something else than SourceValue
	SourceValue any        `json:"source_value"`   // what the source says, when it was last read
}

// PinnedBy is who decided.
type PinnedBy struct {
	// Type of the actor: user, service, agent or system.
	Type string `json:"type"`
	// ID of the user, service token or agent.
	ID string `json:"id"`
	// Name of the actor.
	Display string `json:"display"`
}

// Pins are the pins of one person by field.
type Pins map[string]Pin

// Stored are the pins as the database keeps them: never null.
func (p Pins) Stored() Pins {
	if p == nil {
		return Pins{}
	}
	return p
}

// Set adds a pin. If the field is pinned already, the value of the source is taken from that pin.
func (p *Pins) Set(field string, value any, pin Pin) {
	all := maps.Clone(*p)
	if all == nil {
		all = Pins{}
	}
	pin.SourceValue = sourceValue(field, value)
	if old, pinned := all[field]; pinned {
		pin.SourceValue = old.SourceValue
		pin.Soft = pin.Soft && old.Soft
	}
	all[field] = pin
	*p = all
}

// sourceValue is a value of a field as source records keep it.
func sourceValue(field string, value any) any {
	if FieldTypes[field] != "timestamptz" {
		return value
	}
	switch at := value.(type) {
	case *time.Time:
		if at == nil {
			return nil
		}
		return at.UTC().Format(time.RFC3339)
	case string:
		if t, err := time.Parse(time.RFC3339, at); err == nil {
			return t.UTC().Format(time.RFC3339)
		}
	}
	return value
}

// By is the viewer who pins.
func By(v viewer.Viewer) PinnedBy {
	return PinnedBy{Type: string(v.Kind), ID: v.ID, Display: v.Display}
}
