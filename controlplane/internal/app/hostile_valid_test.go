package app_test

import (
	"strings"
	"testing"
	"time"
)

// sound are bodies that the operations take as they are, with names in angle brackets
// for the ids of what is there. They are what bad input is made of: only what was changed in them is wrong.
const sound = `
POST   /accounts/bulk-link                             {"pairs":[{"account_id":"<account>","identity_id":"<identity>"}],"dry_run":true,"reason":"x"}
POST   /accounts/correlation/preview                   {"connector_id":"<connector>"}
POST   /accounts/correlation/run                       {"connector_id":"<connector>"}
POST   /accounts                                       {"connector_id":"<connector>","identity_id":"<identity>","dry_run":true}
POST   /accounts/provisioning-tasks/retry-failed       {"connector_id":"<connector>"}
POST   /accounts/provisioning-tasks/{id}/complete      {"note":"x"}
POST   /accounts/{id}/delete                           {"note":"x"}
POST   /accounts/{id}/disable                          {"note":"x"}
POST   /accounts/{id}/enable                           {"note":"x"}
POST   /accounts/{id}/rename                           {"username":"renamed"}
POST   /accounts/{id}/reset-password                   {"force_change":true}
POST   /accounts/{id}/unlock                           {"note":"x"}
PATCH  /accounts/{id}                                  {"purpose":"x"}
POST   /accounts/{id}/ignore                           {"reason":"x"}
POST   /accounts/{id}/link                             {"identity_id":"<identity>","reason":"x"}
POST   /accounts/{id}/drift/resolve                    {"fields":["mail"],"direction":"accept"}
POST   /accounts/{id}/unlink                           {"reason":"x"}
POST   /agent/register                                 {"identity_key":"<key>","sealing_key":"<key>","proof":"<key>","hostname":"h","os":"linux","arch":"amd64","version":"1","boot_id":"b"}
POST   /agent/token                                    {"agent_id":"<agent>","nonce":"n","boot_id":"b","join_seq":1,"issued_at":"2026-01-02T03:04:05Z","signature":"x"}
POST   /auth/login                                     {"email":"nobody@acme.test","password":"not the right one"}
DELETE /auth/mfa/totp                                  {"password":"not the right one","code":"123456"}
POST   /auth/mfa/totp                                  {"password":"not the right one"}
POST   /auth/mfa/totp/confirm                          {"code":"123456"}
POST   /auth/oidc/token                                {"code":"x"}
POST   /auth/passkey/login                             {"credential":{"id":"x"}}
POST   /auth/passkeys                                  {"name":"x","credential":{"id":"x"}}
POST   /auth/passkeys/registration                     {"password":"not the right one"}
PATCH  /auth/passkeys/{id}                             {"name":"x"}
DELETE /auth/passkeys/{id}                             {"password":"not the right one"}
POST   /auth/password                                  {"current_password":"not the right one","new_password":"a passphrase of some length"}
POST   /auth/password-reset                            {"email":"nobody@acme.test"}
POST   /auth/sign-in-link                              {"token":"x","password":"a passphrase of some length"}
POST   /connectors                                     {"name":"B","type":"scim2","connection":{"base_url":"https://127.0.0.1:9443"},"credentials":{"bearer_token":"CANARY-raid"}}
POST   /connectors/test                                {"type":"scim2","connection":{"base_url":"https://127.0.0.1:9"},"credentials":{"bearer_token":"CANARY-raid"}}
POST   /connectors/transforms/validate                 {"expression":"value","samples":[{"value":"CANARY","record":{"a":1}}]}
PATCH  /connectors/{id}                                {"description":"x"}
PUT    /connectors/{id}/correlation                    {"propose":0.8,"auto_link":0.95}
POST   /connectors/{id}/discover                       {"sample_size":1}
PUT    /connectors/{id}/mappings                       {"mappings":[{"object":"identity","source_path":"mail","target_field":"email"}]}
POST   /connectors/{id}/mappings/preview               {"sample":1}
PATCH  /connectors/{id}/mappings/{mapping_id}          {"action":"ignore"}
POST   /connectors/{id}/rediscover                     {"sample_size":1}
POST   /connectors/{id}/schema-diffs/{diff_id}/decide  {"accept_all":true}
POST   /connectors/{id}/wizard/first-sync              {"chunk_size":100}
PUT    /connectors/{id}/safety                         -
POST   /connectors/{id}/disable                        {"reason":"x"}
POST   /connectors/{id}/pause                          {"reason":"x"}
PUT    /connectors/{id}/schedule                       {"incremental_cron":"*/15 * * * *","full_cron":"0 2 * * *","timezone":"Europe/Berlin","jitter":"PT5M"}
PUT    /connectors/{id}/provisioning                   {"write_mode":"manual","account":{"username":{"expression":"identity.email","unique":{"suffix":"number","allowed":"a-z0-9@._-","max_length":64}},"attributes":[{"target":"mail","expression":"identity.email"}]},"deprovision":{"delete_after":"P30D"},"drift":{"direction":"report"},"breaker":{"max_changes":100,"window":"PT1H"}}
POST   /connectors/{id}/provisioning/preview           {"identity_id":"<identity>","exact":false}
POST   /connectors/{id}/sync                           {"incremental":false}
POST   /connectors/{id}/sync-runs/{run_id}/discard     {"comment":"x"}
POST   /connectors/{id}/sync-runs/{run_id}/release     {"comment":"x","expected_count":1,"digest":"<digest>"}
POST   /control-plane/tenants                          {"slug":"beta","name":"Beta","admin_email":"b@beta.test"}
PATCH  /control-plane/tenants/{id}                     {"name":"Spare part"}
POST   /control-plane/tenants/{id}/close               {"confirm":"spare","reason":"x"}
POST   /control-plane/tenants/{id}/limits              {"rps":100}
POST   /control-plane/tenants/{id}/suspend             {"reason":"x"}
POST   /decision-tasks/bulk-decide                     {"ids":["<identity>"],"action":"approve","comment":"x"}
POST   /decision-tasks/delegations                     {"delegator_id":"<identity>","delegate_id":"<identity>","reason":"x"}
PATCH  /decision-tasks/delegations/{id}                {"reason":"x"}
POST   /decision-tasks/{id}/comments                   {"text":"x"}
POST   /decision-tasks/{id}/decide                     {"action":"approve","comment":"x","inputs":{"a":1},"defer_seconds":60}
POST   /decision-tasks/{id}/escalate                   {"reason":"x"}
POST   /decision-tasks/{id}/reassign                   {"to":["<identity>"],"reason":"x"}
POST   /entitlements/grants                            {"identity_id":"<identity>","entitlement_id":"<entitlement>","justification":"x"}
POST   /accounts/bulk-disable                         {"ids":["<account>"],"note":"x"}
POST   /entitlements/grants/accept-as-found            {"ids":["<grant>"],"comment":"x"}
POST   /entitlements/grants/bulk-revoke                {"ids":["<entitlement>"],"reason":"x"}
POST   /entitlements/grants/{id}/extend                {"ends_at":"2200-01-01T00:00:00Z"}
POST   /entitlements/grants/{id}/revoke                {"reason":"x"}
POST   /access-requests                                {"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<entitlement>"}],"justification":"x"}
POST   /access-requests/bulk                           {"requests":[{"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<entitlement>"}],"justification":"x"}],"dry_run":true}
POST   /access-requests/preview                        {"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<entitlement>"}],"justification":"x"}
POST   /access-requests/{id}/cancel                    {"reason":"x"}
POST   /access-requests/{id}/comments                  {"text":"x","visibility":"everybody"}
POST   /access-requests/{id}/decisions                 {"decisions":[{"item_id":"<identity>","action":"approve","comment":"x"}]}
POST   /access-requests/{id}/extend                    {"duration":"P1D"}
POST   /access-requests/{id}/items/{item_id}/reassign  {"to":"<identity>","reason":"x"}
POST   /access-requests/{id}/items/{item_id}/withdraw  {"reason":"x"}
POST   /access-requests/{id}/return                    {"reason":"x"}
POST   /access-requests/{id}/withdraw-approval         {"reason":"x"}
POST   /approval-rules/replay                          {"rule":{"name":"x","branches":[{"outcome":{"kind":"auto_reject","reason":"x"}}]},"from":"<yesterday>"}
POST   /approval-rules                                 {"name":"x","branches":[{"outcome":{"kind":"chain","stages":[{"name":"Manager","groups":[{"approvers":[{"kind":"manager"}]}]}]}}]}
PATCH  /approval-rules/{id}                            {"description":"x"}
POST   /approval-rules/simulate                        {"request":{"requested_for_identity_id":"<identity>","requested_resources":[{"entitlement_id":"<entitlement>"}]}}
POST   /approval-rules/calendars                       {"name":"x","timezone":"Europe/Zurich","holidays":[{"date":"2026-12-25","name":"Christmas Day"}]}
PATCH  /approval-rules/calendars/{id}                  {"description":"x"}
POST   /approval-rules/on-call                         {"name":"x","identity_ids":["<identity>"],"shift":"P7D"}
PATCH  /approval-rules/on-call/{id}                    {"description":"x"}
POST   /entitlements/roles                             {"name":"x","entitlement_ids":["<entitlement>"],"membership_rule":{"match":"all","rules":[{"field":"department","op":"eq","value":"x"}]},"membership_exclusions":[{"identity_id":"<identity>","reason":"x","until":"2200-01-01"}],"visible_to":{"match":"all","rules":[]},"parameters":[{"name":"x","type":"string","required":true,"allowed_values":["x"]}],"max_duration":"P1D","default_duration":"P1D","risk_level":"low","compliance_tags":["x"],"duty_tags":["x"],"labels":{"x":"x"}}
POST   /entitlements/roles/import                      {"yaml":"{version: 1, roles: [{key: x, name: X}]}"}
PATCH  /entitlements/roles/{id}/draft                  {"description":"x"}
POST   /entitlements/roles/{id}/members                {"identity_id":"<identity>","starts_at":"2199-01-01T00:00:00Z","ends_at":"2200-01-01T00:00:00Z","reason":"x"}
PATCH  /entitlements/roles/{id}/members/{identity_id}  {"ends_at":"2200-01-01T00:00:00Z"}
PATCH  /entitlements/roles/{id}                        {"description":"x"}
POST   /entitlements/bulk-update                       {"ids":["<entitlement>"],"set":{"business_description":"x"}}
POST   /entitlements/{id}/owners                       {"owner_ids":["<identity>"]}
POST   /entitlements/{id}/retire                       {"dry_run":true}
PATCH  /entitlements/{id}                              {"business_description":"x"}
POST   /identities                                     {"external_id":"E1","email":"e1@acme.test","first_name":"A"}
PATCH  /identities/{id}                                {"first_name":"B"}
POST   /identities/import                              {"mode":"preview","format":"ndjson","data":"{}"}
PUT    /identities/schema/attributes                   {"attributes":[{"name":"desk","type":"string","description":"x"}]}
POST   /identities/sync                                {"connector_ids":["<connector>"],"incremental":true}
POST   /identities/{id}/birthrights/evaluate           {"dry_run":true}
POST   /identities/{id}/deactivate                     {"reason":"x"}
POST   /identities/{id}/leave                          {"reason":"x"}
POST   /identities/{id}/return                         {"reason":"x"}
POST   /identities/{id}/merge                          {"source_id":"<identity>","reason":"x"}
POST   /identities/{id}/unpin                          {"fields":["title"]}
PUT    /settings/lifecycle                             {"timezone":"Europe/Zurich","pre_hire_lead":"P7D","leave_access":"keep"}
POST   /identities/{id}/reactivate                     {"reason":"x"}
POST   /policies/access-grant                          {"name":"x","effect":"eligible","subject":{"match":"all","rules":[]},"resources":{"entitlement_ids":["<entitlement>"]},"constraints":{"max_duration":"P1D","employment_types":["employee"],"countries":["CH"],"needs_training":"x"},"schedule":{"from":"2200-01-01T00:00:00Z","to":"2201-01-01T00:00:00Z","weekly":[{"days":["mon"],"starts":"08:00","ends":"18:00"}]}}
POST   /policies/access-grant/simulate                 {"name":"x","subject":{"match":"all","rules":[]},"resources":{"entitlement_ids":["<entitlement>"]}}
PATCH  /policies/access-grant/{id}                     {"description":"x"}
POST   /policies/decision-tables/check                 {"table":{"columns":["department"],"rows":[{"cells":["x"],"entitlement_ids":["<entitlement>"]}]}}
POST   /policies/decision-tables/import                {"name":"x","file":"ZGVwYXJ0bWVudCxyb2xlcwp4LG5vYm9keQo="}
POST   /policies/access-grant/{id}/breaker/reset       {"accept":true}
POST   /policies/access-grant/{id}/mode                {"mode":"shadow"}
POST   /policies/duties                                {"name":"x","all_of":[{"members":[{"kind":"entitlement","entitlement_id":"<entitlement>"},{"kind":"external","connector_id":"<connector>","external_id":"y"}]}]}
PATCH  /policies/duties/{id}                           {"description":"x"}
POST   /policies/separation-of-duties                  {"name":"x","kind":"pair","sides":[{"duty_ids":["<duty>"]},{"duty_ids":["<other duty>"]}],"effects":{"on_request":"warn"},"context":{"same_attributes":["site"]}}
POST   /policies/separation-of-duties/simulate         {"name":"x","kind":"pair","sides":[{"duty_ids":["<duty>"]},{"duty_ids":["<other duty>"]}],"effects":{"on_request":"warn"},"context":{"same_attributes":["site"]}}
POST   /policies/separation-of-duties/simulations         {"name":"x","kind":"pair","sides":[{"duty_ids":["<duty>"]},{"duty_ids":["<other duty>"]}],"effects":{"on_request":"warn"},"context":{"same_attributes":["site"]}}
POST   /policies/duties/{id}/simulate                  {"description":"x"}
POST   /policies/duties/{id}/simulations                  {"description":"x"}
PATCH  /policies/separation-of-duties/{id}             {"description":"x"}
POST   /policies/separation-of-duties/{id}/simulate    {"severity":"high"}
POST   /policies/separation-of-duties/{id}/simulations    {"severity":"high"}
POST   /policies/separation-of-duties/{id}/mode        {"mode":"shadow"}
POST   /policies/conditions/validate                   {"condition":{"match":"all","rules":[]},"sample":["<identity>"]}
POST   /policies/separation-of-duties/import           {"files":[{"name":"x.yaml","content":"dmVyc2lvbjogMQpkdXRpZXM6CiAgLSBuYW1lOiB4CiAgICBhbGxfb2Y6IFt7bWVtYmVyczogW3traW5kOiBkdXR5X3RhZywgZHV0eV90YWc6IGF9XX1dCg=="}],"format":"auto","systems":{"a":"b"}}
POST   /policies/separation-of-duties/predict          {"identity_id":"<identity>","add":[{"entitlement_id":"<entitlement>"}]}
POST   /policies/mitigation                            {"name":"x","control_owner_ids":["<identity>"]}
PATCH  /policies/mitigation/{id}                       {"description":"x"}
POST   /policies/mitigation/preview                    {"query":{"about":"person","expect":"some","condition":{"match":"all","rules":[{"field":"department","op":"eq","value":"x"}]}},"severities":["low"]}
POST   /policies/mitigations                           {"mitigation_policy_id":"<control>","violation_id":"<violation>","justification":"x"}
POST   /policies/mitigations/{id}/evidence             {"text":"x","file":{"name":"x","content":"eA=="}}
POST   /policies/mitigations/{id}/evidence/{evidence_id}/accept {"comment":"x"}
POST   /policies/mitigations/{id}/evidence/{evidence_id}/reject {"comment":"x"}
POST   /policies/mitigations/{id}/withdraw             {"reason":"x"}
POST   /policies/requirement-gaps/{id}/exempt          {"reason":"x","until":"2999-01-01T00:00:00Z"}
POST   /policies/violations/{id}/assign                {"identity_id":"<identity>"}
POST   /policies/violations/{id}/false-positive        {"reason":"x"}
POST   /policies/violations/{id}/remediate             {"remove":["<grant>"],"reason":"x"}
POST   /sector-packs/conflicts/{id}/resolve    {"use":"mine"}
POST   /sector-packs/upload                             {"archive":"H4sIAAAAAAAA"}
POST   /sector-packs/validate                           {"archive":"H4sIAAAAAAAA"}
POST   /sector-packs/{key}/install                      {"version":"1.0.0"}
POST   /sector-packs/{key}/plan                         {"version":"1.0.0"}
POST   /sector-packs/{key}/uninstall                    {"mode":"detach"}
POST   /sector-packs/{key}/upgrade                      {"version":"1.0.0"}
POST   /settings/agents                                {"name":"second"}
PATCH  /settings/agents/{id}                           {"description":"x"}
POST   /settings/agents/{id}/enroll                    {"release_credentials":true}
POST   /settings/agents/{id}/revoke                    {"reason":"x"}
POST   /settings/api-tokens                            {"name":"second","role":"auditor","scopes":["identities:read"]}
PATCH  /settings/api-tokens/{id}                       {"description":"x"}
POST   /settings/api-tokens/{id}/rotate                {"overlap":"PT1H"}
POST   /settings/audit-streams                         {"name":"second","kind":"https","url":"https://127.0.0.1:9443/"}
PATCH  /settings/audit-streams/{id}                    {"name":"third"}
PUT    /settings/audit/retention                       {"days":3650}
POST   /settings/identity-providers                    {"name":"second","issuer":"https://127.0.0.1:9443/b","client_id":"c"}
PATCH  /settings/identity-providers/{id}               {"client_id":"d"}
PATCH  /settings/notifications                         {"digest_hour":8}
PATCH  /settings/notifications/me                      {"digest_hour":8}
PUT    /settings/notifications/templates/{key}         {"subject":"x","text":"x"}
POST   /settings/notifications/templates/{key}/preview {"subject":"x","text":"x"}
PUT    /settings/orphans                               {"after_days":30}
PUT    /settings/provisioning                          {"writes":true,"reason":"x"}
POST   /settings/sign-in-rules                         {"name":"second","invitation":"mail"}
POST   /settings/sign-in-rules/preview                 {"rule":{"name":"x","invitation":"mail"}}
PATCH  /settings/sign-in-rules/{id}                    {"name":"third"}
PATCH  /settings/tenant                                {"name":"Acme again"}
POST   /settings/users                                 {"email":"second@acme.test","display_name":"Second"}
PATCH  /settings/users/{id}                            {"display_name":"Victim"}
POST   /settings/webhooks                              {"name":"second","url":"https://127.0.0.1:9443/","events":["identity.created"]}
PATCH  /settings/webhooks/{id}                         {"name":"third"}
POST   /settings/webhooks/{id}/replay                  {"from":"<yesterday>"}
POST   /settings/webhooks/{id}/rotate-secret           {"overlap":"PT1H"}
POST   /settings/work-queue/retry                      {"kind":"provisioning"}
`

// sound are the bodies by operation. Every operation with a body must have one.
func (r *raid) sound() map[string]string {
	r.t.Helper()
	ids := strings.NewReplacer(
		"<identity>",
		r.ids["/identities/"],
		"<connector>",
		r.ids["/connectors/"],
		"<account>",
		r.ids["/accounts/"],
		"<entitlement>",
		r.ids["/entitlements/"],
		"<duty>",
		r.ids["/policies/duties/"],
		"<other duty>",
		r.ids["other duty"],
		"<control>",
		r.ids["/policies/mitigation/"],
		"<violation>",
		r.ids["/policies/violations/"],
		"<grant>",
		r.ids["/entitlements/grants/"],
		"<user>",
		r.ids["/settings/users/"],
		"<agent>",
		r.ids["/settings/agents/"],
		"<key>",
		strings.Repeat("A", 43),
		"<digest>",
		strings.Repeat("0", 64),
		"<yesterday>",
		time.Now().AddDate(0, 0, -1).UTC().Format(time.RFC3339),
	)
	bodies := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(sound), "\n") {
		f := strings.Fields(line)
		bodies[f[0]+" "+f[1]] = ids.Replace(strings.Join(f[2:], " "))
	}
	safety := r.as(r.token, "GET", "/connectors/"+r.ids["/connectors/"]+"/safety", nil).
		is(r.t, "the safety settings", 200, "")
	bodies["PUT /connectors/{id}/safety"] = onlyMembers(
		safety.raw,
		"limits",
		"window",
		"total_loss",
		"hold_scope",
		"hold_ttl",
		"deletion",
	)
	seen := 0
	for _, o := range r.aims() {
		if r.body(o) == nil {
			continue
		}
		if seen++; bodies[o.String()] == "" {
			r.t.Errorf("%s takes a body, and the table has no sound one", o)
		}
	}
	if seen != len(bodies) {
		r.t.Errorf("%d operations take a body; the table has %d", seen, len(bodies))
	}
	return bodies
}

// TestTheSoundBodiesAreSound holds the table against the API: bad input that is refused for another reason than the
// tried one shows nothing.
func TestTheSoundBodiesAreSound(t *testing.T) {
	r := newRaid(t)
	bodies := r.sound()
	for _, o := range r.aims() {
		if body := bodies[o.String()]; body != "" {
			if got := r.knock(o, r.filled(o.path), []byte(body), nil); wrongShape(got) {
				t.Errorf("%s %s = %d %s %v %.300s", o, body, got.status, got.code(), got.points(), got.raw)
			}
		}
	}
}

// wrongShape tells a refusal of what a body looks like from one of what it asks for.
func wrongShape(r received) bool {
	switch r.code() {
	case "unknown_field",
		"read_only_field",
		"malformed_json",
		"duplicate_member",
		"invalid_encoding",
		"unsupported_media_type",
		"payload_too_large",
		"invalid_request":
		return true
	}
	return r.status >= 500 || r.code() == "validation_failed"
}
