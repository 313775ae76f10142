package provision_test

import (
	"context"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
)

func TestAHeldGrantIsNotSentUntilItIsResumed(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.account("ann", ann)
	calls := 0
	h.admit = func(_ context.Context, _ *pg.Tx, ids []string) ([]taskstore.Held, error) {
		calls++
		return []taskstore.Held{
			{ID: ids[0], Code: "separation_of_duties", Message: "It is held.", Advice: "Wait."},
		}, nil
	}
	h.give(ann, staff)
	h.drain()
	h.wants("grant blocked")
	h.sent()
	got := h.Must(200, "admin", "GET", "/accounts/provisioning-tasks?state=blocked", nil).Items()
	if len(got) != 1 || got[0]["held_at"] == nil || got[0]["advice"] != "Wait." {
		t.Errorf("the list has %v", got)
	}
	if n := h.Count(`select count(*) from provisioning_attempt where outcome = 'not_sent'`); n != 1 || calls != 1 {
		t.Errorf("%d attempts were not sent, after %d checks; want one each", n, calls)
	}
	h.drain()
	h.keep()
	h.wants("grant blocked")

	// What takes access away is not held, and neither is what was resumed.
	h.take(ann, staff)
	h.drain()
	h.wants("grant cancelled")
	h.give(ann, staff)
	h.drain()
	h.wants("grant cancelled", "grant blocked")
	id := h.text(`select id::text from provisioning_task where state = 'blocked'`)
	h.admit = nil
	h.as(func(tx *pg.Tx) error { return taskstore.Resume(ctx, tx, []string{id}) })
	h.drain()
	h.wants("grant cancelled", "grant done")
	h.admit = func(context.Context, *pg.Tx, []string) ([]taskstore.Held, error) {
		t.Error("a revocation is checked")
		return nil, nil
	}
	h.take(ann, staff)
	h.drain()
	h.wants("grant cancelled", "grant done", "revoke done")
}
