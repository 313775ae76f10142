package settle

import (
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// entries tell the audit log of tasks that have ended.
func entries(connectorID string, ended []attempt.Outcome) []audit.Entry {
	var list []audit.Entry
	for _, o := range ended {
		account := task.TextOf(o.Job.AccountID)
		more := map[string]any{"operation": o.Job.Operation, "attempts": o.Job.N, "created_from": o.Job.CreatedFrom}
		if o.Job.IdentityID != nil {
			more["identity_id"] = *o.Job.IdentityID
		}
		if o.Job.GrantID != nil {
			more["grant_id"] = *o.Job.GrantID
		}
		switch o.State {
		case task.Done, task.Verifying:
			more["outcome"], more["verified"] = string(o.Result), o.Verified
			list = append(list, entryOf("provisioning.done", audit.Success, o, account, connectorID, more))
		case task.Failed:
			more["error_class"], more["error_code"] = o.Class, o.Detail.Code
			list = append(list, entryOf("provisioning.failed", audit.Failure, o, account, connectorID, more))
		case task.Simulated:
			list = append(list, entryOf("provisioning.simulated", audit.Success, o, account, connectorID, more))
		}
	}
	return list
}

// entryOf is an audit entry about an outcome. account and connector are names for readers; more is
// added to the entry's context.
func entryOf(
	action string,
	result audit.Outcome,
	o attempt.Outcome,
	account, connector string,
	more map[string]any,
) audit.Entry {
	return taskstore.AuditEntry(action, result, o.Job.ID, o.Job.Operation, account, connector, more)
}
