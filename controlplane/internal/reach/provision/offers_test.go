package provision_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// tested is a connection test that has seen the target offer all changes but these.
func (h *house) tested(without ...v1.ProvisionOp) {
	h.T.Helper()
	offered := slices.DeleteFunc(
		slices.Clone(h.target.ops),
		func(op v1.ProvisionOp) bool { return slices.Contains(without, op) },
	)
	verdict, err := json.Marshal(
		map[string]any{"at": time.Now().Format(time.RFC3339Nano), "success": true, "operations": offered},
	)
	if err != nil {
		h.T.Fatal(err)
	}
	h.Exec(`update connector set last_test = $2 where id = $1`, h.connector, verdict)
}

// goes has a person leave, whose accesses end with it. Nothing is planned yet.
func (h *house) goes(who string) {
	h.T.Helper()
	h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`, who)
	h.take(who)
}

// A directory without a lock attribute: a disabling that is sent is refused, and the leaver's account stays usable.
func TestWhatTheTargetDoesNotOfferIsLeftToAPersonWithTheReason(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.account("ann", ann)
	h.give(ann, staff)
	h.drain()
	h.target.forget()
	h.tested(v1.OpAccountDisable, v1.OpAccountEnable)
	h.keep()
	h.goes(ann)
	h.drain()
	h.sent("entitlement.revoke ann staff")
	h.wants("grant done", "disable manual", "revoke done")
	advice := h.text(`select advice from provisioning_task where operation = 'disable'`)
	for _, part := range []string{"disable ann", "cannot disable accounts", "account.disable"} {
		if !strings.Contains(advice, part) {
			t.Errorf("the advice %q does not say %q", advice, part)
		}
	}
	h.as(func(tx *pg.Tx) error {
		why, err := ability.Why(ctx, tx, h.connector)
		if !strings.Contains(why, "cannot disable accounts") {
			t.Errorf("Why = %q", why)
		}
		return err
	})
}

func TestWhatWaitsIsDoneAsTheLatestTestSawTheTarget(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	h.account("ann", ann)
	h.keep()
	h.goes(ann)
	h.plan()
	h.wants("disable queued")
	h.tested(v1.OpAccountDisable)
	h.keep()
	h.drain()
	h.wants("disable manual")
	h.sent()
	if advice := h.text(`select advice from provisioning_task`); !strings.Contains(advice, "cannot disable accounts") {
		t.Errorf("the advice is %q", advice)
	}
	h.tested()
	h.keep()
	h.drain()
	h.wants("disable done")
	h.sent("account.disable ann")
}

func TestAnOrderThatTheTargetDoesNotOfferIsATaskForAPerson(t *testing.T) {
	h := Open(t)
	account := h.account("ann", h.person("ann"))
	h.tested(v1.OpAccountDisable)
	task := h.Must(202, "admin", "POST", "/accounts/"+account+"/delete", nil)
	h.drain()
	if got := h.tasks(); len(got) != 2 || !slices.Contains(got, "disable manual") ||
		!slices.Contains(got, "delete_account blocked") {
		t.Errorf("tasks %q; want the deletion to wait for a disabling by hand", got)
	}
	h.sent()
	if task.Text("mode") != "auto" {
		t.Errorf("the deletion, which the target offers, is %s", pretty(task.Body))
	}
	// What is only planned is planned for what can be sent.
	h.Exec(`update connector_provisioning set write_mode = 'simulate'`)
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, write_mode) values (current_tenant(), $1,
		    'simulate')
		on conflict do nothing`,
		h.connector,
	)
	other := h.account("bob", h.person("bob"))
	h.Refused(409, "writes_off", "admin", "POST", "/accounts/"+other+"/disable", nil)
}
