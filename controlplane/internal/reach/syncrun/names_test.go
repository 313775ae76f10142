package syncrun_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// again is ann under her old name, but as a new record: deleted in the directory and made anew.
func again() v1.SyncResponse {
	page := person("ann", "Ann", "ann2@x.test", nil)
	page.Identities[0].ExternalID, page.Accounts[0].ExternalID, page.Accounts[0].IdentityExternalID = "ann-2", "ann-2",
		p("ann-2")
	return page
}

func TestWhoeverIsMadeAnewUnderAnOldNameIsNotTheAccountOfOld(t *testing.T) {
	w := newWorld(t)
	w.source.scopes = complete()
	others := []v1.SyncResponse{
		person("bob", "Bob", "bob@x.test", nil),
		person("cy", "Cy", "cy@x.test", nil),
		person("dee", "Dee", "dee@x.test", nil),
	}
	w.source.pages = append(
		[]v1.SyncResponse{
			person("ann", "Ann", "ann@x.test", nil),
			group("staff", "uid=ann", "uid=bob"),
			group("boss", "uid=bob"),
		},
		others...)
	w.sync()
	w.source.pages = append(
		[]v1.SyncResponse{again(), group("staff", "uid=ann", "uid=bob"), group("boss", "uid=bob", "uid=ann")},
		others...)
	held := func(id string) string {
		return one[string](
			w,
			`select coalesce(string_agg(e.external_id || '=' || g.status, ' ' order by e.external_id), '')
			    from access_grant g
			join account a on a.id = g.account_id join entitlement e on e.id = g.entitlement_id
			    where a.external_id = $1`,
			id,
		)
	}
	for round, want := range []string{"staff=missing", "staff=revoked", "staff=revoked", "staff=revoked"} {
		run := w.full(syncrun.Trigger{})
		if run.Status != syncrun.Succeeded {
			t.Fatalf("run %d ended %s: %+v", round+2, run.Status, run.Error)
		}
		if got := held("ann-2"); got != "boss=active staff=active" {
			t.Errorf("after run %d the new account holds %s", round+2, got)
		}
		if got := held("ann"); got != want {
			t.Errorf("after run %d the old account holds %s; want %s", round+2, got, want)
		}
		if round > 1 && run.Counters.Created+run.Counters.Updated+run.Counters.Reappeared != 0 {
			t.Errorf("run %d changed %+v", round+2, run.Counters)
		}
	}
}

func TestAGrantThatNamesTwoAccountsIsOfBoth(t *testing.T) {
	w := newWorld(t)
	w.source.scopes = complete()
	twin := person("ann", "Ann", "ann2@x.test", nil)
	twin.Identities, twin.Accounts[0].ExternalID, twin.Accounts[0].NativeRef, twin.Accounts[0].IdentityExternalID = nil,
		"ann-2", "uid=ann-2", nil
	staff := group("staff")
	staff.Grants = []v1.RemoteGrant{
		{EntitlementExternalID: "staff", PrincipalRef: &v1.Ref{Kind: v1.RefUsername, Value: "Ann"}},
	}
	w.source.pages = []v1.SyncResponse{person("ann", "Ann", "ann@x.test", nil), twin, staff}
	for round := range 3 {
		run := w.full(syncrun.Trigger{})
		if n := one[int](
			w,
			`select count(*) from access_grant where status = 'active'`,
		); run.Status != syncrun.Succeeded ||
			n != 2 {
			t.Fatalf("run %d ended %s with %d grants: %+v", round+1, run.Status, n, run.Error)
		}
		if round > 0 && run.Counters.Created+run.Counters.Updated != 0 {
			t.Errorf("run %d changed %+v", round+1, run.Counters)
		}
	}
}
