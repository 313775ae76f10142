package provision_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
)

// Many accounts are disabled by one call. One that may not be written to is refused and keeps nothing from the others.
func TestManyAccountsAreDisabledAtOnce(t *testing.T) {
	h := Open(t)
	she, he := h.person("ann"), h.person("ben")
	ann, ben := h.account("ann", she), h.account("ben", he)
	h.Exec(`update account set managed = 'protected' where id = $1`, ben)
	body := object("ids", []any{ann, ben, ann}, "note", "they have left")
	tasks := `select count(*) from provisioning_task where operation = 'disable'`
	dry := h.Must(200, "admin", "POST", "/accounts/bulk-disable?dry_run=true", body)
	if dry.Body["disabled"] != 1.0 || dry.Body["refused"] != 1.0 || h.Count(tasks) != 0 {
		t.Errorf("a dry run says %v and leaves %d tasks; want 1 disabled, 1 refused, none", dry.Body, h.Count(tasks))
	}
	done := h.Must(200, "admin", "POST", "/accounts/bulk-disable", body)
	if second := done.Body["results"].([]any)[1].(map[string]any); second["id"] != ben ||
		second["code"] != "account_protected" {
		t.Errorf("ben: %v; want account_protected", second)
	}
	h.drain()
	if a, b := h.accountOf(she), h.accountOf(he); a != "disabled" || b == "disabled" {
		t.Errorf("ann's account is %s and ben's %s", a, b)
	}
}

// The number of statements is the same for few accounts and for many.
func TestDisablingManyAccountsTakesAsManyStatementsAsDisablingFew(t *testing.T) {
	h := Open(t)
	staff := h.system("hr")
	taken := map[int]int64{}
	for _, n := range []int{10, 500} {
		h.Exec(`insert into account (tenant_id, id, connector_id, external_id, username, row_hash)
			select current_tenant(), gen_random_uuid(), case when i % 2 = 0 then $1::uuid else $2::uuid end,
			    $3 || '-' || i, $3 || '-' || i, ''
			  from generate_series(1, $3::text::int) i`, h.connector, staff, strconv.Itoa(n))
		ids := h.Strings(`select id::text from account where username like $1`, fmt.Sprintf("%d-%%", n))
		// Every other one waits to be enabled: the disabling takes its place.
		h.Exec(
			`insert into provisioning_task (tenant_id, id, connector_id, operation, account_id, created_from, mode,
			    state, idempotency_key)
			select current_tenant(), gen_random_uuid(), connector_id, 'enable', id, 'manual', 'auto', 'queued',
			    gen_random_uuid()
			  from account where username like $1 and connector_id = $2`,
			fmt.Sprintf("%d-%%", n),
			staff,
		)
		h.Must(
			200,
			"admin",
			"POST",
			"/accounts/bulk-disable?dry_run=true",
			object("ids", ids, "note", "they have left"),
		) // connectors are known
		db, count := h.Counted()
		before := count()
		var done order.BulkDisabled
		err := db.As(ctx, h.Tenant, func(tx *pg.Tx) (err error) {
			done, err = h.s.DisableAll(ctx, tx, order.BulkDisable{IDs: ids, Note: "they have left"})
			return err
		})
		if taken[n] = count() - before; err != nil || done.Disabled != n {
			t.Fatalf("disabled %d of %d, refused %d: %v", done.Disabled, n, done.Refused, err)
		}
	}
	if taken[10] != taken[500] || taken[10] == 0 {
		t.Errorf("%d statements for 10 accounts, %d for 500", taken[10], taken[500])
	}
	if n := h.Count(
		`select count(*) from provisioning_task where operation = 'disable' and state = 'queued'`,
	); n != 510 {
		t.Errorf("%d accounts are to be disabled; want 510", n)
	}
	if n := h.Count(
		`select count(*) from provisioning_task where operation = 'enable' and state = 'cancelled'`,
	); n != 255 {
		t.Errorf("%d of 255 orders to enable were replaced", n)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'provisioning.ordered'`); n != 510 {
		t.Errorf("%d orders were audited; want 510", n)
	}
	again := h.Must(
		200,
		"admin",
		"POST",
		"/accounts/bulk-disable",
		object("ids", []any{h.text(`select id::text from account where username = '10-1'`)}, "note", "again"),
	)
	if entry := again.Body["results"].([]any)[0].(map[string]any); entry["code"] != "task_open" {
		t.Errorf("disabled again: %v; want task_open", entry)
	}
}
