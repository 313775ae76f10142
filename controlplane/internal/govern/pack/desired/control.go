package desired

import (
	"cmp"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
)

// Control is what a pack wants of a mitigating control. Owners and approvers are the tenant's.
func Control(m format.Mitigation) (State, error) {
	f, err := merge.Fields{
		"name":              m.Name,
		"description":       m.Description,
		"procedure":         m.Procedure,
		"control_type":      m.ControlType,
		"effectiveness":     cmp.Or(m.Effectiveness, "medium"),
		"severities":        merge.Distinct(m.Severities),
		"evidence_required": m.Evidence.Required == nil || *m.Evidence.Required,
		"evidence_kind":     cmp.Or(m.Evidence.Kind, "attestation"),
		"evidence_cadence":  cmp.Or(m.Evidence.Cadence, "P30D"),
		"evidence_grace":    cmp.Or(m.Evidence.Grace, "P7D"),
		"max_duration":      cmp.Or(m.MaxDuration, "P90D"),
		"on_lapse":          cmp.Or(m.OnLapse, "reopen"),
	}.Normal()
	return State{Fields: f, Pending: []installation.PendingBinding{}}, err
}
