// Package separationtest makes duties, policies and access for tests of separation of duties.
package separationtest

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// World has a system with the groups VENDOR-EDIT, FINANCE, which is nested in PAY-RUN, and AUDIT; the duties Maintain
// vendors (VENDOR-EDIT) and Pay (PAY-RUN); and Ann, who has an account and no access.
type World struct {
	*recordtest.House
	System, Ann, Account string
	Groups               map[string]string // IDs by name
	Duties               map[string]string // IDs by name
}

// Open makes a world that is served by routes.
func Open(t testing.TB, routes func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route) *World {
	t.Helper()
	w := &World{Groups: map[string]string{}, Duties: map[string]string{}, System: NewID()}
	w.House = recordtest.Open(t, routes)
	w.Exec(`insert into connector (tenant_id, id, business_id, name, type, status)
		values (current_tenant(), $1, 'dir', 'Directory', 'ldap', 'active')`, w.System)
	w.Ann = w.Person("ann", "")
	w.Account = w.House.Account(w.System, "ann", w.Ann)
	for _, name := range []string{"VENDOR-EDIT", "FINANCE", "PAY-RUN", "AUDIT"} {
		w.Groups[name] = w.Entitlement(w.System, name)
	}
	w.Nest(w.System, w.Groups["FINANCE"], w.Groups["PAY-RUN"])
	w.Duty("Maintain vendors", "VENDOR-EDIT")
	w.Duty("Pay", "PAY-RUN")
	return w
}

// NewID returns a new ID.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Duty makes a duty of one group of entitlements.
func (w *World) Duty(name string, groups ...string) {
	w.T.Helper()
	id := NewID()
	w.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, $2)`, id, name)
	for i, g := range groups {
		w.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
			values (current_tenant(), $1, 0, $2, 'entitlement', $3)`, id, i, w.Groups[g])
	}
	w.Duties[name] = id
}

// Policy makes an enabled policy of the kind pair between two duties.
func (w *World) Policy(name, mode, onRequest, one, other string) string {
	w.T.Helper()
	id := NewID()
	a, b := w.Duties[one], w.Duties[other]
	w.Exec(`insert into separation_policy (tenant_id, id, name, mode, severity, kind, sides, duty_ids, effects)
		values (current_tenant(), $1, $2, $3, 'high', 'pair', jsonb_build_array(
		    jsonb_build_object('label', $4::text, 'duty_ids', jsonb_build_array($6::text)),
		    jsonb_build_object('label', $5::text, 'duty_ids', jsonb_build_array($7::text))),
		    array[$6::uuid, $7::uuid], jsonb_build_object('on_request', $8::text))`,
		id, name, mode, one, other, a, b, onRequest)
	return id
}

// Grants gives Ann a group directly, with everything that it is nested in, and returns the ID of the grant.
func (w *World) Grants(group string) string {
	w.T.Helper()
	return w.GrantTo(w.Account, group)
}

// GrantTo is Grants for another account.
func (w *World) GrantTo(account, group string) string {
	w.T.Helper()
	id := w.Grant(w.System, account, w.Groups[group])
	if group == "FINANCE" {
		w.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, directness)
			values (current_tenant(), $1, $2, $3, $4, 'inherited')`, NewID(), w.System, account, w.Groups["PAY-RUN"])
	}
	return id
}

// Except has an exception approved that allows Ann access to groups, with the item of a request. It returns the item.
func (w *World) Except(policy, status string, groups ...string) string {
	w.T.Helper()
	request, item, entitlements := NewID(), NewID(), []string{}
	for _, g := range groups {
		entitlements = append(entitlements, w.Groups[g])
	}
	w.Exec(`insert into access_request (tenant_id, id, number, requested_for, requested_by, kind, urgency,
		justification, status, preview)
		values (current_tenant(), $1, 7, $2, '{}', 'grant', 'normal', 'year end', 'fulfilled', '{}')`, request, w.Ann)
	w.Exec(`insert into access_request_item (tenant_id, id, request_id, position, beneficiary_id, kind, entitlement_id,
		status, given, ends_at)
		values (current_tenant(), $1, $2, 0, $3, 'grant', $4, $5, true, now() + interval '9 days')`,
		item, request, w.Ann, w.Groups[groups[0]], status)
	w.Exec(`insert into separation_exception (tenant_id, id, item_id, identity_id, policy_id, policy_version, severity,
		entitlement_ids, rule_id, rule_name, approved_by)
		values (current_tenant(), gen_random_uuid(), $1, $2, $3, 1, 'high', $4::text[]::uuid[], gen_random_uuid(),
		    'Security', '[{"type": "user", "display": "Tom"}]')`, item, w.Ann, policy, entitlements)
	return item
}

// As runs a function in a transaction of the tenant's system.
func (w *World) As(fn func(ctx context.Context, tx *pg.Tx) error) {
	w.T.Helper()
	ctx := context.Background()
	if err := w.DB.As(ctx, w.Tenant, func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		w.T.Fatal(err)
	}
}
