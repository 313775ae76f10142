package directory_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
)

func TestWhatHappensToPeopleIsTold(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	hire(h, "before", nil) // nobody listens yet
	act := func(fn func(tx *pg.Tx) error) {
		t.Helper()
		if err := h.DB.As(ctx, h.Tenant, fn); err != nil {
			t.Fatal(err)
		}
	}
	act(func(tx *pg.Tx) error {
		return event.Want(ctx, tx, "test", event.IdentityCreated, event.IdentityUpdated, event.IdentityDeactivated)
	})
	soon := time.Now().UTC().AddDate(0, 0, 7)
	ada := hire(h, "ada", map[string]any{"manager_external_id": "boss"}).Text("id")
	hire(h, "boss", nil)
	at := "/identities/" + ada
	patch := func(body string) {
		h.Must(200, "admin", "PATCH", at, body, "Content-Type", "application/merge-patch+json")
	}
	patch(`{"department":"Sales","title":"Rep"}`)
	patch(`{"department":"Sales"}`)
	h.Must(200, "admin", "POST", at+"/deactivate", map[string]any{"reason": "leaves", "effective_at": soon})
	act(func(tx *pg.Tx) error { _, err := action.ApplyDue(ctx, tx, soon.AddDate(0, 0, 1)); return err })
	h.Must(200, "admin", "POST", at+"/reactivate", nil)
	h.Must(204, "admin", "DELETE", at, nil)
	h.Refused(
		409,
		"identity_archived",
		"admin",
		"PATCH",
		at,
		`{"title":"x"}`,
		"Content-Type",
		"application/merge-patch+json",
	)
	want := []string{
		"identity.created ada 1 1 active ",
		"identity.updated ada 2 2 active manager_id",
		"identity.updated ada 3 3 active department,title",
		"identity.updated ada 4 4 notice last_working_at,status,status_reason",
		"identity.deactivated ada 5 5 deactivated status",
		"identity.updated ada 6 6 active last_working_at,status,status_reason",
		"identity.deactivated ada 7 7 archived status,status_reason",
	}
	const told = `
		select concat_ws(' ', kind, data ->> 'external_id', sequence, version, data ->> 'status',
		    array_to_string(changed, ','))
		  from event where resource_id = $1 order by sequence`
	if diff := cmp.Diff(want, h.Strings(told, ada)); diff != "" {
		t.Error(diff)
	}
	if n := h.Count(`select count(*) from event`); n != len(want)+1 {
		t.Errorf("%d events; want those of ada and her boss, %d", n, len(want)+1)
	}
}
