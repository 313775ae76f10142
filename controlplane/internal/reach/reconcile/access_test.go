package reconcile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
)

// office knows ann, bob and cy, the groups staff and admins, and who is in them. Everything of it is staged as it is
// known.
type office struct {
	*world
	ann, bob, cy, staff, admins              string
	annStaff, bobStaff, cyStaff, annInAdmins string
}

func newOffice(t testing.TB) *office {
	t.Helper()
	o := &office{world: newWorld(t)}
	o.ann, o.bob, o.cy = o.knowAccount("ann"), o.knowAccount("bob"), o.knowAccount("cy")
	o.staff, o.admins = o.knowGroup("staff"), o.knowGroup("admins")
	o.annStaff, o.bobStaff, o.cyStaff = o.knowGrant(
		o.ann,
		o.staff,
	), o.knowGrant(
		o.bob,
		o.staff,
	), o.knowGrant(
		o.cy,
		o.staff,
	)
	o.annInAdmins = o.knowGrant(o.ann, o.admins)
	return o
}

func (o *office) sawAllBut(left string) *office {
	o.begin().complete(everything...)
	for _, name := range []string{"ann", "bob", "cy"} {
		if name != left {
			o.sawAccount(name)
		}
	}
	for _, group := range []string{"staff", "admins"} {
		if group != left {
			o.sawGroup(group)
		}
	}
	for _, m := range [][2]string{{"staff", "ann"}, {"staff", "bob"}, {"staff", "cy"}, {"admins", "ann"}} {
		if m[0] != left && m[1] != left && m[0]+"/"+m[1] != left {
			o.sawMember(m[0], dn(m[1]))
		}
	}
	return o
}

func TestWhatIsUnchangedIsNoChange(t *testing.T) {
	o := newOffice(t).sawAllBut("")
	v := o.evaluate()
	if got := o.changes(); len(got) != 0 || len(v.Changes) != 0 {
		t.Errorf("changes %v, counted %v; want none", got, v.Changes)
	}
}

func TestAGrantIsMissingFirstAndRevokedWhenItsAbsenceIsProvenAgain(t *testing.T) {
	o := newOffice(t)
	for i, want := range []string{"missing", "revoked"} {
		o.sawAllBut("staff/cy")
		o.apply(o.evaluate())
		if got := one[string](o.world, `select status from access_grant where id = $1`, o.cyStaff); got != want {
			t.Errorf("after %d absences the grant is %s; want %s", i+1, got, want)
		}
	}
	o.sawAllBut("")
	v := o.evaluate()
	if diff := cmp.Diff([]string{"grant.reappear cy in staff pending"}, o.changes()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	o.apply(v)
	if got := one[string](
		o.world,
		`select status || ' ' || (revoked_at is null) || ' ' || missing_runs from access_grant where id = $1`,
		o.cyStaff,
	); got != "active true 0" {
		t.Errorf("back again: %s", got)
	}
}

func TestARenamedOrMovedMemberLosesNothing(t *testing.T) {
	o := newOffice(t)
	o.begin().complete(everything...)
	moved := row{
		"native_ref":      "uid=anna,ou=elsewhere,dc=x",
		"native_identity": "uid=anna,ou=elsewhere,dc=x",
		"username":        "anna",
		"email":           "anna@x.test",
		"row_hash":        hash("moved"),
	}
	// Bob takes the name that Ann had.
	renamed := row{
		"native_ref":      dn("ann"),
		"native_identity": dn("ann"),
		"username":        "ann",
		"row_hash":        hash("renamed"),
	}
	o.sawAccount("ann", moved).sawAccount("bob", renamed).sawAccount("cy").sawGroup("admins")
	o.sawGroup("staff", row{"native_ref": "cn=everybody", "name": "everybody", "row_hash": hash("renamed")})
	o.sawMember("staff", "uid=anna,ou=elsewhere,dc=x").
		sawMember("staff", dn("ann")).
		sawMember("staff", dn("cy")).
		sawMember("admins", "uid=anna,ou=elsewhere,dc=x")
	o.evaluate()
	want := []string{"account.update anna pending", "account.update ann pending", "entitlement.update staff pending"}
	if diff := cmp.Diff(want, o.changes()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := o.lines(
		`select array_to_string(fields, ',') || ' ' || (before ->> 'email') || ' ' || (after ->> 'email')
			from sync_change where external_id = 'ann'`,
	); !cmp.Equal(
		got,
		[]string{"username,email,native_ref,native_identity ann@x.test anna@x.test"},
	) {
		t.Errorf("told of Ann: %v", got)
	}
}

func TestAnAccountMadeAnewUnderAnOldNameDoesNotKeepTheOldOneAlive(t *testing.T) {
	o := newOffice(t).sawAllBut("cy")
	o.sawAccount("cy2", row{"native_ref": dn("cy"), "native_identity": dn("cy"), "username": "cy"}).
		sawMember("staff", dn("cy"))
	o.evaluate()
	want := []string{
		"account.missing cy pending",
		"account.create cy pending",
		"grant.missing cy in staff pending",
		"grant.create cy2 in staff pending",
	}
	if diff := cmp.Diff(want, o.changes()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAReferenceThatNobodyKnowsProtectsAndRemovesNothing(t *testing.T) {
	o := newOffice(t).sawAllBut("staff/cy")
	o.sawMember("staff", "uid=stranger,dc=elsewhere")
	o.evaluate()
	if diff := cmp.Diff([]string{"grant.missing cy in staff pending"}, o.changes()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAScopeOfOneGroupOrAccountProvesItsGrantsAlone(t *testing.T) {
	incremental := func(r *reconcile.Run) { r.Incremental, r.Complete = true, map[string]bool{} }
	o := newOffice(t)
	for name, tt := range map[string]struct {
		scope string
		saw   func(o *office)
		want  []string
	}{
		"group re-read": {"entitlement:staff",
			func(o *office) { o.sawMember("staff", dn("ann")).sawMember("staff", dn("bob")) },
			[]string{"grant.missing cy in staff pending"}},
		"account re-read": {"account:ann", func(o *office) { o.sawMember("staff", dn("ann")) },
			[]string{"grant.missing ann in admins pending"}},
		"no scope": {"", func(o *office) { o.sawMember("staff", dn("ann")) }, []string{}},
		"tombstone of a membership": {"", func(o *office) { o.sawMember("staff", dn("bob"), deleted) },
			[]string{"grant.remove bob in staff pending"}},
		"tombstone of a person": {"", func(o *office) { o.sawAccount("bob", deleted) },
			[]string{"account.remove bob pending", "grant.remove bob in staff pending"}},
	} {
		t.Run(name, func(t *testing.T) {
			o.begin()
			if tt.scope != "" {
				o.world.scope("grants", tt.scope)
			}
			tt.saw(o)
			o.evaluate(incremental)
			if diff := cmp.Diff(tt.want, append([]string{}, o.changes()...)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestANestedGroupGoesStepByStepAndWithItWhatItBrought(t *testing.T) {
	o := newOffice(t)
	o.nest(o.admins, o.staff)
	o.exec(`delete from access_grant where id = $1`, o.annStaff)
	o.expand()
	inherited := `select count(*) from access_grant where directness = 'inherited'`
	if n := one[int](o.world, inherited); n != 1 {
		t.Fatalf("%d inherited grants; want Ann's of staff", n)
	}
	o.sawAllBut("staff/ann")
	o.sawMember("staff", "cn=admins")
	if o.evaluate(); len(o.changes()) != 0 {
		t.Errorf("with the nesting read: %v", o.changes())
	}
	for i, want := range []string{"nesting.missing admins in staff applied", "nesting.remove admins in staff applied"} {
		o.sawAllBut("staff/ann")
		o.apply(o.evaluate())
		o.expand()
		if diff := cmp.Diff([]string{want}, o.changes()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if n := one[int](o.world, inherited); n != 1-i {
			t.Errorf("after %d absences %d inherited grants", i+1, n)
		}
	}
}

func (o *office) expand() {
	o.t.Helper()
	o.in(func(tx *pg.Tx) error {
		_, err := nesting.Expand(context.Background(), tx, o.connector)
		return err
	})
}

func TestNestingThatTheInnerGroupTellsIsProvenByItsOwnRecordAlone(t *testing.T) {
	o := newOffice(t)
	o.nest(o.admins, o.staff)
	o.sawAllBut("admins").
		sawGroup("admins", row{"parent_external_ids": []string{"staff"}}).
		sawMember("admins", dn("ann"))
	o.apply(o.evaluate())
	if got := one[string](o.world, `select told_by from entitlement_edge`); got != "parent" || len(o.changes()) != 0 {
		t.Fatalf("told by %s, changes %v", got, o.changes())
	}
	o.begin().
		complete(everything...).
		sawGroup("staff").
		sawMember("staff", dn("ann")).
		sawMember("staff", dn("bob")).
		sawMember("staff", dn("cy")).
		sawMember("admins", dn("ann"))
	for _, name := range []string{"ann", "bob", "cy"} {
		o.sawAccount(name)
	}
	o.insert("stage_present", row{"run_id": o.run, "seq": 99, "kind": "entitlements", "external_id": "admins"})
	if o.evaluate(); len(o.changes()) != 0 {
		t.Errorf("a group that is only known to be there changes %v", o.changes())
	}
	o.sawAllBut("")
	o.evaluate()
	if diff := cmp.Diff([]string{"nesting.missing admins in staff pending"}, o.changes()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAnEntitlementThatIsGoneIsRetiredWithItsGrants(t *testing.T) {
	o := newOffice(t)
	for i := range 4 {
		o.knowGroup(fmt.Sprintf("g%d", i))
	}
	saw := func() {
		o.sawAllBut("admins")
		for i := range 4 {
			o.sawGroup(fmt.Sprintf("g%d", i))
		}
	}
	saw()
	o.apply(o.evaluate())
	if got := one[string](
		o.world,
		`select lifecycle || ' ' || missing_runs || ' ' || (missing_since is not null) from entitlement where id = $1`,
		o.admins,
	); got != "active 1 true" {
		t.Errorf("after the first absence: %s", got)
	}
	saw()
	done := o.apply(o.evaluate())
	if diff := cmp.Diff(
		map[string]reconcile.Counts{"entitlement": {Removed: 1}, "grant": {Removed: 1}},
		done,
	); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := one[string](
		o.world,
		`select e.lifecycle || ' ' || (e.removed_at is not null) || ' ' || g.status from entitlement e
			join access_grant g on g.entitlement_id = e.id where e.id = $1`,
		o.admins,
	); got != "retired true revoked" {
		t.Errorf("after the second: %s", got)
	}
	saw()
	o.sawGroup("admins").sawMember("admins", dn("ann"))
	o.apply(o.evaluate())
	if got := one[string](
		o.world,
		`select e.lifecycle || ' ' || (e.removed_at is null) || ' ' || g.status from entitlement e join access_grant g
			on g.entitlement_id = e.id where e.id = $1`,
		o.admins,
	); got != "active true active" {
		t.Errorf("back again: %s", got)
	}
}

func TestGrantsOfAHeldEntitlementAreHeldWithIt(t *testing.T) {
	o := newOffice(t)
	o.begin().complete(everything...)
	for _, name := range []string{"ann", "bob", "cy"} {
		o.sawAccount(name)
	}
	for i := range 30 { // so that the grants alone would pass
		group := o.knowGroup(fmt.Sprintf("g%02d", i))
		o.knowGrant(o.ann, group)
		o.sawGroup(fmt.Sprintf("g%02d", i)).sawMember(fmt.Sprintf("g%02d", i), dn("ann"))
	}
	o.exec(
		`update connector set safety = '{"limits": [{"kind": "entitlement_removed", "floor": 0, "pct": 0, "cap": 0}]}'`,
	)
	v := o.evaluate()
	if diff := cmp.Diff([]string{"entitlement_removed limit"}, holdKinds(v)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := one[int](
		o.world,
		`select count(*) from sync_change where object = 'grant' and state = 'held' and guard = 'entitlement_removed'`,
	); n != 4 {
		t.Errorf("%d grants are held with their groups; want 4: %v", n, o.changes())
	}
}

func TestAChangeWhoseObjectIsNoLongerAsWeighedIsSkipped(t *testing.T) {
	o := newOffice(t).sawAllBut("staff/cy")
	v := o.evaluate()
	o.exec(`update access_grant set status = 'revoking' where id = $1`, o.cyStaff)
	if diff := cmp.Diff(map[string]reconcile.Counts{"grant": {Skipped: 1}}, o.apply(v)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := o.lines(
		`select state || ': ' || reason from sync_change`,
	); !cmp.Equal(
		got,
		[]string{"skipped: it was no longer as it had been when this was weighed"},
	) {
		t.Errorf("got %v", got)
	}
}

func TestTenantsDoNotSeeEachOthersRuns(t *testing.T) {
	o := newOffice(t)
	other := worldIn(t, o.db, "other")
	other.connector = o.connector // even under the same key
	other.exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, 'same', 'same',
			'ldap')`,
		other.connector,
	)
	other.crowd(20).begin()
	o.beginAs(other.run)
	o.sawAccount("ann").sawAccount("bob").complete("accounts")
	other.sawCrowd(1, 19).complete("accounts")
	o.evaluate()
	other.evaluate()
	if diff := cmp.Diff([]string{"account.missing cy pending"}, o.changes()); diff != "" {
		t.Errorf("the first tenant: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"account.missing a20 pending"}, other.changes()); diff != "" {
		t.Errorf("the other tenant: -want +got\n%s", diff)
	}
}
