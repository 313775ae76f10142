package connector_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
)

// ran lets a run of the connector end.
func (h *house) ran(path, status, reason string) string {
	h.t.Helper()
	run := uuid.Must(uuid.NewV7()).String()
	h.exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status)
			values (current_tenant(), $1, $2, 'ldap', false, 500, $3)`,
		run,
		id(path),
		status,
	)
	err := h.service.DB.As(ctx, h.tenant, func(tx *pg.Tx) error {
		return connectorstate.Synced(ctx, tx, id(path), run, status == "succeeded" || status == "partial", reason)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return run
}

func TestRunsMoveAConnectorThroughItsLife(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	funnel := func() any { return h.want(200, h.call("admin", "GET", "/connectors/funnel", nil)).body["state"] }
	if got := funnel(); got != "bootstrapped" {
		t.Errorf("funnel = %v", got)
	}
	for i, step := range []struct {
		ends, reason   string
		status, funnel string
		why            any
		version        float64
	}{
		{"failed", "no route", "ready", "bootstrapped", nil, 1},
		{"succeeded", "", "active", "connected", nil, 2},
		{"failed", "a", "active", "connected", nil, 2},
		{"failed", "b", "active", "connected", nil, 2},
		{"partial", "", "active", "connected", nil, 2},
		{"failed", "c", "active", "connected", nil, 2},
		{"failed", "d", "active", "connected", nil, 2},
		{"failed", "the password has expired", "degraded", "connected", "3 runs have failed, one after the other; " +
			"the last one: the password has expired", 3},
		{"failed", "locked", "degraded", "connected", "3 runs have failed, one after the other; the last one: locked",
			3},
		{"succeeded", "", "active", "connected", nil, 4},
	} {
		run := h.ran(path, step.ends, step.reason)
		c := h.want(200, h.call("admin", "GET", path, nil)).body
		if c["status"] != step.status || c["funnel_state"] != step.funnel || c["status_reason"] != step.why ||
			c["version"] != step.version ||
			c["last_run_id"] != run {
			t.Errorf(
				"after run %d (%s): %v %v %v version %v, last run %v",
				i,
				step.ends,
				c["status"],
				c["funnel_state"],
				c["status_reason"],
				c["version"],
				c["last_run_id"],
			)
		}
		if (c["last_success_at"] != nil) != (i > 0) {
			t.Errorf("after run %d: last success %v", i, c["last_success_at"])
		}
	}
	if got := funnel(); got != "connected" {
		t.Errorf("funnel = %v", got)
	}
	if got := h.want(
		200,
		h.call("other", "GET", "/connectors/funnel", nil),
	).body; got["state"] != "bootstrapped" ||
		len(got["per_connector"].([]any)) != 0 {
		t.Errorf("the other tenant's funnel = %v", got)
	}
}

func TestWhatFailsFromItsFirstRunIsFoundAndDegrades(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	h.made(ldapPayload("B"))
	listed := func() any { return h.want(200, h.call("admin", "GET", "/connectors?failing=true", nil)).body["total"] }
	preview := func(status string) {
		h.exec(
			`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, purpose)
				values (current_tenant(), $1, $2, 'ldap', false, 500, $3, 'preview')`,
			uuid.Must(uuid.NewV7()).String(),
			id(path),
			status,
		)
	}
	for i, step := range []struct {
		ends, health string
		listed       float64
	}{
		{"preview", "new", 0}, // no run of the connector's: neither counts for anything below
		{"failed", "new", 1},
		{"preview", "new", 1},
		{"failed", "new", 1},
		{"failed", "degraded", 1},
		{"succeeded", "healthy", 0},
		{"failed", "healthy", 1},
		{"cancelled", "healthy", 1},
	} {
		switch step.ends {
		case "preview":
			preview("failed")
		case "cancelled":
			h.exec(
				`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status)
					values (current_tenant(), $1, $2, 'ldap', false, 500, 'cancelled')`,
				uuid.Must(uuid.NewV7()).String(),
				id(path),
			)
		default:
			h.ran(path, step.ends, "no route")
		}
		health := h.want(200, h.call("admin", "GET", path, nil)).body["health"].(map[string]any)
		if got := listed(); got != step.listed || health["state"] != step.health {
			t.Errorf(
				"after step %d (%s): %v, and %v listed; want %s, %v",
				i,
				step.ends,
				health["state"],
				got,
				step.health,
				step.listed,
			)
		}
	}
	h.exec(`update connector set status = 'paused'`)
	if got := listed(); got != 0.0 {
		t.Errorf("%v that somebody has paused are listed", got)
	}
}

func TestARunDoesNotUndoWhatAPersonChose(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	h.exec(`update connector set status = 'paused', status_reason = 'moving house'`)
	h.ran(path, "succeeded", "")
	for range 3 {
		h.ran(path, "failed", "x")
	}
	c := h.want(200, h.call("admin", "GET", path, nil)).body
	if c["status"] != "paused" || c["status_reason"] != "moving house" {
		t.Errorf("got %v %v", c["status"], c["status_reason"])
	}
}

func TestOnlyALivingConnectorOpens(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	open := func() error {
		return h.service.DB.As(ctx, h.tenant, func(tx *pg.Tx) error {
			_, err := h.service.Open(ctx, tx, id(path))
			return err
		})
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	h.want(204, h.call("admin", "DELETE", path, nil))
	if err := open(); !fault.Is(err, fault.NotFound) {
		t.Errorf("Open of a deleted connector = %v; want a fault of kind NotFound", err)
	}
}

func TestASecretThatWasMovedToAnotherConnectorDoesNotOpen(t *testing.T) {
	h := open(t)
	from, to := h.made(ldapPayload("A")), h.made(ldapPayload("B"))
	h.exec(
		`update connector set credentials = (select credentials from connector where id = $1) where id = $2`,
		id(from),
		id(to),
	)
	a := h.want(500, h.call("admin", "POST", to+"/test", nil))
	if a.code() != "internal_error" {
		t.Errorf("got %s", a.text)
	}
	h.noCanary()
}
