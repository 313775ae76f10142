package onboard

import (
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/typelist"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// States of a step.
const (
	completed = "completed"
	open      = "open"
	blocked   = "blocked"
)

// What keeps later steps from being taken.
const (
	connectorIncomplete = "connector_incomplete"
	testRequired        = "test_required"
	discoveryRequired   = "discovery_required"
	mappingRequired     = "mapping_required"
)

func (f facts) path(rest string) string {
	return httpapi.Prefix + "/connectors/" + f.connector.ID + rest
}

func (f facts) typeStep() WizardStep {
	entry, _ := catalog.Find(f.key())
	return WizardStep{
		Name:  "type",
		State: completed,
		Type: &WizardType{
			Key:         f.key(),
			Name:        entry.Name,
			Mode:        f.connector.Mode,
			Environment: f.connector.Environment,
		},
		Next: []WizardAction{
			{
				http.MethodGet,
				httpapi.Prefix + "/connectors/types/" + f.key(),
				"what this type asks for, and what it can do",
			},
		},
	}
}

func (f facts) key() string {
	vendor := ""
	if f.connector.VendorKey != nil {
		vendor = *f.connector.VendorKey
	}
	return catalog.KeyOf(f.connector.Type, vendor)
}

func (f facts) connectionStep() WizardStep {
	step := WizardStep{
		Name:       "connection",
		Connection: &WizardConnection{Fields: f.fields(), LastTest: f.connector.LastTest},
	}
	change := WizardAction{
		http.MethodPatch,
		f.path(""),
		"change settings and secrets; any change asks for another test",
	}
	test := WizardAction{http.MethodPost, f.path("/test?stream=true"), "test the connection, step by step as it goes"}
	if f.tested() {
		step.State = completed
	}
	for _, m := range f.missing {
		step.Problems = append(step.Problems, WizardProblem{m.Pointer, m.Code, m.Detail})
	}
	if len(f.missing) > 0 {
		step.Next = []WizardAction{change}
		return step
	}
	if p := f.untested(); p != nil {
		step.Problems = append(step.Problems, *p)
	}
	step.Next = []WizardAction{test, change}
	return step
}

// Fields are the settings that apply, with their values where these may be shown.
func (f facts) fields() []WizardField {
	settings := map[string]any{}
	for key, value := range f.connector.Connection {
		settings[key] = value
	}
	for key := range f.connector.Credentials {
		settings[key] = true // that it is set is all that is known of it
	}
	visible, given := catalog.Visible(f.key(), settings)
	_, shown := catalog.Visible(f.key(), f.connector.Connection)
	out := make([]WizardField, 0, len(visible))
	for _, field := range visible {
		w := WizardField{ConnectorSetting: typelist.ConnectorSetting(field)}
		if _, w.Set = given[field.Key]; w.Set && !field.Secret {
			w.Value = shown[field.Key]
		}
		out = append(out, w)
	}
	return out
}

func (f facts) tested() bool {
	t := f.connector.LastTest
	return len(f.missing) == 0 && t != nil && t.Success && t.Current
}

// untested says why the connection does not count as tested; nil where it does.
func (f facts) untested() *WizardProblem {
	t := f.connector.LastTest
	switch {
	case t == nil:
		return &WizardProblem{Code: testRequired, Detail: "the connection has not been tested"}
	case !t.Current:
		return &WizardProblem{
			Code:   testRequired,
			Detail: "settings or secrets have changed since the last test; test again",
		}
	case !t.Success && t.Error != nil:
		return &WizardProblem{Code: t.Error.Code, Detail: "the last test failed: " + t.Error.Message}
	case !t.Success:
		return &WizardProblem{Code: "test_failed", Detail: "the last test failed"}
	}
	return nil
}

func (f facts) discoveryStep() WizardStep {
	step := WizardStep{Name: "discovery", BlockedBy: f.lacking(testRequired), Next: []WizardAction{
		{http.MethodPost, f.path("/discover?stream=true"), "look at the target's fields, with samples"},
	}}
	if f.snapshot == nil {
		return step
	}
	step.State = completed
	step.Discovery = &WizardDiscovery{SnapshotID: f.snapshot.ID, TakenAt: f.snapshot.TakenAt, Fields: map[string]int{}}
	for _, o := range f.snapshot.Objects {
		step.Discovery.Fields[o.Kind] += len(o.Fields)
	}
	step.Next = append(step.Next, WizardAction{http.MethodGet, f.path("/schema"), "the fields that were seen"})
	return step
}

func (f facts) mappingStep() WizardStep {
	step := WizardStep{
		Name:      "mapping",
		BlockedBy: f.lacking(testRequired, discoveryRequired),
		Mapping:   f.mapping(),
		Next: []WizardAction{
			{http.MethodPost, f.path("/mappings/suggest"), "the proposals, with the rule that found each"},
			{http.MethodPost, f.path("/mappings/preview"), "try mappings on records of the target"},
			{http.MethodPut, f.path("/mappings"), "decide about each field"},
			{
				http.MethodPost,
				f.path("/wizard/accept-mappings"),
				"accept the proposals for all fields without a decision",
			},
		},
	}
	for _, o := range step.Mapping.CopyFrom {
		step.Next = append(
			step.Next,
			WizardAction{http.MethodPost, f.path("/mappings/copy-from/" + o.ID), "take over the mappings of " + o.Name},
		)
	}
	if f.version > 0 {
		step.State = completed
	}
	for i, r := range f.rules {
		if r.Action == mapping.ActionMap && f.snapshot != nil && !f.seen[[2]string{r.Object, r.Source}] {
			step.Problems = append(step.Problems, WizardProblem{
				fmt.Sprintf(
					"#/mappings/%d/source_path",
					i,
				),
				"no_such_field",
				"the source showed no such field; " + string(r.Target) + " stays empty",
			})
		}
	}
	return step
}

func (f facts) mapping() *WizardMapping {
	m := &WizardMapping{Version: f.version, CopyFrom: f.sources}
	rules := f.rules
	if f.version == 0 {
		rules = f.proposals
	}
	known := map[[2]string]bool{}
	for _, r := range rules {
		known[[2]string{r.Object, r.Source}] = true
		if r.Action == mapping.ActionMap {
			m.Mapped++
		} else {
			m.Ignored++
		}
	}
	for field := range f.seen {
		if !known[field] && mapping.FieldsOf(field[0]) != nil {
			m.Undecided++
		}
	}
	return m
}

func (f facts) syncStep() WizardStep {
	step := WizardStep{Name: "first_sync"}
	if f.connector.FunnelState == connector.Connected {
		step.State = completed
		step.Next = []WizardAction{
			{http.MethodPost, f.path("/sync"), "read what has changed since"},
			{http.MethodPost, f.path("/rediscover"), "compare the target's fields with what they were"},
		}
	} else {
		step.BlockedBy = f.lacking(testRequired, discoveryRequired, mappingRequired)
		step.Next = []WizardAction{{http.MethodPost, f.path("/wizard/first-sync"), "start the first sync"}}
	}
	if f.run == nil {
		return step
	}
	step.FirstSync = &WizardSync{
		RunID:  f.run.ID,
		Status: f.run.Status,
		Phase:  f.run.Phase,
		Links:  f.run.Links,
		Counters: WizardCounters{
			f.run.Counters.IdentitiesRead,
			f.run.Counters.AccountsDiscovered,
			f.run.Counters.EntitlementsMapped,
			f.run.Counters.GrantsRecorded,
		},
	}
	if !f.run.Status.Ended() {
		step.Next = []WizardAction{{http.MethodGet, f.run.Links["events"], "follow the run as it goes"}}
	}
	if e := f.run.Error; e != nil {
		step.Problems = append(step.Problems, WizardProblem{Code: e.Code, Detail: e.Message})
	}
	return step
}

// lacking are those of the codes whose step is not completed. A connection that cannot be tested is reported as that.
func (f facts) lacking(codes ...string) (out []string) {
	for _, code := range codes {
		switch {
		case code == testRequired && len(f.missing) > 0:
			out = append(out, connectorIncomplete)
		case code == testRequired && !f.tested(),
			code == discoveryRequired && f.snapshot == nil,
			code == mappingRequired && f.version == 0:
			out = append(out, code)
		}
	}
	return out
}
