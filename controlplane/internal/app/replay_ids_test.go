package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// twin is one of two tenants that hold the same under the same names: what differs are ids, and a canary in every text.
type twin struct {
	*site
	canary string
	ids    map[string]string // by the beginning of the paths that name it
	event  string
	heard  func() string // what its webhook has received

	document map[string]any // /openapi.json
}

// twins are acme and another tenant, each with one of everything.
func twins(t *testing.T) (a, b *twin) {
	t.Helper()
	first := newSite(t)
	made, err := tenant.Bootstrap{
		Slug:          "twin",
		Name:          "Acme",
		AdminEmail:    "b@acme.test",
		AdminPassword: password,
	}.Run(
		t.Context(),
		first.db,
	)
	if err != nil {
		t.Fatal(err)
	}
	second := *first
	second.tenant = viewer.System(made.Tenant.ID)
	for _, s := range []*site{first, &second} {
		s.run(`update tenant set limits = '{"rps": 10000, "burst": 100000}' where id = current_tenant()`)
	}
	second.token = first.as("", "POST", "/auth/login", map[string]any{"email": "b@acme.test", "password": password}).
		is(t, "sign in", 200, "").
		text("access_token")
	// The second one is there when the first comes: whatever it then sees of the first, it did not see before.
	b = (&twin{site: &second, canary: "CANARY-B-" + uuid.NewString()}).furnish()
	before := b.totals()
	a = (&twin{site: first, canary: "CANARY-A-" + uuid.NewString()}).furnish()
	for path, total := range b.totals() {
		if total != before[path] && !strings.HasPrefix(path, "/audit-events") {
			t.Errorf("GET %s counted %s, and %s when the other tenant was there", path, before[path], total)
		}
	}
	return a, b
}

// furnish makes one of everything through the API, and what only a sync makes by SQL.
func (w *twin) furnish() *twin {
	w.t.Helper()
	endpoint := w.endpoint()
	w.ids = map[string]string{}
	if err := json.Unmarshal([]byte(w.get("/openapi.json", "")), &w.document); err != nil {
		w.t.Fatal(err)
	}
	made := func(path string, body map[string]any) {
		w.ids[path+"/"] = w.call("POST", path, body, 201)["id"].(string)
	}
	c := w.canary
	made(
		"/settings/webhooks",
		map[string]any{"name": c, "url": endpoint, "events": []string{"identity.created", "identity.deactivated"}},
	)
	made(
		"/identities",
		map[string]any{
			"external_id": "e1",
			"email":       "someone@acme.test",
			"first_name":  c,
			"last_name":   "Someone",
			"department":  c,
		},
	)
	made("/settings/users", map[string]any{"email": "user@acme.test", "display_name": c, "roles": []string{"manager"}})
	made("/settings/sign-in-rules", map[string]any{"name": c, "invitation": "mail"})
	made("/settings/agents", map[string]any{"name": "site", "description": c})
	made("/settings/api-tokens", map[string]any{"name": c, "role": "admin", "scopes": []string{"identities:read"}})
	made("/settings/audit-streams", map[string]any{"name": c, "kind": "https", "url": endpoint, "enabled": false})
	made(
		"/settings/identity-providers",
		map[string]any{"name": "corp", "issuer": "https://127.0.0.1:9443", "client_id": c, "enabled": false},
	)
	made(
		"/connectors",
		map[string]any{"business_id": "hr", "name": c, "type": "rest", "description": c, "connection": map[string]any{
			"base_url":    "https://127.0.0.1:9",
			"auth_method": "none",
			"streams": []any{
				map[string]any{"name": "users", "object": "user", "request": map[string]any{"path": "/u"}},
			},
		}},
	)
	w.read()
	w.ids["/auth/passkeys/"] = w.told(`
		insert into passkey (tenant_id, id, user_id, name, relying_party, credential_id, public_key, syncable, backed_up)
		select tenant_id, gen_random_uuid(), id, 'k', 'localhost', '', '', false, false
		  from app_user
		 limit 1
		returning id::text`)[0]
	w.ids["/auth/sessions/"] = w.as(w.token, "GET", "/auth/sessions", nil).column("id")[0]
	w.ids["/audit-events/"] = w.as(w.token, "GET", "/audit-events", nil).column("id")[0]
	deliveries := "/settings/webhooks/" + w.ids["/settings/webhooks/"] + "/deliveries"
	until(w.t, "the webhook hears nothing", func() bool { return w.heard() != "" })
	w.ids["delivery"] = w.as(w.token, "GET", deliveries, nil).column("id")[0]
	w.event = w.told(`select id::text from event limit 1`)[0]
	until(w.t, "work is still waiting", w.idle)
	return w
}

// idle is whether no worker will change the tenant's rows during the next minutes.
func (w *twin) idle() bool {
	return w.told(`select count(*)::text from work_item
	                where state = 'waiting' and due_at < now() + interval '5 minutes'`)[0] == "0"
}

// endpoint is where this tenant's webhook arrives.
func (w *twin) endpoint() string {
	var mu sync.Mutex
	var all strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(&all, r.Header, string(b))
	}))
	w.t.Cleanup(server.Close)
	w.heard = func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
	return server.URL
}

// read makes what a run of the connector would have made.
func (w *twin) read() {
	w.t.Helper()
	for _, kind := range []string{"/accounts/", "/accounts/provisioning-tasks/", "/entitlements/",
		"/entitlements/grants/", "/entitlements/roles/", "/policies/access-grant/", "/policies/decision-tables/",
		"/policies/violations/", "/policies/requirement-gaps/",
		"/policies/mitigation/", "/policies/mitigations/", "evidence", "/policies/duties/",
		"other duty", "/policies/separation-of-duties/", "/policies/separation-of-duties/simulations/", "/approval-rules/",
		"/approval-rules/calendars/", "/approval-rules/on-call/", "/sector-packs/conflicts/", "/decision-tasks/",
		"/decision-tasks/delegations/", "/access-requests/", "item", "approval", "run", "hold", "snapshot", "diff",
		"mapping", "/settings/work-queue/", "/settings/notifications/deliveries/"} {
		w.ids[kind] = uuid.Must(uuid.NewV7()).String()
	}
	connector, run := w.ids["/connectors/"], w.ids["run"]
	w.run(
		`insert into schema_snapshot (tenant_id, id, connector_id, source, objects, digest) values (current_tenant(),
			$1, $2, 'rediscover', '[]', $3)`,
		w.ids["snapshot"],
		connector,
		w.canary,
	)
	w.run(
		`insert into schema_diff (tenant_id, id, connector_id, from_snapshot_id, to_snapshot_id, base_snapshot_id,
	           added, removed, type_changed)
	       values (current_tenant(), $1, $2, $3, $3, $3, jsonb_build_array(jsonb_build_object('path', $4::text)), '[]',
	           '[]')`,
		w.ids["diff"],
		connector,
		w.ids["snapshot"],
		w.canary,
	)
	w.run(
		`insert into field_mapping (tenant_id, id, connector_id, position, object, source_path, target_field, action)
			values (current_tenant(), $1, $2, 0, 'identity', $3, 'email', 'map')`,
		w.ids["mapping"],
		connector,
		w.canary,
	)
	w.run(
		`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, status, is_locked,
	           correlation_state, row_hash)
	       values (current_tenant(), $1, $2, 'a1', $3, $4, 'locked', true, 'linked', '')`,
		w.ids["/accounts/"],
		connector,
		w.canary,
		w.ids["/identities/"],
	)
	w.run(`insert into entitlement (tenant_id, id, connector_id, external_id, name, display_name, owner_ids, row_hash)
	       values (current_tenant(), $1, $2, 'g1', $3, $3, array[$4::uuid],
	           '')`, w.ids["/entitlements/"], connector, w.canary, w.ids["/identities/"])
	w.run(
		`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, external_id)
			values (current_tenant(), $1, $2, $3, $4, $5)`,
		w.ids["/entitlements/grants/"],
		connector,
		w.ids["/accounts/"],
		w.ids["/entitlements/"],
		w.canary,
	)
	w.run(
		`insert into provisioning_task (tenant_id, id, connector_id, operation, account_id, created_from, mode, state,
	           idempotency_key, note)
	       values (current_tenant(), $1, $2, 'unlock', $3, 'manual', 'auto', 'failed', gen_random_uuid(), $4)`,
		w.ids["/accounts/provisioning-tasks/"],
		connector,
		w.ids["/accounts/"],
		w.canary,
	)
	w.run(
		`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, 'clerk', $2)`,
		w.ids["/entitlements/roles/"],
		w.canary,
	)
	w.run(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, finished_at)
			values (current_tenant(), $1, $2, 'rest', false, 100, 'partial', now())`,
		run,
		connector,
	)
	w.run(
		`insert into sync_change (tenant_id, run_id, connector_id, object, change, object_id, external_id, display,
	           guard, state)
	       values (current_tenant(), $1, $2, 'account', 'remove', $3, 'a1', $4, 'account_missing', 'held')`,
		run,
		connector,
		w.ids["/accounts/"],
		w.canary,
	)
	w.run(
		`insert into sync_error (tenant_id, run_id, object, external_id, code, message) values (current_tenant(), $1,
			'account', 'a1', 'invalid_value', $2)`,
		run,
		w.canary,
	)
	w.run(`insert into access_policy (tenant_id, id, name, enabled, subject, resources)
	       values (current_tenant(), $1, $2, false, '{"match": "all", "rules": []}', jsonb_build_object('connector_ids', array[$3::text]))`, w.ids["/policies/access-grant/"], w.canary, connector)
	w.run(decisionTableSQL, w.ids["/policies/decision-tables/"], w.canary, w.ids["/entitlements/"])
	for name, duty := range map[string]string{w.canary: "/policies/duties/", "other": "other duty"} {
		w.run(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, $2)`, w.ids[duty], name)
		w.run(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, duty_tag)
	       values (current_tenant(), $1, 0, 0, 'duty_tag', $2)`, w.ids[duty], name)
	}
	w.run(`insert into separation_policy (tenant_id, id, name, kind, sides, duty_ids)
	       values (current_tenant(), $1, $2, 'pair', jsonb_build_array(
	           jsonb_build_object('label', $2::text, 'duty_ids', array[$3::text]),
	           jsonb_build_object('label', 'b', 'duty_ids', array[$4::text])), array[$3, $4]::text[]::uuid[])`,
		w.ids["/policies/separation-of-duties/"], w.canary, w.ids["/policies/duties/"], w.ids["other duty"])
	w.run(simulationSQL, w.ids["/policies/separation-of-duties/simulations/"], w.canary,
		w.ids["/identities/"])
	w.run(violationSQL, w.ids["/policies/violations/"], w.ids["/identities/"], w.canary,
		w.ids["/entitlements/grants/"])
	w.run(controlSQL, w.ids["/policies/mitigation/"], w.canary)
	w.run(mitigationSQL, w.ids["/policies/mitigations/"], w.ids["/policies/mitigation/"], w.ids["/identities/"],
		w.ids["/policies/violations/"])
	w.run(evidenceSQL, w.ids["evidence"], w.ids["/policies/mitigations/"], w.canary)
	w.run(
		gapSQL,
		w.ids["/policies/requirement-gaps/"],
		w.ids["/policies/access-grant/"],
		w.ids["/identities/"],
		w.canary,
	)
	// A scan would settle the violation, of which there is no policy, and nobody is asked about it.
	w.run(`delete from work_item where kind like 'separation%' or kind in ('inbox_sod_violation', 'mitigation',
		'inbox_requirement_gap')
		or kind like 'inbox_mitigation%'`)
	w.run(`insert into approval_rule (tenant_id, id, name, branches)
	       values (current_tenant(), $1, $2, '[{"outcome": {"kind": "auto_reject", "reason": "x"}}]')`,
		w.ids["/approval-rules/"], w.canary)
	w.run(
		`insert into work_calendar (tenant_id, id, name, timezone, week) values (current_tenant(), $1, $2, 'UTC', '{"monday": [{"from": "09:00", "to": "17:00"}]}')`,
		w.ids["/approval-rules/calendars/"],
		w.canary,
	)
	w.run(
		`insert into on_call_schedule (tenant_id, id, name, identity_ids, shift, starts_at) values (current_tenant(),
			$1, $2, array[$3::uuid], 'P7D', now())`,
		w.ids["/approval-rules/on-call/"],
		w.canary,
		w.ids["/identities/"],
	)
	w.run(`insert into decision_task (tenant_id, id, kind, key, subject, source, title, actions, roles)
	       values (current_tenant(), $1, 'sync_hold', 'k', jsonb_build_object('type', 'identity', 'id', $2::text, 'display', $3::text), '{}', $3, '[{"key": "approve"}]', '{admin}')`,
		w.ids["/decision-tasks/"], w.ids["/identities/"], w.canary)
	w.run(
		`insert into access_request (tenant_id, id, number, requested_for, requested_by, justification, searched, status)
	       values (current_tenant(), $1, 1, $2, '{"type": "system", "id": "", "display": "system"}', $3, $3, 'pending_approval')`,
		w.ids["/access-requests/"],
		w.ids["/identities/"],
		w.canary,
	)
	w.run(
		`insert into access_request_item (tenant_id, id, request_id, position, beneficiary_id, kind, entitlement_id, display, status, plan)
	       values (current_tenant(), $1, $2, 0, $3, 'grant', $4, $5, 'pending_approval', '{"outcome": "chain"}')`,
		w.ids["item"],
		w.ids["/access-requests/"],
		w.ids["/identities/"],
		w.ids["/entitlements/"],
		w.canary,
	)
	w.run(`insert into decision_task (tenant_id, id, kind, key, subject, source, title, actions, roles)
	       values (current_tenant(), $1, 'request_approval', 'r', jsonb_build_object('type', 'access_request_item', 'id', $2::text), jsonb_build_object('type', 'access_request', 'id', $3::text), $4,
	               '[{"key": "approve", "requires": []}]', '{admin}')`, w.ids["approval"], w.ids["item"],
		w.ids["/access-requests/"], w.canary)
	w.run(`insert into decision_delegation (tenant_id, id, delegator_id, delegate_id, starts_at, reason)
	       values (current_tenant(), $1, $2, gen_random_uuid(), now() + interval '1 year',
	           $3)`, w.ids["/decision-tasks/delegations/"], w.ids["/identities/"], w.canary)
	w.run(
		`with i as (insert into sector_pack_installation (tenant_id, id, pack_key, pack_version)
	           values (current_tenant(), gen_random_uuid(), 'of-ours', '1.0.0') returning id)
	       insert into sector_pack_conflict (tenant_id, id, installation_id, kind, object_key, fields, mine)
	       select current_tenant(), $1, i.id, 'role', 'clerk', '{name}', jsonb_build_object('name', $2::text) from i`,
		w.ids["/sector-packs/conflicts/"],
		w.canary,
	)
	w.run(`insert into mail_message (tenant_id, id, kind, address, subject, state)
	       values (current_tenant(), $1, 'task.assigned', 'ann@example.org', $2, 'failed')`,
		w.ids["/settings/notifications/deliveries/"], w.canary)
	w.run(
		`insert into work_item (tenant_id, public_id, kind, subject, state, attempts, last_error, failed_at)
			values (current_tenant(), $1, 'drift', gen_random_uuid(), 'dead', 8, $2, now())`,
		w.ids["/settings/work-queue/"],
		w.canary,
	)
	w.run(
		`insert into sync_hold (tenant_id, id, run_id, connector_id, kind, rule, allowed, observed, population, cause,
	           digest, expires_at)
	       values (current_tenant(), $1, $2, $3, 'account_missing', 'limit', 0, 1, 1, $4, '\x00',
	           now() + interval '1 day')`,
		w.ids["hold"],
		run,
		connector,
		w.canary,
	)
}

// id is what a path's {id} stands for.
func (w *twin) id(path string) string {
	best := ""
	for prefix := range w.ids {
		if strings.HasPrefix(path, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	if strings.HasPrefix(path, "/control-plane/tenants/") {
		return w.tenant.Tenant
	}
	return w.ids[best]
}

// neededQueries are what operations on one resource need beside the id.
var neededQueries = map[string]string{"/settings/work-queue/{id}": "?reason=x"}

// path fills in the ids of a path: {id} is outer's, what is beneath it inner's.
func path(template string, outer, inner *twin) string {
	return strings.NewReplacer("{id}", outer.id(template), "{run_id}", inner.ids["run"], "{evidence_id}", inner.ids["evidence"],
		"{delivery_id}",
		inner.ids["delivery"], "{item_id}", inner.ids["item"],
		"{snapshot_id}", inner.ids["snapshot"], "{diff_id}", inner.ids["diff"], "{mapping_id}", inner.ids["mapping"],
		"{identity_id}", inner.ids["/identities/"],
		"{other_id}", inner.id(template), "{key}", "ldap").
		Replace(template + neededQueries[template])
}

// decisionTableSQL makes a policy with a decision table, which assigns an entitlement.
const decisionTableSQL = `
	insert into access_policy (tenant_id, id, name, enabled, subject, resources, lifecycle, decision_table)
	values (current_tenant(), $1, $2, false, '{"match": "all", "rules": []}',
	        jsonb_build_object('entitlement_ids', array[$3::text]), '{"when": ["active"], "on_no_match": "end_now"}',
	        jsonb_build_object('hit_policy', 'all', 'columns', array['department'], 'rows', jsonb_build_array(
	            jsonb_build_object('cells', array['Nursing'], 'entitlement_ids', array[$3::text], 'comment', $2::text))))`

// body fills in what a body names of another tenant.
func (w *twin) body(text string, other *twin) string {
	fill := []string{"<yesterday>", time.Now().AddDate(0, 0, -1).UTC().Format(time.RFC3339), "<event>", other.event}
	for name, prefix := range map[string]string{"identity": "/identities/", "account": "/accounts/",
		"connector": "/connectors/", "agent": "/settings/agents/",
		"user": "/settings/users/", "entitlement": "/entitlements/", "grant": "/entitlements/grants/",
		"task": "/decision-tasks/", "item": "item", "approval": "approval", "role": "/entitlements/roles/",
		"table": "/policies/decision-tables/", "duty": "/policies/duties/", "control": "/policies/mitigation/", "mitigation": "/policies/mitigations/", "violation": "/policies/violations/",
		"policy": "/policies/separation-of-duties/", "other duty": "other duty", "rule": "/approval-rules/", "sign-in rule": "/settings/sign-in-rules/", "calendar": "/approval-rules/calendars/", "schedule": "/approval-rules/on-call/"} {
		fill = append(fill, "<own "+name+">", w.ids[prefix], "<"+name+">", other.ids[prefix])
	}
	if strings.Contains(text, "<safety>") {
		return safety(w.as(w.token, "GET", "/connectors/"+w.ids["/connectors/"]+"/safety", nil))
	}
	return strings.NewReplacer(fill...).Replace(text)
}

// safety are a connector's safety settings as they are written.
func safety(r reply) string {
	for member := range r.body {
		if !slices.Contains([]string{"limits", "window", "total_loss", "hold_scope", "hold_ttl", "deletion"}, member) {
			delete(r.body, member)
		}
	}
	return written(r.body)
}

func written(value any) string {
	b, _ := json.Marshal(value)
	return string(b)
}

// notIDs are members that are called like ids: names that a tenant gives, and what an agent says of itself.
var notIDs = []string{"business_id", "external_id", "manager_external_id", "client_id", "boot_id"}

// idMembers are the members of an operation's body that take ids.
func (w *twin) idMembers(described map[string]any) (names []string) {
	var walk func(name string, schema any)
	walk = func(name string, schema any) {
		s, _ := schema.(map[string]any)
		if ref, is := s["$ref"].(string); is {
			walk(
				name,
				w.document["components"].(map[string]any)["schemas"].(map[string]any)[ref[strings.LastIndex(ref,
					"/")+1:]],
			)
			return
		}
		if s["format"] == "uuid" || strings.HasSuffix(name, "_id") && !slices.Contains(notIDs, name) {
			names = append(names, name)
		}
		if s["items"] != nil {
			walk(name, s["items"])
		}
		members, _ := s["properties"].(map[string]any)
		for member, of := range members {
			walk(member, of)
		}
	}
	request, _ := described["requestBody"].(map[string]any)
	content, _ := request["content"].(map[string]any)
	media, _ := content["application/json"].(map[string]any)
	walk("", media["schema"])
	return names
}

// totals are what every list counts, as the admin, with the tenant's own ids.
func (w *twin) totals() map[string]string {
	w.t.Helper()
	found := map[string]string{}
	for at, methods := range w.described() {
		at = strings.TrimPrefix(at, "/api/v1")
		if _, reads := methods["get"]; !reads || strings.HasPrefix(at, "/control-plane") ||
			strings.HasSuffix(at, "/events") {
			continue
		}
		if r := w.as(w.token, "GET", path(at, w, w), nil); r.body["total"] != nil {
			found[at] = fmt.Sprint(r.body["total"])
		}
	}
	if len(found) < 25 {
		w.t.Fatalf("only %d lists", len(found))
	}
	return found
}

// standing is what every table holds of the tenant, told by a sum a table.
func (w *twin) standing() map[string]string {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.database.AdminURL)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close(w.t.Context())
	rows, err := conn.Query(w.t.Context(), `
		select c.relname
		  from pg_class c
		  join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
		 where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname not in ('audit_checkpoint',
		     'provisioning_lane', 'provisioning_round')`)
	if err != nil {
		w.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 30 {
		w.t.Fatalf("%d tables, %v", len(tables), err)
	}
	sums := map[string]string{}
	for _, table := range tables {
		var sum string
		err := conn.QueryRow(w.t.Context(), `select count(*) || ' rows ' || coalesce(md5(string_agg(t::text, '|'
			order by t::text)), '') from `+
			pgx.Identifier{table}.Sanitize()+` t where tenant_id = $1`, w.tenant.Tenant).
			Scan(&sum)
		if err != nil {
			w.t.Fatalf("%s: %v", table, err)
		}
		sums[table] = sum
	}
	return sums
}

// silent complains of whatever an answer tells of the other tenant.
func (w *twin) silent(what string, r reply, other *twin) {
	w.t.Helper()
	if all := fmt.Sprint(r.raw, r.header); strings.Contains(all, other.canary) {
		w.t.Errorf("%s tells of the other tenant: %.500s", what, all)
	}
}

var ids = regexp.MustCompile(`\{(id|run_id|delivery_id|item_id|snapshot_id|diff_id|mapping_id|identity_id|other_id)\}`)

// TestNoIdOfAnotherTenantOpensAnything sends every operation with every id of another tenant, which holds the same
// under the same names, and looks that nothing of it arrives, counts or changes.
func TestNoIdOfAnotherTenantOpensAnything(t *testing.T) {
	a, b := twins(t)
	_, integration := b.integration("admin", b.as(b.token, "GET", "/settings/api-tokens/scopes", nil).column("scope"))
	bodies := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(sent), "\n") {
		f := strings.Fields(line)
		bodies[f[0]+" "+f[1]] = strings.Join(f[2:], " ")
	}
	before, counted := a.standing(), b.totals()
	tried := map[string]bool{}
	for _, o := range b.operations() {
		if !ids.MatchString(o.path) {
			continue
		}
		described := b.described()["/api/v1"+o.path][strings.ToLower(o.method)]
		text, known := bodies[o.String()]
		if _, takes := described["requestBody"]; takes && !known && o.who != "operators" && o.method != "DELETE" {
			t.Errorf("%s takes a body, and the table has none", o)
		}
		delete(bodies, o.String())
		for _, at := range []string{path(o.path, a, a), path(o.path, b, a), path(o.path, a, b)} {
			if at == path(o.path, b, b) {
				continue // whose only id is b's own
			}
			for _, token := range []string{b.token, integration} {
				r := b.as(token, o.method, at, b.body(text, a))
				what := o.method + " " + at
				b.silent(what, r, a)
				refused := r.status == 404 && r.text("code") == "not_found"
				if o.who == "operators" || token == integration && o.family == "-" {
					refused = r.status == 403
				}
				if !refused {
					t.Errorf(
						"%s = %d %s; want it refused as if there were nothing (%.200s)",
						what,
						r.status,
						r.text("code"),
						r.raw,
					)
				}
				if r.status == 404 {
					b.never(o.method, at, b.body(text, a), token, r, a)
				}
				tried[o.String()] = true
			}
		}
	}
	for name := range bodies {
		t.Errorf("%s has a body and does not exist, or has no id", name)
	}
	if len(tried) < 60 {
		t.Errorf("only %d operations take an id", len(tried))
	}
	b.named(a)
	b.filtered(a)
	for table, sum := range a.standing() {
		if sum != before[table] {
			t.Errorf("%s of the other tenant was %s and is %s", table, before[table], sum)
		}
	}
	for at, total := range b.totals() {
		if total != counted[at] && !strings.HasPrefix(at, "/audit-events") && at != "/settings/api-tokens" &&
			at != "/identities" {
			t.Errorf("GET %s counted %s and counts %s: something that was refused has written", at, counted[at], total)
		}
	}
	if heard := b.heard(); strings.Contains(heard, a.canary) || strings.Contains(heard, a.ids["/identities/"]) {
		t.Errorf("a webhook told of the other tenant: %s", heard)
	}
	b.borrowed(a)
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// never sends the same with ids that never existed, and complains of every difference between the two answers but the
// ids.
func (w *twin) never(method, at, body, token string, r reply, other *twin) {
	w.t.Helper()
	strange := at
	for _, id := range append(slices.Collect(maps.Values(other.ids)), other.event) {
		if anyID.MatchString(id) {
			strange = strings.ReplaceAll(strange, id, uuid.NewString())
		}
	}
	if strange == at {
		w.t.Errorf("%s %s has no id of the other tenant", method, at)
		return
	}
	none := w.as(token, method, strange, body)
	if got, want := r.bare(), none.bare(); got != want {
		w.t.Errorf("%s %s tells ids of another tenant from those that never existed:\n%s\n%s", method, at, got, want)
	}
}

// bare is an answer without what differs from one request to the next, and without ids.
func (r reply) bare() string {
	body := map[string]any{}
	for member, value := range r.body {
		if member != "request_id" && member != "instance" {
			body[member] = value
		}
	}
	return fmt.Sprint(
		r.status,
		" ",
		r.header.Get("Content-Type"),
		" ",
		r.header.Get("Allow"),
		" ",
		anyID.ReplaceAllString(written(body), "ID"),
	)
}

// named sends what names something of the other tenant to what is one's own. Every member of a body that takes an id
// must be in the table.
func (w *twin) named(other *twin) {
	w.t.Helper()
	rows, nobody := map[string]string{}, &twin{ids: map[string]string{}, event: nothing}
	for prefix := range w.ids {
		nobody.ids[prefix] = nothing
	}
	for _, line := range strings.Split(strings.TrimSpace(named), "\n") {
		f := strings.Fields(line)
		text := strings.Join(f[3:], " ")
		rows[f[0]+" "+f[1]] += text
		at := path(f[1], w, w)
		r := w.as(w.token, f[0], at, w.body(text, other))
		w.silent(f[0]+" "+at+" "+text, r, other)
		none := w.as(w.token, f[0], at, w.body(text, nobody))
		alike := fmt.Sprint(r.status, r.text("code"), r.at()) == fmt.Sprint(none.status, none.text("code"), none.at())
		if !alike || fmt.Sprint(r.status) != f[2] {
			w.t.Errorf(
				"%s %s %s = %d %s; want %s, as for ids of nothing: %d %s (%.300s)",
				f[0],
				f[1],
				text,
				r.status,
				r.text("code"),
				f[2],
				none.status,
				none.text("code"),
				r.raw,
			)
		}
	}
	for at, methods := range w.described() {
		for method, described := range methods {
			name := strings.ToUpper(method) + " " + strings.TrimPrefix(at, "/api/v1")
			for _, member := range w.idMembers(described) {
				if !strings.HasPrefix(name, "POST /agent/") && !strings.Contains(rows[name], `"`+member+`"`) {
					w.t.Errorf(
						"%s takes an id as %s, and the table of bodies that name another tenant's does not try it",
						name,
						member,
					)
				}
			}
		}
	}
}

// filtered asks every list for what belongs to ids of the other tenant: for each parameter that takes an id, each id
// there is.
func (w *twin) filtered(other *twin) {
	w.t.Helper()
	tried := 0
	for at, methods := range w.described() {
		list, _ := methods["get"]["parameters"].([]any)
		for _, each := range list {
			p := each.(map[string]any)
			schema, _ := p["schema"].(map[string]any)
			if name := p["name"].(string); p["in"] == "query" &&
				(schema["format"] == "uuid" || strings.HasSuffix(name, "_id")) {
				for _, id := range append(keys(other.ids), "") {
					value := other.ids[id]
					if id == "" {
						value = other.event
					}
					if schema["format"] == "uuid" && uuid.Validate(value) != nil {
						continue
					}
					query := url.Values{name: {value}}
					if strings.HasSuffix(at, "/export") {
						query["format"] = []string{"csv"}
					}
					if strings.Contains(at, "/access-requests/catalog") && name != "for_identity_id" {
						query["for_identity_id"] = []string{w.ids["/identities/"]} // a catalog belongs to a person
					}
					r := w.as(w.token, "GET", path(strings.TrimPrefix(at, "/api/v1"), w, w)+"?"+query.Encode(), nil)
					w.silent(at+"?"+name, r, other)
					if anyID.MatchString(value) && r.status >= 400 {
						w.never(
							"GET",
							path(strings.TrimPrefix(at, "/api/v1"), w, w)+"?"+query.Encode(),
							"",
							w.token,
							r,
							other,
						)
					}
					if tried++; r.status == 404 &&
						(strings.HasSuffix(at, "/access-explain") || strings.HasSuffix(at, "/effective") ||
							strings.HasSuffix(at, "/colleagues") || strings.HasSuffix(at, "/compare") ||
							name == "for_identity_id") {
						continue // no list: what is asked about does not exist
					}
					if r.status >= 300 || r.body["total"] != nil && r.body["total"] != 0.0 {
						w.t.Errorf(
							"GET %s?%s of the other tenant's %s = %d with %v rows (%.200s)",
							at,
							name,
							id,
							r.status,
							r.body["total"],
							r.text("detail"),
						)
					}
				}
			}
		}
	}
	if tried < 100 {
		w.t.Errorf("only %d filters tried", tried)
	}
}

// borrowed uses what the other tenant's admin holds: a place in a list, and a key under which an answer is kept.
func (w *twin) borrowed(other *twin) {
	w.t.Helper()
	for i := range 2 {
		other.person(fmt.Sprintf("paged%d", i), "")
	}
	place := other.as(other.token, "GET", "/identities?limit=1", nil).text("next_cursor")
	r := w.as(w.token, "GET", "/identities?limit=1&cursor="+url.QueryEscape(place), nil).
		is(w.t, "another tenant's place in a list", 400, "")
	w.silent("a borrowed cursor", r, other)
	key := uuid.NewString()
	body := map[string]any{"external_id": "once", "email": "once@acme.test", "first_name": "Once"}
	theirs := other.as(other.token, "POST", "/identities", body, "Idempotency-Key", key).
		is(w.t, "the first with a key", 201, "")
	mine := w.as(w.token, "POST", "/identities", body, "Idempotency-Key", key).
		is(w.t, "the same with the same key in another tenant", 201, "")
	if mine.text("id") == theirs.text("id") || mine.header.Get("Idempotent-Replayed") != "" {
		w.t.Errorf("the answer of another tenant came back: %s", mine.raw)
	}
}
