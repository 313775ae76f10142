package onboard

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/typelist"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// Wizard is the guided way from a connector's type to its first sync.
type Wizard struct {
	// ID of the connector that is set up.
	ConnectorID string `json:"connector_id"`
	// Business ID of the connector that is set up.
	BusinessID string `json:"business_id"`
	// Display name of the connector that is set up.
	Name string `json:"name"`
	// Status of the connector, such as draft.
	Status string `json:"status"`
	// Onboarding state of the connector: created (bootstrapped), or after a successful first sync (connected).
	FunnelState string `json:"funnel_state" enum:"bootstrapped,connected"`
	// Whether no other connector of the tenant has been connected: its first sync is what takes the tenant from
	// bootstrapped to connected.
	First bool `json:"first_of_tenant"`
	// The first step that is not completed; 5 once the first sync has succeeded.
	Step int `json:"step" minimum:"1" maximum:"5"`
	// Numbers of the completed steps.
	Completed []int `json:"completed" nullable:"false"`
	// Whether the first sync has succeeded.
	Done bool `json:"done"`
	// All five, in their order.
	Steps []WizardStep `json:"steps" nullable:"false"`
}

// WizardStep is one step, with what belongs to it.
type WizardStep struct {
	// Number of the step, from 1 to 5.
	Number int `json:"number"`
	// Name of the step.
	Name string `json:"name" enum:"type,connection,discovery,mapping,first_sync"`
	// Whether the step is completed, can be done now (open), or lacks what blocked_by lists (blocked).
	State string `json:"state" enum:"completed,open,blocked"`
	// What is missing before: connector_incomplete, test_required, discovery_required, mapping_required.
	BlockedBy []string `json:"blocked_by" nullable:"false"`
	// What is wrong in this step.
	Problems []WizardProblem `json:"problems" nullable:"false"`
	// What can be called here.
	Next []WizardAction `json:"next" nullable:"false"`

	// Chosen connector type; present in step type only.
	Type *WizardType `json:"type,omitempty"`
	// Connection settings and last test; present in step connection only.
	Connection *WizardConnection `json:"connection,omitempty"`
	// Schema snapshot of the discovery; present in step discovery only.
	Discovery *WizardDiscovery `json:"discovery,omitempty"`
	// Numbers of mapped and ignored fields; present in step mapping only.
	Mapping *WizardMapping `json:"mapping,omitempty"`
	// Newest sync run; present in step first_sync only.
	FirstSync *WizardSync `json:"first_sync,omitempty"`
}

// WizardProblem is something that is wrong, and where.
type WizardProblem struct {
	// Into the payload that makes or changes the connector, or its mappings.
	Pointer string `json:"pointer,omitempty"`
	// Stable code of the problem, for programs.
	Code string `json:"code"`
	// What is wrong, in words.
	Detail string `json:"detail"`
}

// WizardAction is a call that makes sense in a step.
type WizardAction struct {
	// HTTP method of the call.
	Method string `json:"method"`
	// Path of the call.
	Path string `json:"path"`
	// Effect of the call, in words.
	What string `json:"what"`
}

// WizardType is what was chosen in the first step.
type WizardType struct {
	// Of the entry in /connectors/types.
	Key string `json:"key"`
	// Display name of the connector type.
	Name string `json:"name"`
	// Whether the connector runs in the control plane (hosted) or on an agent (agent).
	Mode string `json:"mode" enum:"hosted,agent"`
	// Environment of the connector, such as production.
	Environment string `json:"environment"`
}

// WizardConnection is the second step: the settings that apply, and the last test.
type WizardConnection struct {
	// Those of the chosen type that apply to what was chosen in it.
	Fields []WizardField `json:"fields" nullable:"false"`
	// Result of the last connection test; null when there was none.
	LastTest *connector.LastTest `json:"last_test"`
}

// WizardField is a setting with what it is set to.
type WizardField struct {
	typelist.ConnectorSetting
	// Whether the setting has a value.
	Set bool `json:"set"`
	// Null where it is a secret, or not set.
	Value any `json:"value"`
}

// WizardDiscovery is the third step: how many fields were seen of each kind of object.
type WizardDiscovery struct {
	// ID of the schema snapshot.
	SnapshotID string `json:"schema_snapshot_id"`
	// Time the snapshot was taken.
	TakenAt time.Time `json:"taken_at"`
	// Number of fields by kind of object.
	Fields map[string]int `json:"fields"`
}

// WizardMapping is the fourth step.
type WizardMapping struct {
	// 0: not decided yet.
	Version int `json:"mapping_version"`
	// Fields of the source that fill one of ours; at version 0 by the proposals.
	Mapped int `json:"mapped"`
	// Number of source fields that are not used; at version 0 by the proposals.
	Ignored int `json:"ignored"`
	// Fields of the source without a mapping.
	Undecided int `json:"undecided"`
	// Connectors of the same type, as another environment's, whose mappings could be taken over.
	CopyFrom []fieldmap.CopySource `json:"copy_from" nullable:"false"`
}

// WizardSync is the fifth step: the newest run.
type WizardSync struct {
	// ID of the sync run.
	RunID string `json:"run_id"`
	// Status of the sync run.
	Status syncrun.Status `json:"status"`
	// Phase that the sync run is in.
	Phase string `json:"phase"`
	// Records that the sync run has counted.
	Counters WizardCounters `json:"counters"`
	// URLs of the sync run and of related resources, by name; events streams the progress.
	Links map[string]string `json:"links"`
}

// WizardCounters are the four of a first sync.
type WizardCounters struct {
	// Number of identities read.
	IdentitiesRead int64 `json:"identities_read"`
	// Number of accounts read.
	AccountsDiscovered int64 `json:"accounts_discovered"`
	// Number of entitlements read and mapped.
	EntitlementsMapped int64 `json:"entitlements_mapped"`
	// Number of grants recorded.
	GrantsRecorded int64 `json:"grants_recorded"`
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
