package install

import (
	"cmp"
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
)

// PackPlanItem is what becomes of one object.
type PackPlanItem struct {
	// Kind of the object, such as role, birthright, access_grant_policy, approval_rule or field_mapping.
	Kind string `json:"kind"`
	// Key of the object, unique within its kind in the sector pack.
	ObjectKey string `json:"object_key"`
	// Display name of the object. Its key if it has none.
	Name string `json:"name"`
	// What is changed, or in conflict.
	Fields []string `json:"fields" nullable:"false"`
	// Of what is skipped or in conflict: why. kept_until_reviews, kept_until_reports: the object is kept with the
	// installation until the service has reviews or reports.
	Reason string `json:"reason,omitempty" enum:"kept_until_reviews,kept_until_reports,unchanged,already_there,removed_by_tenant,exists_already,changed_by_both,changed_by_tenant,in_use"`
	// What selectors have not found yet.
	Waiting []installation.PendingBinding `json:"waiting" nullable:"false"`
}

// PackPlan is what an installation, an upgrade or an uninstallation does.
type PackPlan struct {
	// Objects that are added.
	Add []PackPlanItem `json:"add" nullable:"false"`
	// Objects that exist and are changed.
	Change []PackPlanItem `json:"change" nullable:"false"`
	// Objects that are no longer in the sector pack and are removed.
	Remove []PackPlanItem `json:"remove" nullable:"false"`
	// The tenant's version stays until the conflict is decided.
	Conflict []PackPlanItem `json:"conflict" nullable:"false"`
	// Objects that are not added, changed or removed, each with its reason.
	Skip []PackPlanItem `json:"skip" nullable:"false"`
	// Objects that wait for entitlements and are bound by the next sync that finds them. An object that is added can be
	// listed here too.
	PendingBinding []PackPlanItem `json:"pending_binding" nullable:"false"`
}

// newPlan is a plan without any change; its lists are never null.
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

// compareKeys orders objects by key.
func compareKeys(a, b installation.Object) int {
	switch {
	case a.Key < b.Key:
		return -1
	case a.Key > b.Key:
		return 1
	}
	return 0
}
