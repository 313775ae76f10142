package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

func incremental(r *reconcile.Run) {
	r.Incremental, r.Clean, r.Complete = true, true, map[string]bool{}
}

// changed begins an incremental run.
func (o *office) changed() *office {
	o.begin()
	o.exec(`update sync_run set effective_incremental = true where id = $1`, o.run)
	return o
}

// left reads staff to its end without cy, in an incremental run.
func (o *office) left() {
	o.t.Helper()
	o.changed().world.scope("grants", "entitlement:staff")
	o.sawMember("staff", dn("ann")).sawMember("staff", dn("bob"))
	o.apply(o.evaluate(incremental), incremental)
	if got := o.statusOf(o.cyStaff); got != "missing" {
		o.t.Fatalf("after the group was read without its member the grant is %s; want missing", got)
	}
}

func (o *office) statusOf(grant string) string {
	return one[string](o.world, `select status from access_grant where id = $1`, grant)
}

func TestARemovedMembershipGoesWithTheNextIncrementalRun(t *testing.T) {
	o := newOffice(t)
	o.left()
	v := o.changed().evaluate(incremental)
	if diff := cmp.Diff([]string{"grant.remove cy in staff pending"}, o.changes()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	o.apply(v, incremental)
	if got := o.statusOf(o.cyStaff); got != "revoked" {
		t.Errorf("after the next incremental run the grant is %s; want revoked", got)
	}
}

func TestAnAbsenceIsNotConfirmedByARunThatProvesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(o *office)
		run    func(o *office)
		how    func(r *reconcile.Run)
		want   string
	}{
		"a record was set aside": {how: func(r *reconcile.Run) { r.Clean = false }, want: "missing"},
		"the group came again, and not to its end": {run: func(o *office) { o.sawMember("staff", dn("ann")) },
			want: "missing"},
		"the member's account came again": {run: func(o *office) { o.sawAccount("cy") }, want: "missing"},
		"the member is there again": {run: func(o *office) {
			o.world.scope("grants", "entitlement:staff")
			o.sawMember("staff", dn("ann")).sawMember("staff", dn("bob")).sawMember("staff", dn("cy"))
		}, want: "active"},
		"a member could not be resolved": {before: func(o *office) {
			o.insert("sync_error", row{"run_id": o.run, "object": "grant", "external_id": "staff",
				"code": "unresolved_reference", "message": "x"})
		}, want: "missing"},
		"a full run found it first": {before: func(o *office) {
			o.exec(`update sync_run set effective_incremental = false where id = $1`, o.run)
		}, want: "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			o.left()
			if tt.before != nil {
				tt.before(o)
			}
			o.changed()
			if tt.run != nil {
				tt.run(o)
			}
			how := []func(*reconcile.Run){incremental}
			if tt.how != nil {
				how = append(how, tt.how)
			}
			o.apply(o.evaluate(how...), how...)
			if got := o.statusOf(o.cyStaff); tt.want == "missing" && got != "missing" ||
				tt.want == "active" && got == "revoked" {
				t.Errorf("the grant is %s; want %s", got, tt.want)
			}
		})
	}
}

func TestTheGuardHoldsConfirmedAbsencesToo(t *testing.T) {
	o := newOffice(t)
	for range 150 {
		a := o.knowAccount(newID())
		o.knowGrant(a, o.staff)
	}
	o.changed()
	o.exec(
		`update access_grant set status = 'missing', missing_since = now(), missing_runs = 1,
			changed_run_id = $1 where entitlement_id = $2`,
		o.run,
		o.staff,
	)
	o.exec(`update sync_run set status = 'succeeded' where id = $1`, o.run)
	if v := o.changed().evaluate(incremental); len(v.Holds) == 0 {
		t.Errorf("%d removals were not held", v.Changes["grant.remove"])
	}
}

func TestANestedGroupThatWasTakenOutGoesWithTheNextIncrementalRun(t *testing.T) {
	o := newOffice(t)
	o.nest(o.admins, o.staff)
	o.changed().world.scope("grants", "entitlement:staff")
	for _, name := range []string{"ann", "bob", "cy"} {
		o.sawMember("staff", dn(name))
	}
	o.apply(o.evaluate(incremental), incremental)
	o.apply(o.changed().evaluate(incremental), incremental)
	if n := one[int](o.world, `select count(*) from entitlement_edge`); n != 0 {
		t.Errorf("%d groups are nested still", n)
	}
}
