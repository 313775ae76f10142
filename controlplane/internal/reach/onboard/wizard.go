package onboard

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// Wizard is the guided way from a connector's type to its first sync.
type Wizard struct {
	ConnectorID string `json:"connector_id"`
	BusinessID  string `json:"business_id"`
	Name        string `json:"name"`
	Status      string `json:"status"`
	FunnelState string `json:"funnel_state" enum:"bootstrapped,connected"`
	// Whether no other connector of the tenant has been connected: its first sync is what takes the tenant from
	// bootstrapped to connected.
	First bool `json:"first_of_tenant"`
	// The first step that is not completed; 5 once the first sync has succeeded.
	Step      int   `json:"step" minimum:"1" maximum:"5"`
	Completed []int `json:"completed" nullable:"false"`
	// Whether the first sync has succeeded.
	Done bool `json:"done"`
	// All five, in their order.
	Steps []WizardStep `json:"steps" nullable:"false"`
}

// WizardStep is one step, with what belongs to it.
type WizardStep struct {
	Number int    `json:"number"`
	Name   string `json:"name" enum:"type,connection,discovery,mapping,first_sync"`
	State  string `json:"state" enum:"completed,open,blocked"`
	// What is missing before: connector_incomplete, test_required, discovery_required, mapping_required.
	BlockedBy []string `json:"blocked_by" nullable:"false"`
	// What is wrong in this step.
	Problems []WizardProblem `json:"problems" nullable:"false"`
	// What can be called here.
	Next []WizardAction `json:"next" nullable:"false"`

	Type       *WizardType       `json:"type,omitempty"`
	Connection *WizardConnection `json:"connection,omitempty"`
	Discovery  *WizardDiscovery  `json:"discovery,omitempty"`
	Mapping    *WizardMapping    `json:"mapping,omitempty"`
	FirstSync  *WizardSync       `json:"first_sync,omitempty"`
}

// WizardProblem is something that is wrong, and where.
type WizardProblem struct {
	// Into the payload that makes or changes the connector, or its mappings.
	Pointer string `json:"pointer,omitempty"`
	Code    string `json:"code"`
	Detail  string `json:"detail"`
}

// WizardAction is a call that makes sense in a step.
type WizardAction struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	What   string `json:"what"`
}

// WizardType is what was chosen in the first step.
type WizardType struct {
	// Of the entry in /connectors/types.
	Key         string `json:"key"`
	Name        string `json:"name"`
	Mode        string `json:"mode" enum:"hosted,agent"`
	Environment string `json:"environment"`
}

// WizardConnection is the second step: the settings that apply, and the last test.
type WizardConnection struct {
	// Those of the chosen type that apply to what was chosen in it.
	Fields   []WizardField       `json:"fields" nullable:"false"`
	LastTest *connector.LastTest `json:"last_test"`
}

// WizardField is a setting with what it is set to.
type WizardField struct {
	connector.ConnectorSetting
	Set bool `json:"set"`
	// Null where it is a secret, or not set.
	Value any `json:"value"`
}

// WizardDiscovery is the third step: how many fields were seen of each kind of object.
type WizardDiscovery struct {
	SnapshotID string         `json:"schema_snapshot_id"`
	TakenAt    time.Time      `json:"taken_at"`
	Fields     map[string]int `json:"fields"`
}

// WizardMapping is the fourth step.
type WizardMapping struct {
	// 0: not decided yet.
	Version int `json:"mapping_version"`
	// Fields of the source that fill one of ours; at version 0 by the proposals.
	Mapped  int `json:"mapped"`
	Ignored int `json:"ignored"`
	// Fields of the source without a mapping.
	Undecided int `json:"undecided"`
	// Connectors of the same type, as another environment's, whose mappings could be taken over.
	CopyFrom []fieldmap.CopySource `json:"copy_from" nullable:"false"`
}

// WizardSync is the fifth step: the newest run.
type WizardSync struct {
	RunID    string         `json:"run_id"`
	Status   syncrun.Status `json:"status"`
	Phase    string         `json:"phase"`
	Counters WizardCounters `json:"counters"`
	// events streams the progress as it happens.
	Links map[string]string `json:"links"`
}

// WizardCounters are the four of a first sync.
type WizardCounters struct {
	IdentitiesRead     int64 `json:"identities_read"`
	AccountsDiscovered int64 `json:"accounts_discovered"`
	EntitlementsMapped int64 `json:"entitlements_mapped"`
	GrantsRecorded     int64 `json:"grants_recorded"`
}

// wizard puts the facts in the order of the steps.
func (f facts) wizard() Wizard {
	w := Wizard{
		ConnectorID: f.connector.ID,
		BusinessID:  f.connector.BusinessID,
		Name:        f.connector.Name,
		Status:      f.connector.Status,
		FunnelState: f.connector.FunnelState,
		First:       !f.others,
		Done:        f.connector.FunnelState == connector.Connected,
		Completed:   []int{},
		Steps:       []WizardStep{f.typeStep(), f.connectionStep(), f.discoveryStep(), f.mappingStep(), f.syncStep()},
	}
	for i := range w.Steps {
		step := &w.Steps[i]
		step.Number = i + 1
		if step.BlockedBy == nil {
			step.BlockedBy = []string{}
		}
		if step.Problems == nil {
			step.Problems = []WizardProblem{}
		}
		switch {
		case step.State == completed:
			w.Completed = append(w.Completed, step.Number)
			continue
		case len(step.BlockedBy) > 0:
			step.State = blocked
		default:
			step.State = open
		}
		if w.Step == 0 {
			w.Step = step.Number
		}
	}
	if w.Step == 0 || w.Done {
		w.Step = len(w.Steps)
	}
	return w
}
