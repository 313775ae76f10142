package scenarios

import (
	"net/http"
	"time"

	"github.com/grantwright/grantwright/e2e/harness"
)

// cast brings in a user of every role, some bound to people: a manager with reports, one of these, and somebody who
// owns things.
func (s *scene) cast() {
	s.t.Helper()
	reports := map[string][]colleague{}
	for _, p := range s.people {
		if p.ManagerID != nil {
			reports[*p.ManagerID] = append(reports[*p.ManagerID], p)
		}
	}
	some := map[string]bool{} // who has accounts, and is in no group yet
	for _, p := range s.employed(30)[:17] {
		some[p.Number] = true
	}
	var boss, owner colleague
	for _, p := range s.people {
		switch n := len(reports[p.ID]); {
		case n > len(reports[boss.ID]) && p.ManagerID != nil:
			boss = p
		case n == 0 && some[p.Number] && owner.ID == "" && p.ManagerID != nil:
			owner = p
		}
	}
	team := reports[boss.ID]
	for i := range team { // one of them can be given something in the systems that can be written to
		if some[team[i].Number] && team[i].ID != owner.ID {
			team[0], team[i] = team[i], team[0]
			break
		}
	}
	if len(team) < 2 || owner.ID == "" {
		s.t.Fatalf("of %d people nobody leads two others, or nobody leads nobody", len(s.people))
	}
	s.join("manager", &boss, "manager")
	s.join("owner", &owner, "resource_owner")
	s.join("member", &team[0])
	s.join("auditor", nil, "auditor")
	s.join("second", nil, "admin") // another administrator, for what takes two
	s.join("locked", nil)          // whose password is typed wrong again and again
	s.join("careful", nil, "admin")
	s.secondFactor("careful")
	s.name("person", boss.ID, boss.Name)
	s.name("report", team[1].ID, team[1].Name)
	s.name("user", s.Users["manager"].ID, s.Users["manager"].Email)
}

// join invites somebody, who comes in.
func (s *scene) join(role string, p *colleague, roles ...string) {
	s.t.Helper()
	a := actor{Email: role + "@" + s.Tenant + ".example"}
	if p != nil {
		a.Identity, a.Name = p.ID, p.Name
	}
	m := s.Member(s.admin, a.Email, a.Identity, roles...)
	a.ID, a.Password = m.ID, harness.Password(a.Email)
	s.Users[role], s.clients[role] = a, m.Client
}

func (s *scene) secondFactor(role string) {
	s.t.Helper()
	a := s.Users[role]
	begun := harness.Read[struct {
		Secret string `json:"secret"`
	}](s.House, s.Expect("201", s.clients[role], "POST", "/auth/mfa/totp", map[string]string{"password": a.Password}))
	app := authenticator{s.t, begun.Secret}
	s.Expect(
		"200",
		s.clients[role],
		"POST",
		"/auth/mfa/totp/confirm",
		map[string]string{"code": app.code(app.step() - 1)},
	)
	a.Totp = begun.Secret
	s.Users[role] = a
}

// rules say what can be asked for, of whom, and who has what without asking.
func (s *scene) rules() {
	s.t.Helper()
	for thing, change := range map[string]map[string]any{
		"Payroll": {"risk_level": "high", "owner_ids": []string{s.Users["owner"].Identity}},
		"Vault":   {"risk_level": "critical", "owner_ids": []string{s.Users["owner"].Identity}},
		"Library": {}, "Editors": {}, "Publishers": {"max_duration": "P90D"}, "Translators": {"risk_level": "low"},
	} {
		if s.things[thing] == "" {
			s.t.Fatalf("there is no %s among %v", thing, s.things)
		}
		change["requestable"], change["business_description"] = true, "What the "+thing+" team works with."
		s.Expect("200", s.admin, "PATCH", "/entitlements/"+s.things[thing], change)
	}
	s.name("entitlement", s.things["Payroll"], "Payroll")
	s.name("entitlementFree", s.things["Archive"], "Archive")
	admins := []any{map[string]any{"kind": "app_role", "app_role": "admin"}}
	s.name("rule", s.post("/approval-rules", map[string]any{
		"name":        "Editors",
		"description": "Whoever looks after the service decides.",
		"applies_to":  map[string]any{"entitlement_ids": []string{s.things["Editors"]}},
		"branches": []any{map[string]any{"outcome": map[string]any{"kind": "chain", "stages": []any{
			map[string]any{
				"name":           "The service",
				"groups":         []any{map[string]any{"approvers": admins, "mode": "any"}},
				"respond_within": "P1D",
			},
		}}}},
	}), "Editors")
	week := map[string]any{}
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday"} {
		week[day] = []any{map[string]any{"from": "09:00", "to": "17:00"}}
	}
	s.name(
		"calendar",
		s.post(
			"/approval-rules/calendars",
			map[string]any{"name": "Office hours", "timezone": "Europe/Berlin", "week": week},
		),
		"Office hours",
	)
	s.name("oncall", s.post("/approval-rules/on-call", map[string]any{
		"name":         "Service desk",
		"shift":        "P7D",
		"identity_ids": []string{s.Users["owner"].Identity, s.Users["manager"].Identity},
	}), "Service desk")
	s.name("role", s.post("/entitlements/roles", map[string]any{
		"name":            "Web editor",
		"description":     "Writes for the web site.",
		"requestable":     true,
		"owner_ids":       []string{s.Users["owner"].Identity},
		"entitlement_ids": []string{s.things["Library"], s.things["Editors"]},
	}), "Web editor")
	s.post(
		"/entitlements/roles/"+s.IDs["role"]+"/members",
		map[string]any{"identity_id": s.IDs["report"], "reason": "writes on Mondays"},
	)
	s.name(
		"roleDraft",
		s.post(
			"/entitlements/roles",
			map[string]any{
				"name":            "Translator",
				"lifecycle":       "draft",
				"entitlement_ids": []string{s.things["Translators"]},
			},
		),
		"Translator",
	)
	s.name("policy", s.post("/policies/access-grant", map[string]any{
		"name":       "Remote access for everybody",
		"mode":       "shadow",
		"birthright": true,
		"subject": map[string]any{
			"match": "all",
			"rules": []any{map[string]any{"field": "kind", "op": "eq", "value": "human"}},
		},
		"resources": map[string]any{"entitlement_ids": []string{s.things["Remote access"]}},
	}), "Remote access for everybody")
	s.post("/policies/access-grant", map[string]any{
		"name":       "Access by department",
		"mode":       "shadow",
		"birthright": true,
		"table": map[string]any{
			"columns": []string{"department"},
			"rows": []any{map[string]any{
				"cells": []string{"*"}, "entitlement_ids": []string{s.things["Remote access"]},
			}},
		},
	})
}

// asked makes requests in several states.
func (s *scene) asked() {
	s.t.Helper()
	waits := s.asks("member", "Library")
	s.name("request", waits.ID, waits.Number)
	s.name("requestForOwner", s.asks("member", "Payroll").ID, "")
	s.name("requestForAdmin", s.asks("owner", "Editors").ID, "")
	s.asks("manager", "Editors")
	cancelled := s.asks("member", "Translators")
	s.Expect(
		"200",
		s.clients["member"],
		"POST",
		"/access-requests/"+cancelled.ID+"/cancel",
		map[string]any{"reason": "not needed after all"},
	)
	s.name("requestCancelled", cancelled.ID, cancelled.Number)
	rejected := s.asks("member", "Vault")
	s.decides("manager", rejected.ID, "reject")
	s.name("requestRejected", rejected.ID, rejected.Number)
	done := s.asks("member", "Publishers")
	s.decides("manager", done.ID, "approve")
	s.name("requestDone", done.ID, done.Number)
	s.post("/decision-tasks/delegations", map[string]any{
		"delegator_id": s.Users["owner"].Identity,
		"delegate_id":  s.Users["manager"].Identity,
		"reason":       "on leave",
		"starts_at": time.Now().
			Add(24 * time.Hour).
			UTC().
			Format(time.RFC3339),
		"ends_at": time.Now().Add(240 * time.Hour).UTC().Format(time.RFC3339),
	})
}

func (s *scene) asks(role, thing string) asked {
	s.t.Helper()
	return harness.Read[asked](s.House, s.Expect("201", s.clients[role], "POST", "/access-requests", map[string]any{
		"requested_for_identity_id": s.Users[role].Identity,
		"requested_resources":       []any{map[string]any{"entitlement_id": s.things[thing]}},
		"justification":             "I look after the books of March.",
	}))
}

// decides answers the task of a request, which has still to come perhaps.
func (s *scene) decides(role, request, action string) {
	s.t.Helper()
	harness.Eventually(s.t, "a task of the "+role, func() bool {
		for _, task := range harness.All[waiting](s.House, s.clients[role], "/decision-tasks", nil) {
			if task.Source.ID == request {
				s.Expect(
					"200",
					s.clients[role],
					http.MethodPost,
					"/decision-tasks/"+task.ID+"/decide",
					map[string]any{"action": action, "comment": "as agreed"},
				)
				return true
			}
		}
		return false
	}, nil)
}
