package decisionkind_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
)

// stops opens the circuit breaker of a system.
func (h *house) stops(connector, why string) {
	h.T.Helper()
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, breaker_open_since, breaker_reason)
		    values (current_tenant(), $1, now(), $2)
		on conflict (tenant_id, connector_id) do update set breaker_open_since = now(),
		    breaker_reason = excluded.breaker_reason`,
		connector,
		why,
	)
}

func TestAnOpenBreakerIsATaskUntilItIsReset(t *testing.T) {
	h := open(t)
	crm, erp := h.system("crm"), h.system("erp")
	h.none(kind.BreakerOpen)
	h.stops(crm, "ten changes have failed")
	task := h.one(kind.BreakerOpen)
	h.shows(task, "Writing to crm has stopped", "ten changes have failed")
	if got := actions(task); got != "resume" || task["priority"] != "high" || member(task, "subject", "id") != crm {
		t.Errorf("the task takes %s with priority %v, and is about %v", got, task["priority"], task["subject"])
	}

	// The task is decided: writing goes on.
	h.Refused(422, "validation_failed", "admin", "POST", at(task)+"/decide", choice("resume", "", nil))
	h.decide(task, "resume", "the rights are there now", nil)
	h.none(kind.BreakerOpen)
	if n := h.Count(
		`select count(*) from connector_provisioning where breaker_open_since is not null`,
	); n != 0 ||
		h.audited("connector.breaker_reset", "admin") != 1 {
		t.Errorf("%d breakers are open after the decision", n)
	}

	// It opens again, with another one, and is reset where writing is set up.
	h.stops(crm, "five accounts were disabled")
	h.stops(erp, "ten changes have failed")
	if all := h.waiting(kind.BreakerOpen); len(all) != 2 {
		t.Fatalf("%d tasks for two open breakers", len(all))
	}
	h.Must(200, "admin", "POST", "/connectors/"+erp+"/provisioning/breaker/reset", nil)
	if left := h.one(kind.BreakerOpen); member(left, "subject", "id") != crm {
		t.Errorf("the task that is left is about %v", left["subject"])
	}
	task = h.one(kind.BreakerOpen)
	h.Must(200, "admin", "POST", "/connectors/"+crm+"/provisioning/breaker/reset", nil)
	h.became(task, "superseded", "writing to the system goes on")
}
