package provision_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// unseen has two full syncs not show an account, which makes its row deleted although nobody has proven that it is
// gone.
func (h *house) unseen(account string) {
	h.T.Helper()
	h.Exec(
		`update account set status = 'deleted', missing_since = now(), missing_runs = 2,
			deleted_at = now() where id = $1`,
		account,
	)
	for _, a := range h.target.accounts {
		if a.key == h.text(`select external_id from account where id = $1`, account) {
			a.outside = true
		}
	}
}

func (h *house) leaves(who string) {
	h.T.Helper()
	h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where id = $1`, who)
	h.drain()
}

// again has everyone compared once more, as happens daily.
func (h *house) again() {
	h.T.Helper()
	h.Exec(`insert into work_item (tenant_id, kind, subject) select tenant_id, 'provisioning', id from identity`)
	h.drain()
}

func TestALeaversAccountThatMovedOutOfViewIsDisabled(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	account := h.account("ann", ann)
	h.unseen(account)
	h.again()
	h.wants() // whoever is here keeps it
	h.leaves(ann)
	h.again()
	h.wants("disable done")
	h.sent("account.disable ann")
	if got := h.Strings(
		`select status || ' ' || is_disabled || ' ' || disabled_for from account`,
	); !cmp.Equal(
		got,
		[]string{"disabled true left"},
	) {
		t.Errorf("the account is %q", got)
	}
	h.unseen(account) // the following syncs do not show it either
	h.again()
	h.sent("account.disable ann")
}

func TestALeaversAccountThatIsGoneIsLookedForOnce(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	h.unseen(h.account("ann", ann))
	clear(h.target.accounts)
	h.leaves(ann)
	h.again()
	h.again()
	h.wants("disable done")
	h.sent("account.disable ann")
}

func TestADisableOfAnAccountThatWasNotFoundIsSentWhenASyncShowsTheAccount(t *testing.T) {
	for _, state := range []string{"verifying", "failed"} {
		t.Run(state, func(t *testing.T) {
			h := Open(t)
			ann := h.person("ann")
			account := h.account("ann", ann)
			h.unseen(account)
			h.target.nearsighted = true
			h.leaves(ann)
			h.wants("disable verifying")
			if state == "failed" {
				h.Exec(`update provisioning_task set finished_at = now() - interval '25 hours'`)
				h.keep()
				h.wants("disable failed")
			}
			for _, a := range h.target.accounts {
				a.outside = false
			}
			h.Exec(`update account set status = 'active', missing_since = null, missing_runs = 0, deleted_at = null`)
			h.keep()
			h.wants("disable " + state) // no sync has begun since
			h.Exec(
				`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, purpose,
				    started_at, finished_at)
				values (current_tenant(), gen_random_uuid(), $1, 'rest', false, 100, 'succeeded', 'apply',
				    clock_timestamp(), clock_timestamp())`,
				h.connector,
			)
			h.keep()
			h.drain()
			h.wants("disable done")
			if got := h.accountOf(ann); got != "disabled" {
				t.Errorf("the account is %s", got)
			}
		})
	}
}

func TestARehiredPersonsAccountOutOfViewIsNotDisabled(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	h.unseen(h.account("ann", ann))
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, write_mode) values (current_tenant(), $1,
			'manual')`,
		h.connector,
	)
	h.leaves(ann)
	h.wants("disable manual")
	h.Exec(`update identity set status = 'active', status_changed_at = clock_timestamp() where id = $1`, ann)
	h.drain()
	h.wants("disable cancelled")
}

func (h *house) keep() {
	h.T.Helper()
	if err := h.s.Keep(ctx); err != nil {
		h.T.Fatal(err)
	}
}

// enabling has an account disabled for the time of a leave, and enabled again by a change whose answer is lost. By then
// syncs do not show the account any more.
func (h *house) enabling(name string, near bool) (who, account string) {
	h.T.Helper()
	who = h.person(name)
	account = h.account(name, who)
	h.Exec(`update identity set status = 'on_leave', status_changed_at = clock_timestamp() where id = $1`, who)
	h.drain()
	h.Exec(`update identity set status = 'active', status_changed_at = clock_timestamp() where id = $1`, who)
	h.target.wrong = func(req v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
		h.target.apply(req)
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   v1.ClassTransient,
			Code:    "timeout",
			Message: "timeout",
		}, true
	}
	h.drain()
	h.target.wrong = nil
	h.unseen(account)
	h.target.nearsighted = near
	return who, account
}

func TestAnEnablingThatMayHaveBeenMadeIsNotDroppedWithItsAccount(t *testing.T) {
	h := Open(t)
	ann, _ := h.enabling("ann", false)
	h.keep()
	h.wants("disable done", "enable retrying")
	h.leaves(ann)
	h.again()
	h.wants("disable done", "enable cancelled", "disable done")
	for _, a := range h.target.accounts {
		if !a.disabled {
			t.Errorf("the leaver's account %s can be used", a.name)
		}
	}
}

// The connector neither finds the account nor proves that it is gone.
func TestAnEnablingWhoseAccountIsNotFoundWaitsForAProof(t *testing.T) {
	h := Open(t)
	ann, account := h.enabling("ann", true)
	h.keep()
	h.due()
	h.drain()
	h.keep()
	h.wants("disable done", "enable verifying")
	h.Exec(`update provisioning_task set finished_at = now() - interval '25 hours' where state = 'verifying'`)
	h.keep()
	h.keep()
	h.wants("disable done", "enable failed")
	if n := h.Count(`select count(*) from provisioning_task where state = 'failed' and unsure`); n != 1 {
		t.Error("after a day it counts as not made, which nothing has shown")
	}
	h.leaves(ann)
	h.wants("disable done", "enable cancelled", "disable verifying")

	// What is proven to be gone is nobody's to enable.
	h.Exec(`update provisioning_task set state = 'failed', unsure = true where operation = 'enable'`)
	h.Exec(`update account set missing_since = null where id = $1`, account)
	h.keep()
	h.wants("disable done", "enable cancelled", "disable verifying")
}
