package ruleset

import (
	"slices"
	"strings"
	"time"
)

// Limits of an import. They bound the memory of a plan and the time of its transaction.
const (
	MostFiles    = 60
	MostBytes    = 64 << 20 // of all files, unpacked
	MostLines    = 2_000_000
	MostDuties   = 20_000
	MostPolicies = 10_000
	MostMembers  = 400_000
)

// Place is where something is in the files.
type Place struct {
	File string
	Line int
}

// Set is the content of the files of an import, or of an export.
type Set struct {
	Duties   []Duty
	Policies []Policy
}

// Given are the fields that a format has, by their names in the API. A nil set has all fields.
type Given map[string]bool

// Has reports whether the format has the field.
func (g Given) Has(field string) bool { return g == nil || g[field] }

// Duty is a duty in a file. It is known by its key or, if no stored duty has the key, by its name.
type Duty struct {
	Place
	Given
	Key string
	// Alias is the name of an object without a key that this one is, if no object has the key.
	Alias                      string
	Name, Description, Process string
	Owners                     []string // external IDs of people
	Groups                     [][]Member
	// LenientOwners says that unknown owners are left out.
	LenientOwners bool
}

// Member is a member of a group. Entitlements are named by connector and external ID.
type Member struct {
	Place
	Kind       string
	Connector  string // business ID or ID
	ExternalID string
	Role       string // key or ID
	DutyTag    string
}

// Policy is a policy in a file. It is known by its key or, without one, by its name.
type Policy struct {
	Place
	Given
	Key                          string
	Alias                        string
	Name, Description, Rationale string
	RegulationRefs, Owners       []string
	Enabled                      bool
	Mode, Severity, Kind         string
	Sides                        []Side
	N                            *int
	Conflicts                    [][]int // positions of sides, from 0
	HistoryWindow                *string
	SameEnvironment              *bool
	SameLegalEntity              *bool
	SameAttributes               []string
	ExcludeReadOnly              *bool
	OnRequest, OnAssign          string
	// Controls are the names of the mitigating controls.
	Controls      []string
	MaxMitigation *string
	ExceptionRule string // name of the approval rule that allows exceptions; empty: none
	// Exemptions is a condition on people, or nil.
	Exemptions            map[string]any
	OnDetect, Remediation string
	ValidFrom, ValidTo    *time.Time
	LenientOwners         bool
}

// Side is a side of a policy.
type Side struct {
	Label  string
	Duties []Ref
}

// Ref names a duty by its name or key.
type Ref struct {
	Place
	Name string
}

// Lacks returns the field that a member of its kind needs and does not have.
func (m Member) Lacks() (field string, lacks bool) {
	for _, need := range []struct {
		kinds, field, value string
	}{
		{"external connector", "connector", m.Connector},
		{"external entitlement", "external_id", m.ExternalID},
		{"role", "role", m.Role},
		{"duty_tag", "duty_tag", m.DutyTag},
	} {
		if need.value == "" && slices.Contains(strings.Fields(need.kinds), m.Kind) {
			return need.field, true
		}
	}
	return "", false
}
