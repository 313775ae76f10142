package install

import (
	"cmp"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
)

// PackPlanItem is what becomes of one object.
type PackPlanItem struct {
	Kind      string `json:"kind"`
	ObjectKey string `json:"object_key"`
	Name      string `json:"name"`
	// What is changed, or in conflict.
	Fields []string `json:"fields" nullable:"false"`
	// Of what is skipped or in conflict: why.
	Reason string `json:"reason,omitempty" enum:"kind_not_supported_yet,unchanged,already_there,removed_by_tenant,exists_already,changed_by_both,changed_by_tenant,in_use"`
	// What selectors have not found yet.
	Waiting []installation.PendingBinding `json:"waiting" nullable:"false"`
}

// PackPlan is what an installation, an upgrade or an uninstallation does.
type PackPlan struct {
	Add    []PackPlanItem `json:"add" nullable:"false"`
	Change []PackPlanItem `json:"change" nullable:"false"`
	Remove []PackPlanItem `json:"remove" nullable:"false"`
	// The tenant's version stays until the conflict is decided.
	Conflict []PackPlanItem `json:"conflict" nullable:"false"`
	Skip     []PackPlanItem `json:"skip" nullable:"false"`
	// Objects that wait for entitlements and are bound by the next sync that finds them. An object that is added can be
	// listed here too.
	PendingBinding []PackPlanItem `json:"pending_binding" nullable:"false"`
}

func newPlan() PackPlan {
	return PackPlan{
		Add:            []PackPlanItem{},
		Change:         []PackPlanItem{},
		Remove:         []PackPlanItem{},
		Conflict:       []PackPlanItem{},
		Skip:           []PackPlanItem{},
		PendingBinding: []PackPlanItem{},
	}
}

// nameOf is what an object is called.
func nameOf(o format.Object) string {
	var named struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(o.Content, &named)
	return cmp.Or(named.Name, o.Key)
}

func compareKeys(a, b installation.Object) int {
	switch {
	case a.Key < b.Key:
		return -1
	case a.Key > b.Key:
		return 1
	}
	return 0
}
