package access_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// past is a house whose clock is the database's, and which remembers instants.
type past struct{ *recordtest.House }

func openPast(t *testing.T) past {
	t.Helper()
	return past{recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		people := &directory.Service{DB: db, Cursors: cursors, Now: time.Now}
		rights := &access.Service{DB: db, Cursors: cursors, Now: time.Now}
		return append(people.Routes(), rights.Routes()...)
	})}
}

// now is an instant between what was done and what will be.
func (p past) now() string {
	return p.Strings(`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)[0]
}

func (p past) status(grant, status string) {
	p.T.Helper()
	p.Exec(`update access_grant set status = $2 where id = $1`, grant, status)
}

// held are the grants that a list tells of an instant.
func (p past) held(as, path, at string) []any {
	p.T.Helper()
	sign := "?"
	for _, c := range path {
		if c == '?' {
			sign = "&"
		}
	}
	return p.Must(200, as, "GET", path+sign+"as_of="+at, nil).Values("id")
}

func same(t *testing.T, what string, got []any, want ...string) {
	t.Helper()
	rest := map[string]int{}
	for _, w := range want {
		rest[w]++
	}
	for _, g := range got {
		rest[g.(string)]--
	}
	for id, n := range rest {
		if n != 0 {
			t.Errorf("%s: got %v; want %v (%s %+d)", what, got, want, id, n)
		}
	}
}

func TestWhoHadWhatOnADateIsToldThoughItHasEnded(t *testing.T) {
	p := openPast(t)
	const system = "00000000-0000-7000-8000-00000000c001"
	ann, bob := p.Person("ann", ""), p.Person("bob", "")
	account := p.Account(system, "ann", ann)
	staff, admins := p.Entitlement(system, "staff"), p.Entitlement(system, "admins")
	nothing := p.now()
	g := p.Grant(system, account, staff)
	first := p.now()
	h := p.Grant(system, account, admins)
	both := p.now()
	p.status(g, "missing")
	missing := p.now()
	p.status(g, "revoked")
	second := p.now()
	p.Exec(`update account set identity_id = $2 where id = $1`, account, bob)
	bobs := p.now()
	p.status(g, "active")
	again := p.now()

	for _, tt := range []struct {
		what, at string
		want     []string
	}{
		{"before", nothing, nil}, {"first", first, []string{g}}, {"both", both, []string{g, h}},
		{"missing is held until it is proven", missing, []string{g, h}},
		{"after the end", second, []string{h}}, {"bob's", bobs, []string{h}}, {"again", again, []string{g, h}},
	} {
		same(t, tt.what+" of all", p.held("admin", "/entitlements/grants", tt.at), tt.want...)
		same(t, tt.what+" of the account", p.held("admin", "/accounts/"+account+"/grants", tt.at), tt.want...)
	}
	same(t, "ann's", p.held("admin", "/identities/"+ann+"/grants", both), g, h)
	same(t, "ann's when it is bob's", p.held("admin", "/identities/"+ann+"/grants", bobs))
	same(t, "bob's", p.held("admin", "/identities/"+bob+"/grants", bobs), h)
	same(t, "bob's before", p.held("admin", "/identities/"+bob+"/grants", second))
	same(t, "of staff", p.held("admin", "/entitlements/"+staff+"/grants", both), g)
	same(t, "of staff after", p.held("admin", "/entitlements/"+staff+"/grants", second))
	members := p.Must(200, "admin", "GET", "/entitlements/"+staff+"/members?as_of="+both, nil)
	if got := members.Items(); len(got) != 1 || got[0]["identity"].(map[string]any)["display"] != "ann" {
		t.Errorf("members then: %v; want ann", got)
	}
	if members.Header.Get("History-Since") == "" || members.Header.Get("As-Of") == "" {
		t.Errorf("headers %v; want As-Of and History-Since", members.Header)
	}
	one := p.Must(200, "admin", "GET", "/entitlements/grants?entitlement_id="+staff+"&as_of="+both, nil).Items()[0]
	if one["status"] != "active" || one["held_until"] == nil || one["identity_id"] != ann ||
		one["compliance_status"] != "native" {
		t.Errorf("the grant of then: %v", one)
	}
	p.Let("bob", p.Tenant.Tenant, bob, viewer.Manager)
	same(t, "bob himself", p.held("bob", "/identities/"+bob+"/grants", again), g, h)
	p.Refused(404, "not_found", "bob", "GET", "/identities/"+ann+"/grants?as_of="+both, nil)
	same(t, "the account while it was ann's", p.held("bob", "/accounts/"+account+"/grants", both))
}
