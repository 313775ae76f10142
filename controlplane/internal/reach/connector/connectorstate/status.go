package connectorstate

import (
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// The states of a connector that this package names; see Synced for when it enters them.
const (
	Draft    = "draft"
	Ready    = "ready"
	Degraded = "degraded"
	Deleted  = "deleted"
)

// AuditSubject is a connector as the subject of an audit entry.
func AuditSubject(id, businessID string) audit.Subject {
	return audit.Subject{Type: "connector", ID: id, Display: businessID}
}

// Failing is the condition on a connector c that a person has to look at it: it is degraded or quarantined, or it is in
// use and its last run failed or its circuit breaker is open. One whose first run failed is among them, although it
// takes three to be degraded. Previews, and runs that were cancelled, say nothing about a target.
const Failing = `(c.status in ('degraded', 'quarantined')
	or c.status in ('ready', 'active')
	   and ((select l.status
	           from sync_run l
	          where l.tenant_id = c.tenant_id
	            and l.connector_id = c.id
	            and l.purpose = 'apply'
	            and l.status in ('succeeded', 'partial', 'failed', 'expired')
	          order by l.created_at desc, l.id desc
	          limit 1) in ('failed', 'expired')
	     or exists (select from connector_provisioning w
	                 where w.tenant_id = c.tenant_id and w.connector_id = c.id and w.breaker_open_since is not null)))`
