package syncrun_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// staffed is a world in which ann and bob are in staff, as one run has read it.
func staffed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.source.pages = []v1.SyncResponse{
		person("ann", "Ann", "ann@x.test", nil),
		person("bob", "Bob", "bob@x.test", nil),
		group("staff", "uid=ann", "uid=bob"),
	}
	w.sync()
	return w
}

// grant changes ann's grant.
func (w *world) grant(columns string) {
	w.t.Helper()
	w.exec(`update access_grant set ` + columns + ` where account_id = (select id from account where username = 'ann')`)
}

func (w *world) anns() string {
	w.t.Helper()
	return one[string](w, `select status || case when reappeared then ' reappeared' else '' end from access_grant
		where account_id = (select id from account where username = 'ann')`)
}

func TestAPendingGrantThatIsSeenIsActiveAndKeepsItsEnd(t *testing.T) {
	for _, status := range []string{"pending", "failed", "requested"} {
		w := staffed(t)
		w.grant(`status = '` + status + `', row_hash = null, wanted_at = now(), ends_at = '2200-01-01'`)
		run := w.sync()
		if got := w.anns(); got != "active" || run.Report.Grants.Updated != 1 {
			t.Errorf("a grant that was %s is %s, %+v; want active, and one update", status, got, run.Report.Grants)
		}
		if got := one[string](
			w,
			`select to_char(ends_at, 'YYYY') from access_grant where wanted_at is not null`,
		); got != "2200" {
			t.Errorf("it ends in %s; want 2200, which our reason says", got)
		}
	}
}

func TestAGrantThatWeRevokedIsNotMergedSilently(t *testing.T) {
	w := staffed(t)
	w.grant(`status = 'revoking'`)
	w.grant(`status = 'revoked', revoked_at = now() - interval '1 hour'`)
	early := w.sync()
	if got := w.anns(); got != "revoked" || early.Report.Grants != (counters.Counts{Unchanged: 1, Suppressed: 1}) {
		t.Errorf(
			"minutes after our revocation it is %s, %+v; want revoked, and one that is suppressed",
			got,
			early.Report.Grants,
		)
	}
	if n := one[int](
		w,
		`select count(*) from audit_event where action in ('grant.returned', 'grant.reappeared')`,
	); n != 0 {
		t.Errorf("%d entries tell of its return", n)
	}
	w.grant(`suppress_reimport_until = now() - interval '1 minute'`)
	back := w.sync()
	if got := w.anns(); got != "active reappeared" ||
		back.Report.Grants != (counters.Counts{Unchanged: 1, Reappeared: 1, Returned: 1}) {
		t.Errorf("later it is %s, %+v; want active and reappeared, and one that returned", got, back.Report.Grants)
	}
	if n := one[int](w, `select count(*) from audit_event where action = 'grant.returned'`); n != 1 {
		t.Errorf("%d entries tell of its return; want 1", n)
	}
	again := w.sync()
	if again.Report.Grants != (counters.Counts{Unchanged: 2}) || w.anns() != "active reappeared" {
		t.Errorf("the next run says %+v; want nothing new", again.Report.Grants)
	}
}

func TestAnAccountThatIsBeingMadeIsFoundAndNeverMissing(t *testing.T) {
	w := staffed(t)
	w.exec(`insert into account (tenant_id, id, connector_id, external_id, username, status, row_hash)
		select current_tenant(), gen_random_uuid(), connector_id, 'cy', 'cy', 'provisioning', '' from account limit 1`)
	for range 2 {
		w.sync()
		if got := one[string](w, `select status from account where username = 'cy'`); got != "provisioning" {
			t.Fatalf("an account that is not there yet is %s", got)
		}
	}
	w.source.pages = append(w.source.pages, person("cy", "Cy", "cy@x.test", nil))
	w.sync()
	if got := one[string](w, `select status from account where username = 'cy'`); got != "active" {
		t.Errorf("now that it is there it is %s", got)
	}
}
