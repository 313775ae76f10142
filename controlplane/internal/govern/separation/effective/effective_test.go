package effective_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// house has a person with an account in one system, and groups by name.
type house struct {
	*recordtest.House
	system, ann, account string
	groups               map[string]string
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{groups: map[string]string{}, system: newID()}
	h.House = recordtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })
	h.Exec(`insert into connector (tenant_id, id, business_id, name, type, environment)
		values (current_tenant(), $1, 'dir', 'Directory', 'ldap', 'test')`, h.system)
	h.ann = h.Person("ann", "")
	h.account = h.Account(h.system, "ann", h.ann)
	for _, name := range []string{"VENDOR-EDIT", "FINANCE", "PAY-RUN", "AUDIT"} {
		h.groups[name] = h.Entitlement(h.system, name)
	}
	h.Nest(h.system, h.groups["FINANCE"], h.groups["PAY-RUN"])
	return h
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// one is the access of ann with changes, and what Stream has of everybody must agree with it.
func (h *house) one(changes effective.Changes, past time.Duration) *effective.Person {
	h.T.Helper()
	ctx := context.Background()
	var p *effective.Person
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) (err error) {
		p, err = effective.One(ctx, tx, h.ann, changes, past, time.Now())
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return p
}

// said are the sources in words, sorted: kind, pending, and the names of what each gives.
func (h *house) said(p *effective.Person) string {
	names := map[string]string{}
	for name, id := range h.groups {
		names[id] = name
	}
	var list []string
	for i, s := range p.Sources {
		var gives []string
		for _, id := range p.Access.Sources[i].Gives {
			gives = append(gives, names[id])
		}
		slices.Sort(gives)
		word := s.Kind
		if s.Pending {
			word += " pending"
		}
		list = append(list, word+" "+strings.Join(gives, ","))
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

func (h *house) expect(p *effective.Person, want string) {
	h.T.Helper()
	if got := h.said(p); got != want {
		h.T.Errorf("got  %s\nwant %s", got, want)
	}
	if len(p.Sources) != len(p.Access.Sources) {
		h.T.Errorf("%d sources describe %d", len(p.Sources), len(p.Access.Sources))
	}
}

func (h *house) reason(id, entitlement, state, sourceType, sourceID, role string) {
	h.T.Helper()
	h.Exec(`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		source_id, role_id, state) values (current_tenant(), $1, $2, $3, $4, 'role', $5, $6, nullif($7, '')::uuid, $8)`,
		id, h.ann, h.system, h.groups[entitlement], sourceType, sourceID, role, state)
}

func (h *house) role(name string, groups ...string) string {
	h.T.Helper()
	id := newID()
	h.Exec(`insert into role (tenant_id, id, key, name, lifecycle)
		values (current_tenant(), $1, lower($2), $2, 'active')`, id, name)
	for _, g := range groups {
		h.Exec(`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
			id, h.groups[g])
	}
	return id
}

func (h *house) item(status, role, entitlement string) string {
	h.T.Helper()
	request, id := newID(), newID()
	h.Exec(`insert into access_request (tenant_id, id, number, requested_for, requested_by)
		values (current_tenant(), $1, (select count(*) + 1 from access_request), $2, '{}')`, request, h.ann)
	h.Exec(`insert into access_request_item (tenant_id, id, request_id, position, beneficiary_id, kind, role_id,
		entitlement_id, status, display) values (current_tenant(), $1, $2, 0, $3, 'grant', nullif($4, '')::uuid,
		nullif($5, '')::uuid, $6, 'something')`, id, request, h.ann, role, h.groups[entitlement], status)
	return id
}

func TestDirectGrantGivesWhatItIsNestedIn(t *testing.T) {
	h := open(t)
	h.Grant(h.system, h.account, h.groups["VENDOR-EDIT"])
	id := h.Grant(h.system, h.account, h.groups["FINANCE"])
	h.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, directness)
		values (current_tenant(), $1, $2, $3, $4, 'inherited')`, newID(), h.system, h.account, h.groups["PAY-RUN"])
	p := h.one(effective.Changes{}, 0)
	h.expect(p, "grant FINANCE,PAY-RUN; grant VENDOR-EDIT")
	at := slices.IndexFunc(p.Sources, func(s effective.Source) bool { return s.ID == id })
	if got, want := fmt.Sprint(p.Path(at, h.groups["PAY-RUN"])),
		fmt.Sprint([]string{h.groups["FINANCE"], h.groups["PAY-RUN"]}); got != want {
		t.Errorf("path %s; want %s", got, want)
	}
	if p.Path(at, h.groups["VENDOR-EDIT"]) != nil {
		t.Error("FINANCE is no way to VENDOR-EDIT")
	}
	if got := p.Access.Traits[h.groups["PAY-RUN"]].Values["environment"]; got != "test" {
		t.Errorf("environment %q; want that of the connector", got)
	}
}

func TestInheritedGrantWithoutAWayIsASourceOfItsOwn(t *testing.T) {
	h := open(t)
	h.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, directness)
		values (current_tenant(), $1, $2, $3, $4, 'inherited')`, newID(), h.system, h.account, h.groups["PAY-RUN"])
	h.expect(h.one(effective.Changes{}, 0), "grant PAY-RUN")
}

func TestRevokedGrantGivesNothing(t *testing.T) {
	h := open(t)
	h.Grant(h.system, h.account, h.groups["FINANCE"])
	h.Exec(`update access_grant set status = 'revoked', revoked_at = now()`)
	h.expect(h.one(effective.Changes{}, 0), "")
}

func TestReasonsNameTheRolesOfGrantsAndArePendingWithoutOne(t *testing.T) {
	h := open(t)
	role := h.role("Clerk", "VENDOR-EDIT", "FINANCE")
	assignment := newID()
	h.Grant(h.system, h.account, h.groups["VENDOR-EDIT"])
	h.reason(newID(), "VENDOR-EDIT", "active", "role_assignment", assignment, role)
	h.reason(newID(), "FINANCE", "active", "role_assignment", assignment, role)
	h.reason(newID(), "AUDIT", "scheduled", "user", newID(), "")
	p := h.one(effective.Changes{}, 0)
	h.expect(p, "grant VENDOR-EDIT; order pending AUDIT; role_assignment pending FINANCE,PAY-RUN")
	for i, s := range p.Sources {
		if s.Kind != effective.KindOrder && fmt.Sprint(p.Access.Sources[i].RoleIDs) != fmt.Sprint([]string{role}) {
			t.Errorf("%s has the roles %v; want Clerk", s.Kind, p.Access.Sources[i].RoleIDs)
		}
	}
}

func TestDeniedAndEndedReasonsArePendingNoMore(t *testing.T) {
	h := open(t)
	h.reason(newID(), "AUDIT", "active", "user", newID(), "")
	h.reason(newID(), "FINANCE", "ended", "user", newID(), "")
	h.expect(h.one(effective.Changes{}, 0), "order pending AUDIT")
	h.Exec(`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		source_id, effect) values (current_tenant(), $1, $2, $3, $4, 'manual', 'user', $1, 'deny')`,
		newID(), h.ann, h.system, h.groups["AUDIT"])
	h.expect(h.one(effective.Changes{}, 0), "")
}

func TestOpenRequestsArePending(t *testing.T) {
	h := open(t)
	role := h.role("Payer", "FINANCE")
	h.item("pending_approval", role, "")
	h.item("approved", "", "AUDIT")
	h.item("rejected", "", "VENDOR-EDIT")
	h.expect(h.one(effective.Changes{}, 0), "request_item pending AUDIT; request_item pending FINANCE,PAY-RUN")
	h.expect(h.one(effective.Changes{Decided: true}, 0), "request_item pending AUDIT")
}

func TestProvisioningTaskWithoutAReasonIsPending(t *testing.T) {
	h := open(t)
	put := func(group, state string) {
		h.Exec(`insert into provisioning_task (tenant_id, id, connector_id, operation, identity_id, entitlement_id,
			created_from, state, idempotency_key) values (current_tenant(), $1, $2, 'grant', $3, $4, 'manual', $5, $1)`,
			newID(), h.system, h.ann, h.groups[group], state)
	}
	put("AUDIT", "queued")
	put("FINANCE", "cancelled")
	h.expect(h.one(effective.Changes{}, 0), "task pending AUDIT")
}

func TestPredictionAddsAndRemoves(t *testing.T) {
	h := open(t)
	role := h.role("Payer", "FINANCE")
	vendor := h.Grant(h.system, h.account, h.groups["VENDOR-EDIT"])
	finance := h.Grant(h.system, h.account, h.groups["FINANCE"])
	h.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, directness)
		values (current_tenant(), $1, $2, $3, $4, 'inherited')`, newID(), h.system, h.account, h.groups["PAY-RUN"])
	p := h.one(effective.Changes{
		Add:    []effective.Addition{{ID: "a", EntitlementID: h.groups["AUDIT"]}, {ID: "b", RoleID: role}},
		Remove: []string{vendor},
	}, 0)
	h.expect(p, "added pending AUDIT; added pending FINANCE,PAY-RUN; grant FINANCE,PAY-RUN")
	h.expect(h.one(effective.Changes{Remove: []string{finance}}, 0), "grant VENDOR-EDIT")
}

func TestPastCountsWhenAsked(t *testing.T) {
	h := open(t)
	h.Grant(h.system, h.account, h.groups["AUDIT"])
	h.Exec(`update access_grant set status = 'revoked', revoked_at = now()`)
	if p := h.one(effective.Changes{}, 0); len(p.Access.Past) != 0 {
		t.Errorf("the past %v counts without being asked for", p.Access.Past)
	}
	p := h.one(effective.Changes{}, 24*time.Hour)
	if len(p.Access.Past) != 1 || p.Access.Past[0].EntitlementID != h.groups["AUDIT"] {
		t.Errorf("got the past %v; want AUDIT", p.Access.Past)
	}
	h.Exec(`update account set identity_id = null, owner_since = clock_timestamp()`)
	if p := h.one(effective.Changes{}, 24*time.Hour); len(p.Access.Past) != 1 {
		t.Errorf("got the past %v after the account lost its owner; want AUDIT", p.Access.Past)
	}
}

func TestSourcesAreNamed(t *testing.T) {
	h := open(t)
	h.Grant(h.system, h.account, h.groups["FINANCE"])
	h.item("pending_approval", h.role("Payer", "AUDIT"), "")
	ctx := context.Background()
	p := h.one(effective.Changes{}, 0)
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		if err := effective.Name(ctx, tx, []*effective.Source{&p.Sources[0], &p.Sources[1]}); err != nil {
			return err
		}
		named, err := effective.Entitlements(ctx, tx, []string{h.groups["FINANCE"]})
		if e := named[h.groups["FINANCE"]]; e.Name != "FINANCE" || e.ConnectorName != "Directory" {
			t.Errorf("got %+v; want FINANCE of Directory", e)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Sources[0].Name, p.Sources[1].Name; a != "FINANCE" || b != "something (REQ-000001)" {
		t.Errorf("got the names %q and %q", a, b)
	}
}

func TestLoadingManyPeopleTakesAsManyQueriesAsOne(t *testing.T) {
	h := open(t)
	ctx := context.Background()
	ids := []string{h.ann}
	for i := range 20 {
		id := h.Person(fmt.Sprint("p", i), "")
		h.Grant(h.system, h.Account(h.system, fmt.Sprint("p", i), id), h.groups["FINANCE"])
		ids = append(ids, id)
	}
	db, count := h.Counted()
	before := count()
	err := db.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		people, err := effective.Load(ctx, tx, ids, 0, time.Now())
		if len(people) != len(ids) {
			t.Errorf("got %d people; want %d", len(people), len(ids))
		}
		return err
	})
	if n := count() - before; err != nil || n > 8 {
		t.Errorf("got %d statements and %v; want at most 8", n, err)
	}
}

// TestStreamMissesNothingThatOneFinds compares both readings: what a person has of the named entitlements must be the
// same, or the first pass of a scan would leave somebody out.
func TestStreamMissesNothingThatOneFinds(t *testing.T) {
	h := open(t)
	h.role("Empty")
	h.item("submitted", h.role("Payer", "FINANCE"), "")
	h.reason(newID(), "AUDIT", "active", "user", newID(), "")
	h.Grant(h.system, h.account, h.groups["VENDOR-EDIT"])
	ctx := context.Background()
	named := []string{h.groups["PAY-RUN"], h.groups["AUDIT"], h.groups["VENDOR-EDIT"]}
	var got []string
	stream := func(after string) {
		got = nil
		if err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
			return effective.Stream(ctx, tx, effective.Range{After: after}, named, time.Hour, time.Now(),
				func(id string, entitlements []string) error {
					slices.Sort(entitlements)
					got = append(got, id+" "+strings.Join(slices.Compact(entitlements), ","))
					return nil
				})
		}); err != nil {
			t.Fatal(err)
		}
	}
	stream("")
	slices.Sort(named)
	if want := []string{h.ann + " " + strings.Join(named, ",")}; !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
	if stream(h.ann); len(got) != 0 {
		t.Errorf("got %v after the last person; want nobody", got)
	}
}
