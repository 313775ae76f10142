package history_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/asof"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

func (h house) give(r ledger.Reason) {
	h.T.Helper()
	ctx := context.Background()
	if err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) error { _, err := ledger.Add(ctx, tx, []ledger.Reason{r}); return err },
	); err != nil {
		h.T.Fatal(err)
	}
}

func (h house) end(source, why string) {
	h.T.Helper()
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		_, err := ledger.End(ctx, tx, ledger.Which{SourceID: source}, time.Time{}, why, false)
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
}

func (h house) expand() {
	h.T.Helper()
	ctx := context.Background()
	err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) error { _, err := nesting.Expand(ctx, tx, system); return err },
	)
	if err != nil {
		h.T.Fatal(err)
	}
}

// kinds are the reasons of a list's grants, by entitlement.
func (h house) kinds(as, path string) string {
	h.T.Helper()
	var said []string
	for _, g := range h.Must(200, as, "GET", path, nil).Items() {
		line := fmt.Sprint(g["entitlement"].(map[string]any)["display"], ":", g["compliance_status"])
		for _, r := range g["reasons"].([]any) {
			line += fmt.Sprint(" ", r.(map[string]any)["kind"], "/", r.(map[string]any)["state"])
		}
		said = append(said, line)
	}
	return strings.Join(said, ", ")
}

func TestWhySomebodyHadSomethingIsToldWithTheReasonsOfThen(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	account, staff := h.Account(system, "ann01", ann), h.Entitlement(system, "staff")
	policy, user := uuid.NewString(), uuid.NewString()
	h.Grant(system, account, staff)
	native := h.now()
	h.give(
		ledger.Reason{
			IdentityID:    ann,
			ConnectorID:   system,
			EntitlementID: &staff,
			Kind:          ledger.Birthright,
			SourceType:    "policy",
			SourceID:      policy,
		},
	)
	ruled := h.now()
	h.give(
		ledger.Reason{
			IdentityID:    ann,
			ConnectorID:   system,
			EntitlementID: &staff,
			Kind:          ledger.Manual,
			SourceType:    "user",
			SourceID:      user,
		},
	)
	both := h.now()
	h.end(policy, "their department changed")
	given := h.now()
	h.end(user, "no longer needed")
	ending := h.now()
	at := "/identities/" + ann + "/grants?as_of="
	for when, want := range map[string]string{
		native: "staff:native native/active", ruled: "staff:implied birthright/active",
		both:  "staff:approved birthright/active manual/active",
		given: "staff:approved manual/active", ending: "staff:ending",
	} {
		if got := h.kinds("admin", at+when); got != want {
			t.Errorf("got %q; want %q", got, want)
		}
	}
	for query, want := range map[string]int{
		"&reason_kind=birthright": 1, "&reason_kind=native": 0, "&reason_kind=emergency,manual": 1,
		"&compliance_status=approved": 1, "&compliance_status=ending": 0,
		"&status=active,revoked": 1, "&directness=inherited": 0, "&account_id=" + account: 1,
	} {
		if a := h.Must(
			200,
			"admin",
			"GET",
			at+both+query,
			nil,
		); len(a.Items()) != want ||
			a.Body["total"] != float64(want) {
			t.Errorf("%s: got %d of %v; want %d", query, len(a.Items()), a.Body["total"], want)
		}
	}
	h.Refused(422, "not_with_as_of", "admin", "GET", at+both+"&status=revoked", nil)
	h.Refused(422, "not_with_as_of", "admin", "GET", at+both+"&ends_before=2300-01-01T00:00:00Z", nil)
	h.tells(
		"admin",
		"/identities/"+ann+"/timeline?kind=reason",
		`reason.ended: A reason for "staff" ended (it was given directly by system), because: no longer needed.`,
		`reason.ended: A reason for "staff" ended (the rule "system" gives it), because: their department changed.`,
		`reason.began: A reason for "staff" began: it was given directly by system.`,
		`reason.began: A reason for "staff" began: the rule "system" gives it.`,
	)
}

func TestWhatFollowedFromNestingIsToldWithTheWayOfThen(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	account := h.Account(system, "ann01", ann)
	team, all := h.Entitlement(system, "team"), h.Entitlement(system, "all")
	h.Grant(system, account, team)
	h.Nest(system, team, all)
	h.expand()
	nested := h.now()
	h.Exec(`delete from entitlement_edge`)
	h.expand()
	apart := h.now()
	h.Grant(system, account, all)
	g := h.Must(200, "admin", "GET", "/identities/"+ann+"/grants?expand=paths&directness=inherited&as_of="+nested, nil).
		Items()
	if len(g) != 1 ||
		fmt.Sprint(g[0]["paths"].([]any)[0].(map[string]any)["entitlement_ids"]) != fmt.Sprint([]any{team, all}) ||
		g[0]["compliance_status"] != "implied" {
		t.Fatalf("inherited then: %v; want the way from team to all", g)
	}
	if got := h.kinds("admin", "/identities/"+ann+"/grants?as_of="+apart); got != "team:native native/active" {
		t.Errorf("then she held %s; want team alone", got)
	}
	h.tells("admin", fmt.Sprintf("/entitlements/grants/%v/timeline?kind=grant", g[0]["id"]),
		`grant.gained: Gained "all" with the account "ann01", directly.`,
		`grant.lost: Lost "all" of the account "ann01": it follows from nothing any more that the account holds.`,
		`grant.gained: Gained "all" with the account "ann01", by nesting.`)
	members := h.Must(200, "admin", "GET", "/entitlements/"+all+"/members?as_of="+nested, nil).Body["total"]
	effective := h.Must(200, "admin", "GET", "/entitlements/"+all+"/members?effective=true&as_of="+nested,
		nil).Body["total"]
	if members != 0.0 || effective != 1.0 {
		t.Errorf("members then %v, effective %v; want 0 and 1", members, effective)
	}
}

func TestTheDirectWayIsToldApartFromTheInheritedOne(t *testing.T) {
	h := open(t)
	account := h.Account(system, "ann01", h.Person("ann", ""))
	g := h.Grant(system, account, h.Entitlement(system, "staff"))
	direct := h.now()
	h.Exec(`update access_grant set directness = 'inherited' where id = $1`, g)
	inherited := h.now()
	for at, want := range map[string]string{direct: "direct", inherited: "inherited"} {
		if got := h.Must(200, "admin", "GET", "/accounts/"+account+"/grants?as_of="+at,
			nil).Items()[0]["directness"]; got != want {
			t.Errorf("it was held %v; want %s", got, want)
		}
	}
	h.tells(
		"admin",
		"/accounts/"+account+"/history?kind=grant",
		`grant.changed: "staff" of the account "ann01" is held by nesting from now on.`,
		"grant.gained",
	)
}

func TestPastOfPeopleWhoAreMergedStaysWhoseItWas(t *testing.T) {
	h := open(t)
	ann, twin := h.Person("ann", ""), h.Person("twin", "")
	account, staff := h.Account(system, "twin01", twin), h.Entitlement(system, "staff")
	h.Grant(system, account, staff)
	h.give(
		ledger.Reason{
			IdentityID:    twin,
			ConnectorID:   system,
			EntitlementID: &staff,
			Kind:          ledger.Manual,
			SourceType:    "user",
			SourceID:      uuid.NewString(),
		},
	)
	before := h.now()
	h.Must(200, "admin", "POST", "/identities/"+ann+"/merge", map[string]any{"source_id": twin, "reason": "one person"})
	after := h.now()
	for _, tt := range []struct{ who, at, want string }{
		{twin, before, "staff:approved manual/active"}, {ann, before, ""}, {twin, after, ""},
		{ann, after, "staff:approved manual/active"},
	} {
		if got := h.kinds("admin", "/identities/"+tt.who+"/grants?as_of="+tt.at); got != tt.want {
			t.Errorf("%s at %s held %q; want %q", tt.who, tt.at, got, tt.want)
		}
	}
	then := h.Must(200, "admin", "GET", "/identities/"+twin+"?as_of="+before, nil)
	if then.Text("status") != "active" || then.Body["merged_into_id"] != nil {
		t.Errorf("the twin was %v", then.Body)
	}
	h.tells("admin", "/identities/"+twin+"/timeline?kind=reason", "reason.began")
}

func TestWhoMaySeeThePastFollowsFromTodaysOrganisation(t *testing.T) {
	h := open(t)
	boss, owner := h.Person("boss", ""), h.Person("owner", "")
	ann, bob := h.Person("ann", boss), h.Person("bob", "")
	annsOwn, bobsOwn := h.Account(system, "ann01", ann), h.Account(system, "bob01", bob)
	staff, other := h.Entitlement(system, "staff", owner), h.Entitlement(system, "other")
	a, b := h.Grant(system, annsOwn, staff), h.Grant(system, bobsOwn, staff)
	h.Grant(system, annsOwn, other)
	at := h.now()
	h.Exec(`update access_grant set status = 'revoked' where id in ($1, $2)`, a, b)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("nobody", h.Tenant.Tenant, "")
	elsewhere := pgtest.Tenant(t, h.DB, "second")
	h.Let("elsewhere", elsewhere.Tenant, "", viewer.Admin)
	total := func(as, path string, want float64) {
		t.Helper()
		sign := "?"
		if strings.Contains(path, "?") {
			sign = "&"
		}
		got := h.Must(200, as, "GET", path+sign+"as_of="+at, nil)
		if got.Body["total"] != want || len(got.Items()) != int(want) {
			t.Errorf("%s as %s: %d of %v; want %v", path, as, len(got.Items()), got.Body["total"], want)
		}
	}
	for as, want := range map[string]float64{"admin": 3, "auditor": 3, "boss": 2, "owner": 0, "nobody": 0,
		"elsewhere": 0} {
		total(as, "/entitlements/grants", want)
	}
	total("boss", "/identities/"+ann+"/grants", 2)
	total("boss", "/accounts/"+annsOwn+"/grants", 2)
	total("owner", "/entitlements/"+staff+"/members", 0)
	for _, as := range []string{"owner", "elsewhere", "nobody"} {
		h.Refused(404, "not_found", as, "GET", "/identities/"+ann+"/grants?as_of="+at, nil)
	}
	// Who holds something of the owner's today is somebody whom the owner sees, with what they held of it.
	h.Grant(system, bobsOwn, h.Entitlement(system, "third", owner))
	total("owner", "/entitlements/grants", 1)
	total("owner", "/entitlements/"+staff+"/members", 1)
	total("owner", "/identities/"+bob+"/grants", 1)
	h.Let("boss of none", h.Tenant.Tenant, bob, viewer.Manager)
	total("boss of none", "/entitlements/grants", 0)
}

func TestTheEndOfADayIsThatOfTheTenantsZone(t *testing.T) {
	h := open(t)
	h.Exec(
		`insert into lifecycle_policy (tenant_id, timezone) values (current_tenant(), 'Pacific/Kiritimati')`,
	) // fourteen hours ahead of UTC
	ann := h.Person("ann", "")
	zone, err := time.LoadLocation("Pacific/Kiritimati")
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().In(zone).Format(time.DateOnly)
	if got := h.Must(200, "admin", "GET", "/identities?as_of="+today, nil).
		Values("id"); len(got) != 1 ||
		got[0] != ann {
		t.Errorf("as of today %v; want ann", got)
	}
	yesterday := time.Now().In(zone).AddDate(0, 0, -1)
	a := h.Must(200, "admin", "GET", "/identities?as_of="+yesterday.Format(time.DateOnly), nil)
	if len(a.Items()) != 0 {
		t.Errorf("as of yesterday %v; want nobody", a.Values("display_name"))
	}
	if want := asof.DayEnd(yesterday, zone).
		Add(-time.Microsecond).
		Format(time.RFC3339Nano); a.Header.Get(
		"As-Of",
	) != want {
		t.Errorf("yesterday ended %s; want %s", a.Header.Get("As-Of"), want)
	}
	h.Refused(
		422,
		"instant_in_future",
		"admin",
		"GET",
		"/identities?as_of="+time.Now().In(zone).AddDate(0, 0, 1).Format(time.DateOnly),
		nil,
	)
}
