package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// raid is an estate with one of everything in it, for whoever tries what they should not.
type raid struct {
	*estate
	ids       map[string]string // of what stands in acme, by the beginning of the paths that name it
	enroll    string            // token that invites the agent
	presented string            // token of an agent
	tries     *atomic.Int64
	document  map[string]any // /openapi.json
}

func newRaid(t *testing.T) *raid {
	t.Helper()
	r := &raid{estate: newEstate(t), tries: &atomic.Int64{}}
	for _, id := range []string{r.tenant.Tenant, r.home} {
		r.send("POST", tenantsPath+"/"+id+"/limits", r.operator, `{"rps":10000,"burst":100000}`).
			want(t, "a rate for many tries", 200, "")
	}
	if err := json.Unmarshal([]byte(r.get("/openapi.json", "")), &r.document); err != nil {
		t.Fatal(err)
	}
	r.ids, r.presented = r.furnish(), r.agentToken()
	r.ids["/control-plane/tenants/"] = r.found("spare")
	return r
}

// furnish makes one of everything in acme through the API, and what only a sync makes by SQL.
func (r *raid) furnish() map[string]string {
	r.t.Helper()
	made := func(path string, body map[string]any) map[string]any { return r.call("POST", path, body, 201) }
	id := func(path string, body map[string]any) string { return made(path, body)["id"].(string) }
	ids := map[string]string{"/identities/": r.person("victim", "")}
	ids["/settings/users/"] = id(
		"/settings/users",
		map[string]any{"email": "victim@acme.test", "roles": []string{"manager"}},
	)
	agent := made("/settings/agents", map[string]any{"name": "site"})
	ids["/settings/agents/"], r.enroll = agent["id"].(string), agent["enrollment_token"].(string)
	ids["/settings/api-tokens/"] = id(
		"/settings/api-tokens",
		map[string]any{"name": "nightly", "role": "admin", "scopes": []string{"identities:read"}},
	)
	ids["/settings/audit-streams/"] = id(
		"/settings/audit-streams",
		map[string]any{"name": "siem", "kind": "https", "url": "https://127.0.0.1:9443/", "enabled": false},
	)
	ids["/settings/identity-providers/"] = id(
		"/settings/identity-providers",
		map[string]any{"name": "corp", "issuer": "https://127.0.0.1:9443", "client_id": "c", "enabled": false},
	)
	ids["/settings/sign-in-rules/"] = id(
		"/settings/sign-in-rules",
		map[string]any{"name": "rule", "invitation": "mail"},
	)
	ids["/settings/webhooks/"] = id(
		"/settings/webhooks",
		map[string]any{
			"name":    "hook",
			"url":     "https://127.0.0.1:9443/",
			"events":  []string{"identity.created"},
			"enabled": false,
		},
	)
	ids["/connectors/"] = id(
		"/connectors",
		map[string]any{"business_id": "hr", "name": "HR", "type": "rest", "connection": map[string]any{
			"base_url":    "https://127.0.0.1:9443",
			"auth_method": "none",
			"streams": []any{
				map[string]any{"name": "users", "object": "user", "request": map[string]any{"path": "/u"}},
			},
		}},
	)
	ids["/approval-rules/"] = id(
		"/approval-rules",
		map[string]any{
			"name":     "rule",
			"branches": []any{map[string]any{"outcome": map[string]any{"kind": "auto_reject", "reason": "x"}}},
		},
	)
	ids["/approval-rules/calendars/"] = id("/approval-rules/calendars", map[string]any{"name": "office"})
	ids["/approval-rules/on-call/"] = id(
		"/approval-rules/on-call",
		map[string]any{"name": "desk", "identity_ids": []string{ids["/identities/"]}},
	)
	for _, prefix := range []string{"/accounts/", "/accounts/provisioning-tasks/", "/entitlements/",
		"/entitlements/grants/", "/entitlements/roles/", "/policies/access-grant/", "/policies/decision-tables/",
		"/policies/violations/", "/policies/requirement-gaps/",
		"/policies/mitigation/", "/policies/mitigations/", "evidence", "/policies/duties/", "other duty",
		"/policies/separation-of-duties/", "/policies/separation-of-duties/simulations/", "/settings/work-queue/",
		"/settings/notifications/deliveries/",
		"run"} {
		ids[prefix] = uuid.Must(uuid.NewV7()).String()
	}
	r.run(
		`insert into account (tenant_id, id, connector_id, external_id, username, status, is_locked, correlation_state,
	           row_hash)
	       values (current_tenant(), $1, $2, 'x', 'x', 'locked', true, 'uncorrelated', '')`,
		ids["/accounts/"],
		ids["/connectors/"],
	)
	r.run(`insert into entitlement (tenant_id, id, connector_id, external_id, name, display_name, owner_ids, row_hash)
	       values (current_tenant(), $1, $2, 'g', 'g', 'g', '{}', '')`, ids["/entitlements/"], ids["/connectors/"])
	r.run(
		`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id) values (current_tenant(),
			$1, $2, $3, $4)`,
		ids["/entitlements/grants/"],
		ids["/connectors/"],
		ids["/accounts/"],
		ids["/entitlements/"],
	)
	r.run(`insert into mail_message (tenant_id, id, kind, address, subject, state)
	       values (current_tenant(), $1, 'task.assigned', 'ann@example.org', 'Hello', 'failed')`,
		ids["/settings/notifications/deliveries/"])
	r.run(
		`insert into work_item (tenant_id, public_id, kind, subject, state, attempts, last_error, failed_at)
			values (current_tenant(), $1, 'drift', gen_random_uuid(), 'dead', 8, 'the template is broken', now())`,
		ids["/settings/work-queue/"],
	)
	r.run(
		`insert into provisioning_task (tenant_id, id, connector_id, operation, account_id, created_from, mode, state,
	           idempotency_key)
	       values (current_tenant(), $1, $2, 'unlock', $3, 'manual', 'auto', 'failed', gen_random_uuid())`,
		ids["/accounts/provisioning-tasks/"],
		ids["/connectors/"],
		ids["/accounts/"],
	)
	r.run(
		`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, 'clerk', 'Clerk')`,
		ids["/entitlements/roles/"],
	)
	r.run(`insert into access_policy (tenant_id, id, name, enabled, subject, resources)
	       values (current_tenant(), $1, $2, false, '{"match": "all", "rules": []}', jsonb_build_object('connector_ids', array[$3::text]))`, ids["/policies/access-grant/"], "rule", ids["/connectors/"])
	r.run(decisionTableSQL, ids["/policies/decision-tables/"], "table", ids["/entitlements/"])
	for name, duty := range map[string]string{"pay": "/policies/duties/", "audit": "other duty"} {
		r.run(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, $2)`, ids[duty], name)
		r.run(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, duty_tag)
	       values (current_tenant(), $1, 0, 0, 'duty_tag', $2)`, ids[duty], name)
	}
	r.run(`insert into separation_policy (tenant_id, id, name, kind, sides, duty_ids)
	       values (current_tenant(), $1, 'pay and audit', 'pair',
	           jsonb_build_array(jsonb_build_object('label', 'a', 'duty_ids', array[$2::text]),
	               jsonb_build_object('label', 'b', 'duty_ids', array[$3::text])), array[$2, $3]::text[]::uuid[])`,
		ids["/policies/separation-of-duties/"], ids["/policies/duties/"], ids["other duty"])
	r.run(simulationSQL, ids["/policies/separation-of-duties/simulations/"], "simulation",
		ids["/identities/"])
	r.run(violationSQL, ids["/policies/violations/"], ids["/identities/"], "policy", ids["/entitlements/grants/"])
	r.run(controlSQL, ids["/policies/mitigation/"], "control")
	r.run(`update mitigating_control set applies_to = '{"sod_policy_ids": [], "severities": ["low"]}'`)
	r.run(mitigationSQL, ids["/policies/mitigations/"], ids["/policies/mitigation/"], ids["/identities/"],
		ids["/policies/violations/"])
	r.run(evidenceSQL, ids["evidence"], ids["/policies/mitigations/"], "x")
	r.run(gapSQL, ids["/policies/requirement-gaps/"], ids["/policies/access-grant/"], ids["/identities/"], "x")
	// A scan would settle the violation, of which there is no policy, and nobody is asked about it.
	r.run(`delete from work_item where kind like 'separation%' or kind in ('inbox_sod_violation', 'mitigation',
		'inbox_requirement_gap')
		or kind like 'inbox_mitigation%'`)
	r.run(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, finished_at)
			values (current_tenant(), $1, $2, 'rest', false, 100, 'succeeded', now())`,
		ids["run"],
		ids["/connectors/"],
	)
	// The task that failed is asked about after a moment, by nobody's doing: what is counted later stands from here on.
	until(
		r.t,
		"nobody is asked about the task that failed",
		func() bool {
			return r.ask(`select count(*)::text from decision_task where kind = 'provisioning_failure'`) == "1"
		},
	)
	return ids
}

// gapSQL makes a gap of a policy and an identity, of a training that is named.
const gapSQL = `
	insert into requirement_gap (tenant_id, id, policy_id, policy_version, identity_id, missing)
	values (current_tenant(), $1, $2, 1, $3, jsonb_build_array(
	       jsonb_build_object('type', 'training', 'id', null, 'display', $4::text)))`

// violationSQL makes a violation of a policy that is named, by an identity with a grant.
const violationSQL = `
	insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade, fingerprint,
	       entitlement_ids, detected_by, conflict)
	values (current_tenant(), $1::uuid, $1::uuid, 1, $2, 'high', 'potential', '', '{}', 'scan', jsonb_build_object(
	       'policy', jsonb_build_object('id', ($1::uuid)::text, 'name', $3::text, 'version', 1, 'kind', 'pair'),
	       'sides', jsonb_build_array(jsonb_build_object('label', 'x', 'access', jsonb_build_array(jsonb_build_object(
	           'source', jsonb_build_object('kind', 'grant', 'id', $4::text, 'name', 'x')))))))`

// simulationSQL makes a completed simulation with a name, and a result of it.
const simulationSQL = `
	with s as (
	    insert into separation_simulation (tenant_id, id, state, name, requested_by, policies_before, policies_after,
	                                       started_at, finished_at)
	    values (current_tenant(), $1, 'completed', $2, '{"type": "system", "display": "system"}', '[]', '[]', now(),
	            now())
	    returning id
	)
	insert into separation_simulation_result (tenant_id, id, simulation_id, identity_id, policy, change, sides, grade)
	select current_tenant(), gen_random_uuid(), s.id, $3, $2, 'new', '["x", "y"]', 'potential' from s`

// Statements that make a mitigating control with a name, an application of it to a violation that waits for evidence,
// and evidence of that with a text.
const (
	controlSQL = `
		insert into mitigating_control (tenant_id, id, name, max_duration, evidence)
		values (current_tenant(), $1, $2, 'P90D', '{"kind": "attestation", "cadence": "P30D", "grace": "P7D"}')`
	mitigationSQL = `
		insert into mitigation (tenant_id, id, control_id, identity_id, policy_id, violation_id, state, severity,
		       owner_id, justification, duration, requested_by, starts_at, ends_at, due_at, lapses_at)
		select current_tenant(), $1, $2, $3, v.policy_id, v.id, 'evidence_due', 'high', $3, 'x', 'P90D',
		       '{"type": "system", "id": "", "display": "system"}', now(), now() + interval '90 days',
		       now() + interval '30 days', now() + interval '37 days'
		  from violation v
		 where v.id = $4`
	evidenceSQL = `
		insert into mitigation_evidence (tenant_id, id, mitigation_id, due_at, kind, text, file_name, media_type, size,
		       sha256, content, provided_by, provided_at)
		values (current_tenant(), $1, $2, now(), 'upload', $3, 'x', 'text/plain', 1, '', 'x',
		        '{"type": "system", "id": "", "display": "system"}', now())`
)

// found makes a further tenant.
func (r *raid) found(slug string) string {
	r.t.Helper()
	made, err := tenant.Bootstrap{
		Slug:          slug,
		Name:          slug,
		AdminEmail:    "a@" + slug + ".test",
		AdminPassword: password,
	}.Run(
		r.t.Context(),
		r.db,
	)
	if err != nil {
		r.t.Fatal(err)
	}
	return made.Tenant.ID
}

// aimed is an operation as the document describes it.
type aimed struct {
	method, path string
	described    map[string]any
}

func (o aimed) String() string { return o.method + " " + o.path }

// aims are all operations, without those that end the session of whoever asks.
func (r *raid) aims() (all []aimed) {
	for path, methods := range r.document["paths"].(map[string]any) {
		for method, described := range methods.(map[string]any) {
			o := aimed{strings.ToUpper(method), strings.TrimPrefix(path, "/api/v1"), described.(map[string]any)}
			if !strings.HasPrefix(o.path, "/auth/logout") {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, func(a, b aimed) int { return strings.Compare(a.String(), b.String()) })
	if len(all) < 100 {
		r.t.Fatalf("only %d operations", len(all))
	}
	return all
}

// resolved follows a reference into the document.
func (r *raid) resolved(schema map[string]any) map[string]any {
	ref, is := schema["$ref"].(string)
	if !is {
		return schema
	}
	at := any(r.document)
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[part]
	}
	return at.(map[string]any)
}

// body is the schema of an operation's JSON body, nil where it takes none.
func (r *raid) body(o aimed) map[string]any {
	request, _ := o.described["requestBody"].(map[string]any)
	content, _ := request["content"].(map[string]any)
	media, _ := content["application/json"].(map[string]any)
	schema, _ := media["schema"].(map[string]any)
	if schema == nil {
		return nil
	}
	return r.resolved(schema)
}

// members are the schemas of an object's members.
func (r *raid) members(schema map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for name, s := range properties {
		if name != "$schema" {
			out[name] = r.resolved(s.(map[string]any))
		}
	}
	return out
}

// parameter is one of an operation's parameters.
type parameter struct{ name, in, kind, format string }

func (r *raid) parameters(o aimed) (all []parameter) {
	list, _ := o.described["parameters"].([]any)
	for _, each := range list {
		p := each.(map[string]any)
		schema, _ := p["schema"].(map[string]any)
		kind, _ := schema["type"].(string)
		format, _ := schema["format"].(string)
		all = append(all, parameter{p["name"].(string), p["in"].(string), kind, format})
	}
	return all
}

// filled is the path with the ids of what is there.
func (r *raid) filled(path string) string {
	best := ""
	for _, prefix := range slices.Collect(maps.Keys(r.ids)) {
		if strings.HasPrefix(path, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	id := r.ids[best]
	if best == "" {
		id = nothing
	}
	return strings.NewReplacer("{id}", id, "{run_id}", r.ids["run"], "{evidence_id}", r.ids["evidence"], "{delivery_id}", nothing, "{item_id}", nothing,
		"{key}", "ldap").
		Replace(path)
}

// bearer is what lets one through to the operation's own checks.
func (r *raid) bearer(o aimed) string {
	switch {
	case o.path == "/agent/register":
		return r.enroll
	case o.path == "/agent/token":
		return r.presented
	case strings.HasPrefix(o.path, "/control-plane/"):
		return r.operator
	case o.path == "/auth/refresh",
		o.path == "/auth/login",
		o.path == "/auth/sign-in-link",
		o.path == "/auth/password-reset",
		strings.HasPrefix(o.path, "/auth/passkey/"),
		strings.HasPrefix(o.path, "/auth/oidc/"):
		return ""
	}
	return r.token
}

// knock sends a request as it is, from an address of its own. A header that is empty is left out; path begins with
// /api/v1.
func (r *raid) knock(o aimed, path string, body []byte, header http.Header) received {
	r.t.Helper()
	got, err := r.tryOnce(o, path, body, header)
	if err != nil {
		r.t.Fatalf("%s: %v", o, err)
	}
	return got
}

func (r *raid) tryOnce(o aimed, path string, body []byte, header http.Header) (received, error) {
	for {
		n := r.tries.Add(1)
		req, err := http.NewRequest(o.method, r.url+"/api/v1"+path, bytes.NewReader(body))
		if err != nil {
			return received{}, err
		}
		if len(body) > 0 {
			req.Header.Set("Content-Type", "application/json")
		}
		if token := r.bearer(o); token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		req.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", n/250%250, 1+n%250))
		for name, values := range header {
			req.Header.Del(name)
			if len(values) > 0 {
				req.Header[name] = values
			}
		}
		res, err := (&http.Client{CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}).Do(req)
		if err != nil {
			return received{}, err
		}
		raw, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return received{}, err
		}
		wait, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		if res.StatusCode == http.StatusTooManyRequests && wait <= 2 {
			time.Sleep(time.Duration(wait) * time.Second)
			continue
		}
		out := received{status: res.StatusCode, header: res.Header, raw: string(raw)}
		_ = json.Unmarshal(raw, &out.body)
		return out, nil
	}
}

// points are where a problem's details say it is wrong: pointers, parameters and headers.
func (r received) points() (all []string) {
	list, _ := r.body["errors"].([]any)
	for _, e := range list {
		detail, _ := e.(map[string]any)
		for _, kind := range []string{"pointer", "parameter", "header"} {
			if s, _ := detail[kind].(string); s != "" {
				all = append(all, s)
			}
		}
	}
	return all
}

// noise are tables that change by themselves, or by being asked.
var noise = []string{
	"audit_event",
	"audit_head",
	"audit_checkpoint",
	"auth_session",
	"agent_session",
	"provisioning_lane",
	"provisioning_round",
}

// standing is what every table holds of all tenants, told by a sum a table. What was tried and refused leaves it as it
// was.
func (r *raid) standing() map[string]string {
	r.t.Helper()
	sums := map[string]string{}
	conn, err := pgx.Connect(context.Background(), r.database.AdminURL)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	r.rest(conn)
	rows, err := conn.Query(context.Background(), `
		select c.relname
		  from pg_class c
		  join pg_attribute a
		    on a.attrelid = c.oid and a.attname = 'tenant_id'
		 where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> all ($1)`, noise)
	if err != nil {
		r.t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 30 {
		r.t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range append(tables, "tenant") {
		var sum string
		err := conn.QueryRow(context.Background(), `select count(*) || ' rows ' || coalesce(md5(string_agg(t::text, '|'
			order by t::text)), '') from `+pgx.Identifier{table}.Sanitize()+` t`).
			Scan(&sum)
		if err != nil {
			r.t.Fatalf("%s: %v", table, err)
		}
		sums[table] = sum
	}
	return sums
}

// rest waits until the work queue has nothing that is due: what it still writes follows from the seed, and not from
// what was tried.
func (r *raid) rest(conn *pgx.Conn) {
	r.t.Helper()
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var due int
		err := conn.QueryRow(context.Background(),
			`select count(*) from work_item where state = 'waiting' and due_at <= now()`).Scan(&due)
		if err != nil {
			r.t.Fatal(err)
		}
		if due == 0 {
			return
		}
		if time.Now().After(until) {
			r.t.Fatalf("%d items of the work queue are due and not done", due)
		}
	}
}

// unchanged complains of every table that is not as it was.
func (r *raid) unchanged(before map[string]string) {
	r.t.Helper()
	for table, sum := range r.standing() {
		if sum != before[table] {
			r.t.Errorf("%s was %s and is %s: something that was refused has written", table, before[table], sum)
		}
	}
}

// onlyMembers leaves of an object the members with these names.
func onlyMembers(raw string, names ...string) string {
	var whole map[string]json.RawMessage
	_ = json.Unmarshal([]byte(raw), &whole)
	maps.DeleteFunc(whole, func(name string, _ json.RawMessage) bool { return !slices.Contains(names, name) })
	b, _ := json.Marshal(whole)
	return string(b)
}
