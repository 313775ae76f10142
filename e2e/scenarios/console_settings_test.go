package scenarios

import (
	"testing"

	"github.com/grantwright/grantwright/e2e/harness"
)

// hooked makes two webhooks, one of which is refused by its receiver.
func (s *scene) hooked() {
	s.t.Helper()
	events := []string{"identity.created", "identity.updated"}
	s.name(
		"webhook",
		s.post("/settings/webhooks", map[string]any{"name": "Tickets", "url": s.hooks.url + "/in", "events": events}),
		"Tickets",
	)
	s.name(
		"webhookRefused",
		s.post(
			"/settings/webhooks",
			map[string]any{"name": "Archive", "url": s.refuses.url + "/in", "events": events[:1]},
		),
		"Archive",
	)
}

// settings fills what administrators look after.
func (s *scene) settings() {
	s.t.Helper()
	s.name(
		"token",
		s.post(
			"/settings/api-tokens",
			map[string]any{"name": "HR export", "role": "auditor", "scopes": []string{"identities:read"}},
		),
		"HR export",
	)
	s.name("agentInvited", s.post("/settings/agents", map[string]any{"name": "attic-" + s.Tenant}), "attic-"+s.Tenant)
	s.name("provider", s.post("/settings/identity-providers", map[string]any{
		"name":          "corporate",
		"issuer":        "https://127.0.0.1:9443",
		"client_id":     "grantwright",
		"client_secret": "of-the-provider-s3cret",
		"enabled":       false,
	}), "corporate")
	s.name("stream", s.post("/settings/audit-streams", map[string]any{
		"name": "Watchtower", "kind": "https", "url": s.hooks.url + "/audit", "format": "ndjson", "enabled": false,
	}), "Watchtower")
	s.Expect("200", s.admin, "PUT", "/identities/schema/attributes", map[string]any{"open": true, "attributes": []any{
		map[string]any{
			"name":        "shirt_size",
			"type":        "enum",
			"allowed":     []string{"S", "M", "L"},
			"description": "For the summer party",
		},
	}})
	s.post("/sector-packs/manufacturing/install", map[string]any{})
	s.name("pack", "manufacturing", "Manufacturing")
	s.deadLetters()
}

// deadLetters adds work that has failed eight times, which takes more than an hour: two plans and two checks of drift.
// Nobody has their subjects, so a retry has nothing to do and succeeds.
func (s *scene) deadLetters() {
	s.t.Helper()
	const sql = `
		insert into work_item (tenant_id, kind, subject, state, attempts, last_error, failed_at)
		select t.id, k.kind, gen_random_uuid(), 'dead', 8, k.error, now()
		  from tenant t
		 cross join (values ('provisioning', 'planted by the test: the template names the unknown attribute shoe_size'),
		                    ('drift', 'planted by the test: the template names the unknown attribute shoe_size'))
		       k (kind, error)
		 cross join generate_series(1, 2)
		 where t.slug = $1`
	s.Exec(sql, s.Tenant)
}

// stranger is a tenant beside, with something that nobody else may see.
func stranger(t *testing.T, h *harness.House, main *scene) {
	t.Helper()
	c := h.Tenant("beside")
	email, password := harness.Account("beside")
	main.Users["stranger"] = actor{Email: email, Password: password}
	main.IDs["strangerPerson"] = h.Person(c, "X-1")
	s := &scene{props: &props{House: h, t: t, admin: c}}
	main.IDs["strangerRole"] = s.post("/entitlements/roles", map[string]any{"name": "Hidden", "lifecycle": "draft"})
	main.IDs["strangerConnector"] = s.post(
		"/connectors",
		map[string]any{"name": "Hidden system", "type": "ldap", "draft": true},
	)
	main.IDs["strangerWebhook"] = s.post(
		"/settings/webhooks",
		map[string]any{"name": "Hidden hook", "url": main.hooks.url + "/b", "events": []string{"identity.created"}},
	)
}
