package connector_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/deletion"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// lived is a connector of which a person's account, an account without an owner, a deleted one, two entitlements and
// their grants were read; a role and a policy name it.
func (h *house) lived() (path string) {
	path = h.made(ldapPayload("A"))
	person, mine, orphan, gone := uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString()
	staff, old, role := uuid.NewString(), uuid.NewString(), uuid.NewString()
	h.exec(
		`insert into identity (tenant_id, id, external_id, display_name, status_source) values (current_tenant(), $1,
			'ann', 'Ann', 'hr')`,
		person,
	)
	for _, a := range []struct{ id, name, owner, status string }{{mine, "ann", person, "active"},
		{orphan, "svc", "", "active"}, {gone, "old", "", "deleted"}} {
		h.exec(
			`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, status, account_type,
			    row_hash, correlation_state)
			values (current_tenant(), $1, $2, $3, $3, nullif($4, '')::uuid, $5, case when $4 = '' then 'service'
			        else 'person' end, '\x00', case when $4 = '' then 'uncorrelated' else 'linked' end)`,
			a.id,
			id(path),
			a.name,
			a.owner,
			a.status,
		)
	}
	for _, e := range []struct{ id, name string }{{staff, "staff"}, {old, "old"}} {
		h.exec(
			`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
				values (current_tenant(), $1, $2, $3, $3, '\x00')`,
			e.id,
			id(path),
			e.name,
		)
	}
	for i, status := range []string{"active", "revoked"} {
		h.exec(
			`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, status, row_hash)
				values (current_tenant(), $1, $2, $3, $4, $5, '\x00')`,
			uuid.NewString(),
			id(path),
			mine,
			[]string{staff, old}[i],
			status,
		)
	}
	h.exec(`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, 'staff', 'Staff')`, role)
	h.exec(
		`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
		role,
		staff,
	)
	h.exec(
		`insert into access_policy (tenant_id, id, name, subject, resources) values (current_tenant(), $1, 'Birthright',
			'{}', jsonb_build_object('role_ids', jsonb_build_array($2::text)))`,
		uuid.NewString(),
		role,
	)
	return path
}

// counted is what figures count: accounts, orphaned accounts, entitlements, people with an account.
func (h *house) counted() (n [4]int64) {
	h.t.Helper()
	admin := viewer.Viewer{Tenant: h.tenant.Tenant, Kind: viewer.User, ID: "u", Roles: []viewer.Role{viewer.Admin}}
	err := h.service.DB.As(ctx, admin, func(tx *pg.Tx) error {
		accounts, err := account.Count(ctx, tx)
		if err != nil {
			return err
		}
		people, err := identity.Count(ctx, tx)
		if err != nil {
			return err
		}
		held, err := grant.Count(ctx, tx)
		n = [4]int64{accounts.Total, accounts.Orphaned, held.Total, people.Connected}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

const states = `select string_agg(s, ' ' order by s) from (
	select 'account ' || external_id || ' ' || status as s from account
	 union all
	select 'entitlement ' || external_id || ' ' || lifecycle || case when removed_at is null then ''
	    else ' removed' end from entitlement
	 union all
	select 'grant ' || status from access_grant) x`

func TestADeletedConnectorLeavesNoLivingAccessAndCanBeRestored(t *testing.T) {
	h := open(t)
	path := h.lived()
	before, was := h.counted(), h.text(states)
	if before != [4]int64{2, 1, 2, 1} {
		t.Fatalf("before: %v", before)
	}
	h.want(204, h.call("admin", "DELETE", path, nil))
	if after := h.counted(); after != [4]int64{} {
		t.Errorf("accounts, orphans, entitlements and connected people after the deletion: %v; want none", after)
	}
	want := "account ann disconnected account old deleted account svc disconnected entitlement old disconnected " +
		"removed " +
		"entitlement staff disconnected removed grant disconnected grant revoked"
	if got := h.text(states); got != want {
		t.Errorf("after the deletion: %s\nwant %s", got, want)
	}
	list := h.want(200, h.call("admin", "GET", "/connectors?status=deleted", nil))
	if list.body["total"] != 1.0 || !strings.Contains(list.text, `"restorable_until":"`) {
		t.Errorf("deleted connectors: %s", list.text)
	}
	a := h.want(200, h.call("admin", "POST", path+"/restore", nil))
	if a.body["status"] != "draft" || a.body["deleted_at"] != nil {
		t.Errorf("restored as %v, deleted at %v", a.body["status"], a.body["deleted_at"])
	}
	if after, is := h.counted(), h.text(states); after != before || is != was {
		t.Errorf("after the restoration: %v, %s\nwant %v, %s", after, is, before, was)
	}
	h.want(404, h.call("admin", "POST", path+"/restore", nil))
	h.want(200, h.call("admin", "GET", path, nil))
	if got := h.text(
		`select string_agg(action, ' ' order by seq) from audit_event`,
	); got != "connector.created connector.deleted connector.restored" {
		t.Errorf("audited: %s", got)
	}
}

func TestTheImpactOfADeletionNamesWhatItAffects(t *testing.T) {
	h := open(t)
	path := h.lived()
	a := h.want(200, h.call("admin", "GET", path+"/deletion-impact", nil))
	for member, want := range map[string]float64{"accounts": 2, "entitlements": 2, "grants": 1, "people": 1,
		"source_of": 0} {
		if a.body[member] != want {
			t.Errorf("%s: %v; want %v", member, a.body[member], want)
		}
	}
	var names []string
	for _, each := range a.body["affected"].([]any) {
		p := each.(map[string]any)
		names = append(names, p["kind"].(string)+" "+p["display"].(string))
	}
	if got := strings.Join(names, ", "); got != "policy Birthright, role Staff" {
		t.Errorf("affected: %s", got)
	}
	h.want(403, h.call("manager", "GET", path+"/deletion-impact", nil))
	h.want(404, h.call("other", "GET", path+"/deletion-impact", nil))
}

func TestWhatWasReadOfAConnectorIsErasedThirtyDaysAfterItsDeletion(t *testing.T) {
	h := open(t)
	path := h.lived()
	h.exec(`update account set email = 'ann@x.test', attributes = '{"mail": "ann@x.test"}'`)
	h.want(204, h.call("admin", "DELETE", path, nil))
	purge := func(in time.Duration) {
		t.Helper()
		for more := true; more; {
			err := h.service.DB.As(ctx, viewer.System(h.tenant.Tenant), func(tx *pg.Tx) (err error) {
				more, err = deletion.Purge(ctx, tx, time.Now().Add(in))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	purge(29 * 24 * time.Hour)
	if got := h.text(`select count(*) from account where status = 'disconnected'`); got != "2" {
		t.Errorf("a day before its time %s accounts were there; want 2", got)
	}
	purge(31 * 24 * time.Hour)
	if got := h.text(
		`select count(*) from account where email is null and attributes = '{}' and status = 'deleted'`,
	); got != "2" {
		t.Errorf("%s accounts were erased; want 2", got)
	}
	if got := h.text(`select count(*) from access_grant where status = 'revoked'`); got != "2" {
		t.Errorf("%s grants are revoked; want 2", got)
	}
	h.want(404, h.call("admin", "POST", path+"/restore", nil))
	if total := h.want(200, h.call("admin", "GET", "/connectors?status=deleted", nil)).body["total"]; total != 0.0 {
		t.Errorf("%v deleted connectors are shown", total)
	}
}

func TestARestoredConnectorNeedsItsBusinessID(t *testing.T) {
	h := open(t)
	path := h.made(ldapPayload("A"))
	h.want(204, h.call("admin", "DELETE", path, nil))
	h.made(ldapPayload("A"))
	if a := h.want(409, h.call("admin", "POST", path+"/restore", nil)); a.code() != "duplicate_business_id" {
		t.Errorf("got %s", a.text)
	}
}
