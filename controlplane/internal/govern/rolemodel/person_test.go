package rolemodel_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestTheTokenOfWhoProposesARoleDoesNotPublishIt(t *testing.T) {
	h := open(t)
	h.Let("second", h.Tenant.Tenant, "", viewer.Admin)
	var proposer viewer.Viewer
	h.Change("admin", func(v *viewer.Viewer) { proposer = *v })
	h.Let("token", h.Tenant.Tenant, "", viewer.Admin)
	h.Change("token", func(v *viewer.Viewer) {
		v.Kind, v.ID, v.Maker, v.Scopes = viewer.Service, uuid.NewString(), proposer.ID, []string{
			"decision-tasks:read",
			"decision-tasks:write",
		}
	})
	h.Exec(`update entitlement set risk_level = 'critical' where id = $1`, h.groups[0])
	vault := h.make(
		map[string]any{
			"name":            "Vault",
			"lifecycle":       "draft",
			"entitlement_ids": h.groups[:1],
			"owner_ids":       []string{h.hire("owner", "Office")},
		},
	)
	task := "/decision-tasks/" + h.Must(200, "admin", "POST", vault+"/propose", nil).Text("task_id") + "/decide"
	h.Refused(403, "own_request", "token", "POST", task, map[string]any{"action": "approve"})
	h.Must(200, "second", "POST", task, map[string]any{"action": "approve"})
}
