package requestcatalog_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/govern/requestcatalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

const system = "0197a000-0000-7000-8000-000000000001"

// offer makes an entitlement that can be asked for; visibleTo is a condition or empty.
func offer(h *recordtest.House, name, visibleTo string) string {
	h.T.Helper()
	id := h.Entitlement(system, name)
	h.Exec(
		`update entitlement set requestable = true, business_description = 'what ' || name || ' is for',
			visible_to = nullif($2, '')::jsonb where id = $1`,
		id,
		visibleTo,
	)
	return id
}

// bundle makes a role that can be asked for.
func bundle(h *recordtest.House, key, visibleTo string, entitlements ...string) string {
	h.T.Helper()
	id := h.Strings(`insert into role (tenant_id, id, key, name, requestable, visible_to)
		values (current_tenant(), gen_random_uuid(), $1, $1, true, nullif($2, '')::jsonb)
		    returning id::text`, key, visibleTo)[0]
	h.Exec(
		`insert into role_entitlement (tenant_id, role_id, entitlement_id) select current_tenant(), $1,
			e from unnest($2::text[]::uuid[]) e`,
		id,
		entitlements,
	)
	return id
}

func visible(h *recordtest.House, person string, roles, entitlements []string) (why map[string]string) {
	h.T.Helper()
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) (err error) {
		why, err = requestcatalog.Visible(ctx, tx, person, roles, entitlements)
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return why
}

func TestWhatIsOfferedToSomebodySaysWhy(t *testing.T) {
	h := recordtest.Open(t, func(*pg.DB, *httpapi.Cursors) []httpapi.Route { return nil })
	boss := h.Person("boss", "")
	ada := h.Person("ada", h.Person("lead", boss))
	h.Exec(`update identity set department = 'Finance' where id = $1`, ada)
	account := h.Account(system, "ada", ada)
	held := h.Entitlement(system, "held")
	h.Grant(system, account, held)

	clerk := bundle(h, "clerk", "")
	h.Exec(
		`insert into role_assignment (tenant_id, id, role_id, identity_id, kind, state) values (current_tenant(),
			gen_random_uuid(), $1, $2, 'manual', 'active')`,
		clerk,
		ada,
	)
	open := offer(h, "open", "")
	finance := offer(
		h,
		"finance",
		`{"match": "all", "rules": [{"field": "department", "op": "eq", "value": "Finance"}]}`,
	)
	sales := offer(h, "sales", `{"match": "all", "rules": [{"field": "department", "op": "eq", "value": "Sales"}]}`)
	beneath := offer(h, "beneath", `{"match": "all", "rules": [{"op": "in_tree", "value": ["boss"]}]}`)
	clerks := offer(h, "clerks", `{"match": "all", "rules": [{"op": "has_role", "value": ["clerk"]}]}`)
	holders := offer(h, "holders", `{"match": "all", "rules": [{"op": "has_entitlement", "value": ["`+held+`"]}]}`)
	unreadable := offer(h, "unreadable", `{"no": "condition"}`)
	retired, gone, missing, fixed := offer(
		h,
		"retired",
		"",
	), offer(
		h,
		"gone",
		"",
	), offer(
		h,
		"missing",
		"",
	), offer(
		h,
		"fixed",
		"",
	)
	h.Exec(`update entitlement set lifecycle = 'deprecated' where id = $1`, retired)
	h.Exec(`update entitlement set removed_at = now() where id = $1`, gone)
	h.Exec(`update entitlement set missing_since = now() where id = $1`, missing)
	h.Exec(`update entitlement set grantable = false where id = $1`, fixed)
	draft := bundle(h, "draft", "")
	h.Exec(`update role set lifecycle = 'draft' where id = $1`, draft)

	got := visible(h, ada, []string{clerk, draft},
		[]string{open, finance, sales, beneath, clerks, holders, unreadable, retired, gone, missing, fixed, held})
	want := map[string]string{
		clerk: "open to all", open: "open to all",
		finance: `its condition is met: department is Finance`,
		beneath: `its condition is met: reports up to boss`,
		clerks:  `its condition is met: holds the role clerk`,
		holders: `its condition is met: holds the entitlement ` + held,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("offered to ada: -want +got\n%s", diff)
	}
	if got := visible(
		h,
		boss,
		nil,
		[]string{open, finance, beneath, clerks, holders},
	); len(got) != 1 ||
		got[open] == "" {
		t.Errorf("offered to boss: %v; want what is open to all", got)
	}
	if got := visible(h, "0197a000-0000-7000-8000-0000000000ff", nil, []string{open, finance}); len(got) != 1 {
		t.Errorf("offered to somebody who is not there: %v", got)
	}
}
