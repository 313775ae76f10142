package app_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// TestATenantThatIsSuspendedStandsStillAndGoesOn has a real agent, which came by its tenant's own path, and a run that
// waits.
func TestATenantThatIsSuspendedStandsStillAndGoesOn(t *testing.T) {
	e := newEstate(t)
	acme := tenantsPath + "/" + e.tenant.Tenant
	id := e.agentAt("/t/acme")
	state := func() any { return e.send("GET", "/api/v1/settings/agents/"+id, e.token, "").body["state"] }
	until(t, "the agent does not come online", func() bool { return state() == "online" })

	e.send("POST", acme+"/suspend", e.operator, `{"reason":"unpaid"}`).want(t, "suspend", 200, "")
	until(t, "the agent's connection stays open", func() bool {
		return e.ask(
			`select count(*)::text from agent_session where process_id <> '00000000-0000-0000-0000-000000000000'`,
		) == "0"
	})
	scim := "http://" + targettest.StartNode(
		t,
		"../../../connectorkit/scim/testdata/scimmy",
		"TOKEN=t",
		"USERS=20",
		"GROUPS=1",
	) + "/scim/v2"
	e.send("POST", acme+"/resume", e.operator, "").want(t, "resume", 200, "")
	within(
		t,
		"the token stays refused",
		func() bool { return e.send("GET", "/api/v1/auth/me", e.token, "").status == 200 },
	)
	connector := e.call("POST", "/connectors",
		map[string]any{"business_id": "scim", "name": "scim", "type": "scim2",
			"credentials": map[string]any{"bearer_token": "t"},
			"connection":  map[string]any{"base_url": scim}}, 201)["id"].(string)

	// The run is there before anybody may work on it: both are written in one transaction, as another process would see
	// it.
	e.in(e.tenant.Tenant, `update tenant set status = 'suspended' where id = current_tenant()`)
	e.in(e.tenant.Tenant, `
		insert into sync_run (tenant_id, id, connector_id, type, mode, incremental, chunk_size)
		values (current_tenant(), '01a1f99f-1d39-767a-8283-ef45f2482195', $1, 'scim2', 'hosted', false, 10)`, connector)
	time.Sleep(3 * time.Second) // runs are looked for every second
	if got := e.ask(`select status from sync_run`); got != "queued" {
		t.Errorf("the run of a suspended tenant is %s; want queued", got)
	}
	e.in(e.tenant.Tenant, `update tenant set status = 'active' where id = current_tenant()`)
	until(t, "the run does not go on", func() bool { return e.ask(`select status from sync_run`) == "succeeded" })
	until(t, "the agent does not come back", func() bool { return state() == "online" })
}

// until waits for what takes a while.
func until(t *testing.T, what string, check func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !check(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// ask reads one text from acme.
func (e *estate) ask(query string) (out string) {
	e.t.Helper()
	err := e.db.As(
		context.Background(),
		e.tenant,
		func(tx *pg.Tx) error { return tx.QueryRow(context.Background(), query).Scan(&out) },
	)
	if err != nil {
		e.t.Fatal(err)
	}
	return out
}

// agentAt builds the real agent, enrols it at a path of the service, and runs it until the test ends.
func (e *estate) agentAt(path string) string {
	e.t.Helper()
	dir := e.t.TempDir()
	binary := filepath.Join(dir, "grantwright-agent")
	if out, err := exec.Command("go", "build", "-o", binary,
		"github.com/grantwright/grantwright/agent/cmd/grantwright-agent").
		CombinedOutput(); err != nil {
		e.t.Fatalf("build the agent: %v\n%s", err, out)
	}
	invited := e.call("POST", "/settings/agents", map[string]any{"name": "site"}, 201)
	for _, at := range []struct {
		path string
		well bool
	}{{"/t/main", false}, {path, true}} {
		enroll := exec.Command(
			binary,
			"enroll",
			"--url",
			e.url+at.path,
			"--data",
			filepath.Join(dir, "data"),
			"--token-stdin",
		)
		enroll.Stdin = strings.NewReader(invited["enrollment_token"].(string))
		if out, err := enroll.CombinedOutput(); (err == nil) != at.well {
			e.t.Fatalf("enrol at %s: %v\n%s", at.path, err, out)
		}
	}
	run := exec.Command(binary, "run", "--data", filepath.Join(dir, "data"))
	if err := run.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	return invited["id"].(string)
}
