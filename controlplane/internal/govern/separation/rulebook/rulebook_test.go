package rulebook_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// house is a tenant with two systems.
type house struct {
	*recordtest.House
	bank, shop string
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{House: recordtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })}
	h.bank, h.shop = h.system("Bank"), h.system("Shop")
	return h
}

func (h *house) system(name string) string {
	id := newID()
	h.Exec(`insert into connector (tenant_id, id, business_id, name, type)
		values (current_tenant(), $1, $2, $2, 'ldap')`, id, name)
	return id
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// duty makes a duty with a member in each of its groups. A member is a column of duty_member and its value.
func (h *house) duty(name string, groups ...map[string]string) string {
	h.T.Helper()
	id := newID()
	h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, $2)`, id, name)
	for g, m := range groups {
		h.Exec(
			`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id, role_id, duty_tag,
				connector_id, external_id)
			values (current_tenant(), $1, $2, 0, $3, nullif($4, '')::uuid, nullif($5, '')::uuid, nullif($6, ''),
				nullif($7, '')::uuid, nullif($8, ''))`,
			id,
			g,
			m["kind"],
			m["entitlement"],
			m["role"],
			m["tag"],
			m["connector"],
			m["external"],
		)
	}
	return id
}

// pair makes an enforced policy of two duties.
func (h *house) pair(name, first, second string) (id string) {
	h.T.Helper()
	h.do(func(tx *pg.Tx) error {
		p, err := separationpolicy.Create(
			context.Background(),
			tx,
			separationpolicy.New{Fields: pairOf(name, first, second)},
		)
		id = p.ID
		return err
	})
	return id
}

func pairOf(name, first, second string) separationpolicy.Fields {
	return separationpolicy.Fields{
		Name: name, Kind: "pair", Mode: separationpolicy.Enforce, Enabled: true,
		Sides: []separationpolicy.Side{{DutyIDs: []string{first}}, {DutyIDs: []string{second}}},
	}
}

func (h *house) do(what func(tx *pg.Tx) error) {
	h.T.Helper()
	if err := h.DB.As(context.Background(), h.Tenant, what); err != nil {
		h.T.Fatal(err)
	}
}

func (h *house) book() (b *rulebook.Book) {
	h.T.Helper()
	h.do(func(tx *pg.Tx) (err error) {
		b, err = rulebook.For(context.Background(), tx)
		return err
	})
	return b
}

// suspected reports whether a person with these entitlements may violate a policy.
func suspected(b *rulebook.Book, entitlements ...string) bool {
	return len(b.Rules.NewPass().Suspects(entitlements)) > 0
}

func TestMembersOfAllKindsAreEntitlementsOfADuty(t *testing.T) {
	h := open(t)
	pay := h.duty("Pay", map[string]string{"kind": "entitlement", "entitlement": h.Entitlement(h.bank, "pay-run")})
	payRun := h.Strings(`select id::text from entitlement where name = 'pay-run'`)[0]
	named := h.Entitlement(h.shop, "vendor-edit")
	tagged := h.Entitlement(h.bank, "tagged")
	h.Exec(`update entitlement set duty_tags = '{vendors}' where id = $1`, tagged)
	inRole, inChild := h.Entitlement(h.bank, "in-role"), h.Entitlement(h.bank, "in-child")
	role, child := newID(), newID()
	for id, key := range map[string]string{role: "buyer", child: "clerk"} {
		h.Exec(`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, $2, $2)`, id, key)
	}
	h.Exec(`insert into role_child (tenant_id, role_id, child_id) values (current_tenant(), $1, $2)`, role, child)
	for of, e := range map[string]string{role: inRole, child: inChild} {
		h.Exec(
			`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
			of,
			e,
		)
	}
	for kind, tt := range map[string]struct {
		member map[string]string
		holds  []string
	}{
		"entitlement": {map[string]string{"kind": "entitlement", "entitlement": named}, []string{named}},
		"connector":   {map[string]string{"kind": "connector", "connector": h.shop}, []string{named}},
		"external": {
			map[string]string{"kind": "external", "connector": h.shop, "external": h.Strings(
				`select external_id from entitlement where id = $1`, named)[0]},
			[]string{named},
		},
		"duty_tag": {map[string]string{"kind": "duty_tag", "tag": "vendors"}, []string{tagged}},
		"role":     {map[string]string{"kind": "role", "role": role}, []string{inRole, inChild}},
	} {
		policy := h.pair(kind, h.duty(kind, tt.member), pay)
		b := h.book()
		for _, e := range tt.holds {
			if !suspected(b, e, payRun) {
				t.Errorf("%s: %s and the payment run are no conflict", kind, e)
			}
		}
		if suspected(b, payRun) || suspected(b, tt.holds[0]) {
			t.Errorf("%s: one side alone is a conflict", kind)
		}
		if b.Policies[policy].Blind() || b.Policies[policy].Name != kind || b.Policies[policy].OnRequest != "block" {
			t.Errorf("%s: policy %+v", kind, b.Policies[policy])
		}
		h.Exec(`update separation_policy set enabled = false where id = $1`, policy)
	}
}

func TestAMemberThatIsNotReadYetCountsOnceItIs(t *testing.T) {
	h := open(t)
	payRun := h.Entitlement(h.bank, "pay-run")
	pay := h.duty("Pay", map[string]string{"kind": "entitlement", "entitlement": payRun})
	vendors := h.duty("Vendors", map[string]string{"kind": "external", "connector": h.shop, "external": "vendor-edit"})
	policy := h.pair("Vendors and payments", vendors, pay)
	b := h.book()
	if got := b.Policies[policy].BlindSides; !slices.Equal(got, []int{0}) {
		t.Errorf("blind sides %v; want the first", got)
	}
	if again := h.book(); again != b {
		t.Error("nothing has changed, and the policies were loaded again")
	}
	h.Exec(`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		values (current_tenant(), $1, $2, 'something else', 'x', '')`, newID(), h.shop)
	if again := h.book(); again != b {
		t.Error("another entitlement was read, and the policies were loaded again")
	}
	read := newID()
	h.Exec(`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		values (current_tenant(), $1, $2, 'vendor-edit', 'Edit vendors', '')`, read, h.shop)
	b = h.book()
	if !suspected(b, read, payRun) || b.Policies[policy].Blind() {
		t.Error("the entitlement was read, and is not part of the duty")
	}
	h.Exec(`update entitlement set removed_at = now() where id = $1`, read)
	if b = h.book(); !b.Policies[policy].Blind() {
		t.Error("the only entitlement of a side is gone, and the policy is not blind")
	}
}

func TestAChangeThatIsNotCommittedStaysInItsTransaction(t *testing.T) {
	h := open(t)
	payRun, edit := h.Entitlement(h.bank, "pay-run"), h.Entitlement(h.shop, "edit")
	pay := h.duty("Pay", map[string]string{"kind": "entitlement", "entitlement": payRun})
	vendors := h.duty("Vendors", map[string]string{"kind": "entitlement", "entitlement": edit})
	undone := errors.New("undone")
	err := h.DB.As(context.Background(), h.Tenant, func(tx *pg.Tx) error {
		made, err := separationpolicy.Create(context.Background(), tx,
			separationpolicy.New{Fields: pairOf("tried", pay, vendors)})
		if err != nil {
			return err
		}
		if b, err := rulebook.For(context.Background(), tx); err != nil || b.Policies[made.ID].Name != "tried" {
			t.Errorf("its own transaction does not see the policy: %v", err)
		}
		return undone
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	if b := h.book(); len(b.Policies) != 0 {
		t.Errorf("a policy that was rolled back is evaluated: %v", b.Policies)
	}
	h.do(func(tx *pg.Tx) error {
		if _, err := separationpolicy.Create(context.Background(), tx,
			separationpolicy.New{Fields: pairOf("first", pay, vendors)}); err != nil {
			return err
		}
		if _, err := rulebook.For(context.Background(), tx); err != nil {
			return err
		}
		_, err := separationpolicy.Create(context.Background(), tx,
			separationpolicy.New{Fields: pairOf("second", pay, vendors)})
		return err
	})
	if b := h.book(); len(b.Policies) != 2 {
		t.Errorf("%d policies; want both of one transaction", len(b.Policies))
	}
}

func TestAPolicyIsEvaluatedWhileItIsValid(t *testing.T) {
	h := open(t)
	pay := h.duty("Pay", map[string]string{"kind": "connector", "connector": h.bank})
	vendors := h.duty("Vendors", map[string]string{"kind": "connector", "connector": h.shop})
	policy := h.pair("Vendors and payments", vendors, pay)
	for _, tt := range []struct {
		from, to string
		want     int
	}{
		{"null", "null", 1},
		{"now() + interval '1 hour'", "null", 0},
		{"null", "now() - interval '1 hour'", 0},
		{"now() - interval '1 hour'", "now() + interval '1 hour'", 1},
	} {
		h.Exec(`update separation_policy set valid_from = `+tt.from+`, valid_to = `+tt.to+` where id = $1`, policy)
		if b := h.book(); len(b.Policies) != tt.want {
			t.Errorf("valid from %s to %s: %d policies; want %d", tt.from, tt.to, len(b.Policies), tt.want)
		}
	}
}

func TestOldRevisionsAreDeleted(t *testing.T) {
	h := open(t)
	for range 70 {
		h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, $2)`, newID(), newID())
	}
	if n := h.Count(`select count(*) from separation_change`); n > 65 {
		t.Errorf("%d rows; want 65 at most", n)
	}
	first := h.book()
	h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, 'one more')`, newID())
	if second := h.book(); first.Revision == second.Revision {
		t.Error("a change after the deletion of old rows has the same revision")
	}
}
