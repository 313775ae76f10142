package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// expect compares the run's changes.
func (o *office) expect(want ...string) {
	o.t.Helper()
	if want == nil {
		want = []string{}
	}
	got := o.changes()
	if got == nil {
		got = []string{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		o.t.Errorf("-want +got\n%s", diff)
	}
}

func (o *office) grant(id, columns string) {
	o.t.Helper()
	o.exec(`update access_grant set `+columns+` where id = $1`, id)
}

func TestWhatIsBeingMadeIsNeverMissing(t *testing.T) {
	for _, status := range []string{"pending", "requested", "failed"} {
		o := newOffice(t)
		o.grant(o.annInAdmins, `status = '`+status+`', row_hash = null`)
		for range 3 {
			o.sawAllBut("admins/ann")
			v := o.evaluate()
			o.expect()
			o.apply(v)
		}
		if got := one[string](o.world, `select status from access_grant where id = $1`, o.annInAdmins); got != status {
			t.Errorf("a grant that is %s became %s by not being there", status, got)
		}
		o.sawAllBut("")
		o.evaluate()
		o.expect("grant.update ann in admins pending")
	}
	o := newOffice(t)
	o.exec(`update account set status = 'provisioning' where id = $1`, o.cy)
	o.grant(o.cyStaff, `status = 'pending', row_hash = null`)
	o.sawAllBut("cy")
	o.evaluate()
	o.expect()
}

func TestWhatWasMadeWhileTheRunReadIsNotMissing(t *testing.T) {
	o := newOffice(t)
	o.sawAllBut("cy")
	o.exec(`update sync_run set started_at = now() - interval '1 hour' where id = $1`, o.run)
	o.exec(`update account set wanted_at = now(), updated_at = now() where id = $1`, o.cy)
	o.grant(o.cyStaff, `wanted_at = now(), updated_at = now()`)
	o.evaluate()
	o.expect()
	o.exec(`update account set updated_at = now() - interval '1 day' where id = $1`, o.cy)
	o.grant(o.cyStaff, `updated_at = now() - interval '1 day'`)
	o.sawAllBut("cy")
	o.evaluate()
	o.expect("account.missing cy pending", "grant.missing cy in staff pending")
}

func TestWhatWeRevokeIsGoneWithTheFirstProofAndNeedsNoGuard(t *testing.T) {
	o := newOffice(t)
	for _, id := range []string{o.annStaff, o.bobStaff, o.cyStaff} {
		o.grant(id, `status = 'revoking'`)
	}
	o.begin().complete(everything...)
	for _, name := range []string{"ann", "bob", "cy"} {
		o.sawAccount(name)
	}
	o.sawGroup("staff").sawGroup("admins").sawMember("admins", dn("ann"))
	v := o.evaluate()
	if len(v.Holds) != 0 {
		t.Errorf("the guard holds %v, which we ordered", holdKinds(v))
	}
	o.expect(
		"grant.remove ann in staff pending",
		"grant.remove bob in staff pending",
		"grant.remove cy in staff pending",
	)
	o.apply(v)
	if n := one[int](
		o.world,
		`select count(*)::int from access_grant where status = 'revoked' and suppress_reimport_until > now()`,
	); n != 3 {
		t.Errorf("%d are revoked, and may be answered late; want 3", n)
	}
}

func TestLateAnswerIsNoReturnAndALaterOneIs(t *testing.T) {
	o := newOffice(t)
	o.grant(o.annInAdmins, `status = 'revoking'`)
	o.grant(
		o.annInAdmins,
		`status = 'revoked', revoked_at = now() - interval '1 hour', `+
			`suppress_reimport_until = now() + interval '1 hour'`,
	)
	o.sawAllBut("")
	o.apply(o.evaluate())
	o.expect()
	// Its time is over, but the run began before the revocation.
	o.grant(o.annInAdmins, `suppress_reimport_until = now() - interval '1 minute'`)
	o.sawAllBut("")
	o.exec(`update sync_run set started_at = now() - interval '2 hours' where id = $1`, o.run)
	o.apply(o.evaluate())
	o.expect()
	o.sawAllBut("")
	v := o.evaluate()
	o.expect("grant.reappear ann in admins pending")
	done := o.apply(v)
	if diff := cmp.Diff(reconcile.Counts{Reappeared: 1, Returned: 1}, done["grant"]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := one[string](
		o.world,
		`select status || ' ' || reappeared || ' ' || (suppress_reimport_until is null) from access_grant
			where id = $1`,
		o.annInAdmins,
	); got != "active true true" {
		t.Errorf("it is %s; want active, reappeared, and no longer waited for", got)
	}
	if n := one[int](o.world, `select count(*)::int from audit_event where action = 'grant.returned'`); n != 1 {
		t.Errorf("%d entries tell of its return; want 1", n)
	}
}

func TestReturnOfWhatWeDidNotRevokeIsNone(t *testing.T) {
	o := newOffice(t)
	o.grant(o.annInAdmins, `status = 'revoked', revoked_at = now() - interval '1 day'`)
	o.sawAllBut("")
	done := o.apply(o.evaluate())
	if diff := cmp.Diff(reconcile.Counts{Reappeared: 1}, done["grant"]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := one[bool](o.world, `select reappeared from access_grant where id = $1`, o.annInAdmins); got {
		t.Error("it is said to have returned though nobody here had revoked it")
	}
}
