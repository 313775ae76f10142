package apidocs

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const overview = "Grantwright keeps identities, accounts, entitlements and grants, reads them from target systems " +
	"through connectors, and governs them.\n\n" +
	"Every request but the sign-in and /health carries a token: `Authorization: Bearer <token>`. The tenant is that " +
	"of the token. What a caller may see is decided by the service: a list, its total and every single read show the " +
	"same; what is not visible is 404.\n\n" +
	"Lists answer `items`, `total`, `limit`, `offset` and, where they can grow without bound, `next_cursor`. " +
	"Refusals are problem documents (RFC 9457) with a stable `code`. A token may make 100 requests a second, and up " +
	"to 200 at once. Writes take an `Idempotency-Key`."

// tagWords say what a group is for.
var tagWords = map[string]string{
	"auth":            "Signing in and out, refreshing, sessions, second factors, and who is asking.",
	"identities":      "People and other actors of the tenant.",
	"policies":        "Rules that grant access, or forbid it.",
	"sector-packs":    "Ready-made roles, birthrights and mappings of a sector: installed, upgraded and taken back.",
	"accounts":        "Logins in target systems, and their owners.",
	"entitlements":    "What can be granted in target systems, and who holds it.",
	"connectors":      "Connections to target systems: types, settings, tests, sync runs and what they changed.",
	"settings":        "Settings of the tenant: users, API tokens, agents, webhooks, audit, sign-in.",
	"agents":          "The agents that run connectors inside a customer's network.",
	"agent":           "What agents themselves call, with their own tokens.",
	"audit-events":    "Who did what: the tamper-evident log of the tenant.",
	"control-plane":   "Tenants of the deployment, for control-plane administrators.",
	"webhooks":        "Messages to systems of your own when something has happened.",
	"users":           "Who may sign in, and with which roles.",
	"api-tokens":      "Tokens for integrations.",
	"correlation":     "Rules that bring accounts and people together.",
	"sign-in":         "Providers that people may sign in with.",
	"mass-changes":    "What a run would change is weighed before it is done.",
	"approval-rules":  "Who approves requests: rules, business calendars, and on-call schedules.",
	"access-requests": "Asking for access: what it takes, who is asked, what became of it, and giving it back.",
	"decision-tasks":  "Tasks that wait for a decision.",
	"dashboard":       "What there is and what waits, summed up in one call.",
}

// parameterNames are words for parameters that say the same wherever they stand.
var parameterNames = map[string]string{
	"id":             "The id of the resource.",
	"run_id":         "The id of the sync run.",
	"key":            "The key of the entry.",
	"sort":           "The order; a leading - is descending.",
	"connector_id":   "Only those of this connector.",
	"identity_id":    "Only those of this identity.",
	"account_id":     "Only those of this account.",
	"entitlement_id": "Only those of this entitlement.",
	"status":         "Only those in this status.",
	"state":          "Only those in this state.",
	"kind":           "Only those of this kind.",
	"type":           "Only those of this type.",
	"mode":           "Only those in this mode.",
	"q":              "Part of a name.",
	"expand":         "What else to return; several values, separated by commas.",
	"If-Match":       "The ETag of the version that is meant; another version is 412.",
}

// parameterWords describe a parameter that has no words of its own.
func parameterWords(p *huma.Param) string {
	if words, ok := parameterNames[p.Name]; ok {
		return words
	}
	plain := strings.ReplaceAll(p.Name, "_", " ")
	switch {
	case p.In == "path":
		return "The " + plain + "."
	case p.Schema != nil && p.Schema.Type == huma.TypeBoolean:
		return "Whether " + plain + " applies."
	}
	return "Only those whose " + plain + " is this."
}

// byFormat are examples of formats (JSON Schema draft 2020-12, section 7.3).
var byFormat = map[string]string{
	"uuid":      "0199f0a4-3b7e-7c52-8e11-5d0c9a7f4b21",
	"date-time": "2026-11-20T09:30:00Z",
	"date":      "2026-11-20",
	"email":     "ada.lovelace@example.com",
	"uri":       "https://receiver.example.com/grantwright",
	"password":  "correct horse battery staple",
	"duration":  "P30D",
}

// usually is what properties of these names hold, wherever they stand.
var usually = map[string]any{
	"external_id":         "E-1001",
	"first_name":          "Ada",
	"last_name":           "Lovelace",
	"display_name":        "Ada Lovelace",
	"email":               "ada.lovelace@example.com",
	"username":            "ada.lovelace",
	"department":          "Engineering",
	"title":               "Analyst",
	"manager_external_id": "E-1000",
	"employee_number":     "1001",
	"business_id":         "corp-directory",
	"slug":                "acme",
	"reason":              "Asked for in ticket CHG-4711",
	"justification":       "Needed for the year-end close",
	"external_reference":  "CHG-4711",
	"url":                 "https://receiver.example.com/grantwright",
	"callback_url":        "https://receiver.example.com/progress",
	"hostname":            "host1.example.com",
	"request_id":          "0199f0a4-7c1e-7d3a-9c55-3f2d6a1b8e70",
	"connection":          map[string]any{"host": "ldap.example.com", "port": 636, "base_dn": "dc=example,dc=com"},
	"credentials": map[string]any{
		"bind_dn":       "cn=reader,dc=example,dc=com",
		"bind_password": "a secret",
	},
	"location":        "Zurich",
	"country":         "CH",
	"cost_center":     "CC-100",
	"job_code":        "A1",
	"native_identity": "uid=ada.lovelace,ou=people,dc=example,dc=com",
}

// problems are examples of refusals by status.
var problems = map[string]struct {
	status       int
	code, detail string
}{
	"400": {400, "unknown_parameter", `there is no query parameter "depart" here`},
	"401": {401, "invalid_token", "The token is not valid for this service."},
	"403": {403, "forbidden", "this needs the role admin"},
	"404": {404, "not_found", "there is nothing of this id that you may see"},
	"406": {406, "not_acceptable", "answers are JSON"},
	"409": {409, "conflict", "the state does not allow it"},
	"410": {410, "gone", "this has been removed; the Link header names what replaces it"},
	"412": {412, "precondition_failed", "the resource was changed in the meantime; read it again"},
	"413": {413, "payload_too_large", "the body may have at most 1048576 bytes"},
	"415": {415, "unsupported_media_type", "the body must be JSON in UTF-8"},
	"422": {422, "validation_failed", "validation failed"},
	"429": {429, "rate_limited", "too many requests; wait a moment"},
	"500": {500, "internal_error", "An internal error occurred. Find its cause in the log by the request ID."},
	"502": {502, "target_error", "the target answered 503 Service Unavailable"},
	"503": {503, "temporarily_overloaded", "the service is busy; try again in a moment"},
	"504": {504, "target_timeout", "the target did not answer in time"},
}
