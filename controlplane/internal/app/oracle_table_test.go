package app_test

import (
	"fmt"
	"slices"
	"strings"
)

// sees says of every operation that reads what a caller may see there. A list is held against the oracle row by row,
// with its total, its pages, its filters and its searches; a record is there or is as if it did not exist.
//
//	people, accounts, groups, grants   the list of those that may be listed
//	of person, of account, of group    a list that hangs on a record of the path, see hanging
//	person, account, group, grant      one record
//	story of grant, story of person    why a grant is there, or why a person holds something or not: for whoever may read the grant, or might
//	self                               the caller's own record
//	overseers                          the same for all who see the whole tenant, and refused to everybody else
//	operators                          refused to all who are no control-plane admin
//	own                                what is about the caller's own sign-in
//	alike                              the same for everybody
//	apart                              what the tests of its own room hold against what may be seen
const sees = `
/accounts                                       accounts
/accounts/disputed                              accounts
/accounts/drifted                               apart
/accounts/orphaned                              accounts
/accounts/provisioning-tasks                    apart
/accounts/provisioning-tasks/groups             apart
/accounts/provisioning-tasks/{id}               apart
/accounts/uncorrelated                          accounts
/accounts/{id}                                  account
/accounts/{id}/grants                           of account
/accounts/{id}/history                          apart
/accounts/{id}/drift                            apart
/access-requests                                apart
/access-requests/catalog                        apart
/access-requests/catalog/search                 apart
/access-requests/metrics                        overseers
/access-requests/{id}                           apart
/access-requests/{id}/timeline                  apart
/approval-rules                                 overseers
/approval-rules/calendars                       overseers
/approval-rules/calendars/{id}                  overseers
/approval-rules/coverage                        overseers
/approval-rules/on-call                         overseers
/approval-rules/on-call/{id}                    overseers
/approval-rules/{id}                            overseers
/approval-rules/{id}/versions                   overseers
/audit-events                                   overseers
/audit-events/catalog                           overseers
/audit-events/checkpoints                       overseers
/audit-events/export                            overseers
/audit-events/verify                            overseers
/audit-events/{id}                              overseers
/auth/.well-known/jwks.json                     alike
/auth/me                                        own
/auth/options                                   alike
/auth/oidc/callback                             own
/auth/oidc/start                                own
/auth/passkeys                                  own
/auth/sessions                                  own
/connectors                                     overseers
/connectors/funnel                              overseers
/connectors/types                               overseers
/connectors/types/{key}                         overseers
/connectors/{id}                                overseers
/connectors/{id}/correlation                    overseers
/connectors/{id}/deletion-impact                overseers
/connectors/{id}/health                         overseers
/connectors/{id}/mappings                       overseers
/connectors/{id}/schema                         overseers
/connectors/{id}/schema-diffs                   overseers
/connectors/{id}/schema-diffs/{diff_id}         overseers
/connectors/{id}/schema/snapshots               overseers
/connectors/{id}/schema/snapshots/{snapshot_id} overseers
/connectors/{id}/wizard                         overseers
/connectors/{id}/safety                         overseers
/connectors/{id}/schedule                       overseers
/connectors/{id}/provisioning                   overseers
/connectors/{id}/sync-runs                      overseers
/connectors/{id}/sync-runs/{run_id}             overseers
/connectors/{id}/sync-runs/{run_id}/changes     overseers
/connectors/{id}/sync-runs/{run_id}/changes.csv overseers
/connectors/{id}/sync-runs/{run_id}/diff        overseers
/connectors/{id}/sync-runs/{run_id}/errors      overseers
/connectors/{id}/sync-runs/{run_id}/events      overseers
/connectors/{id}/sync-runs/{run_id}/holds       overseers
/control-plane/tenants                          operators
/control-plane/tenants/{id}                     operators
/control-plane/work-queue                       operators
/control-plane/work-queue/recurring             operators
/dashboard                                      apart
/decision-tasks                                 apart
/decision-tasks/delegations                     apart
/decision-tasks/delegations/colleagues          apart
/decision-tasks/delegations/effective           apart
/decision-tasks/delegations/{id}                apart
/decision-tasks/summary                         apart
/decision-tasks/{id}                            apart
/decision-tasks/{id}/colleagues                 apart
/entitlements                                   groups
/entitlements/grants                            grants
/entitlements/grants/{id}                       grant
/entitlements/grants/{id}/explain               story of grant
/entitlements/grants/{id}/timeline              apart
/entitlements/roles                             apart
/entitlements/roles/export                      overseers
/entitlements/roles/{id}                        apart
/entitlements/roles/{id}/diff                   apart
/entitlements/roles/{id}/draft                  apart
/entitlements/roles/{id}/members                apart
/entitlements/roles/{id}/versions               apart
/entitlements/{id}                              group
/entitlements/{id}/grants                       of group
/entitlements/{id}/hierarchy                    apart
/entitlements/{id}/members                      of group
/entitlements/{id}/usage                        apart
/identities                                     people
/identities/departments                         overseers
/identities/export                              overseers
/identities/me                                  self
/identities/schema/attributes                   overseers
/identities/{id}                                person
/identities/{id}/access-explain                 story of person
/identities/{id}/accounts                       of person
/identities/{id}/grants                         of person
/identities/{id}/compare                        apart
/identities/{id}/timeline                       apart
/identities/{id}/handover                       overseers
/identities/{id}/reports                        of person
/identities/{id}/roles                          apart
/policies/access-grant                          overseers
/policies/access-grant/{id}                     overseers
/policies/access-grant/{id}/versions            overseers
/policies/decision-tables/{id}/check            overseers
/policies/decision-tables/{id}/export           overseers
/policies/duties                                overseers
/policies/duties/{id}                           overseers
/policies/duties/{id}/versions                  overseers
/policies/separation-of-duties                  overseers
/policies/separation-of-duties/{id}             overseers
/policies/separation-of-duties/{id}/versions    overseers
/policies/separation-of-duties/export           overseers
/policies/separation-of-duties/scan             overseers
/policies/separation-of-duties/simulations      overseers
/policies/separation-of-duties/simulations/{id} overseers
/policies/separation-of-duties/simulations/{id}/results/file overseers
/policies/separation-of-duties/simulations/{id}/results overseers
/policies/mitigation                            overseers
/policies/mitigation/{id}                       overseers
/policies/mitigation/{id}/versions              overseers
/policies/mitigations                           apart
/policies/mitigations/{id}                      apart
/policies/mitigations/{id}/evidence             apart
/policies/mitigations/{id}/evidence/{evidence_id} apart
/policies/mitigations/{id}/evidence/{evidence_id}/file apart
/policies/requirement-gaps                      apart
/policies/requirement-gaps/{id}                 apart
/policies/violations                            apart
/policies/violations/{id}                       apart
/sector-packs                                   overseers
/sector-packs/{key}                             overseers
/sector-packs/{key}/conflicts                   overseers
/sector-packs/{key}/installation                overseers
/sector-packs/{key}/objects                     overseers
/sector-packs/{key}/versions/{version}          overseers
/settings/agents                                overseers
/settings/agents/{id}                           overseers
/settings/api-tokens                            overseers
/settings/api-tokens/scopes                     overseers
/settings/api-tokens/{id}                       overseers
/settings/audit-streams                         overseers
/settings/audit-streams/{id}                    overseers
/settings/audit/retention                       overseers
/settings/identity-providers                    overseers
/settings/identity-providers/{id}               overseers
/settings/lifecycle                             overseers
/settings/notifications                         overseers
/settings/notifications/deliveries              overseers
/settings/notifications/deliveries/{id}         overseers
/settings/notifications/me                      own
/settings/notifications/templates               overseers
/settings/orphans                               overseers
/settings/provisioning                          overseers
/settings/sign-in-rules                         overseers
/settings/sign-in-rules/{id}                    overseers
/settings/tenant                                overseers
/settings/users                                 overseers
/settings/users/{id}                            overseers
/settings/webhooks                              overseers
/settings/webhooks/event-types                  overseers
/settings/webhooks/{id}                         overseers
/settings/webhooks/{id}/deliveries              overseers
/settings/webhooks/{id}/deliveries/{delivery_id} overseers
/settings/work-queue                            overseers
/settings/work-queue/summary                    overseers
`

// seen are the rows of sees, which must be the operations that read, and no others.
func (s *site) seen() map[string][]string {
	s.t.Helper()
	rows, byRule := map[string]string{}, map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(sees), "\n") {
		path, rule, _ := strings.Cut(line, " ")
		rows[path] = strings.TrimSpace(rule)
	}
	for path, methods := range s.described() {
		if _, reads := methods["get"]; !reads {
			continue
		}
		path = strings.TrimPrefix(path, "/api/v1")
		rule, known := rows[path]
		if !known {
			s.t.Errorf("nothing says what may be seen by GET %s", path)
			continue
		}
		delete(rows, path)
		byRule[rule] = append(byRule[rule], path)
	}
	for path := range rows {
		s.t.Errorf("GET %s is in the table of what may be seen and does not exist", path)
	}
	for _, paths := range byRule {
		slices.Sort(paths)
	}
	return byRule
}

// part is a list with a query, and which of the rows that may be listed are in it.
type part struct {
	path string
	in   func(id string) bool
}

// parts are the ways to ask for a list of the whole tenant: as it is, by filters that name something, seen or not, and
// by search. who, what, where and which are a person, an account, a group and a connector.
func (s sight) parts(path, who, what, where, which string) []part {
	query := func(q string) string { return path + "?" + q }
	switch path {
	case "/identities":
		present := func(id string) bool { p, is := s.people[id]; return is && p.Status != "archived" }
		return []part{
			{query("sort=-display_name"), present},
			{
				query("status=archived,deactivated,notice,active,pre_hire,on_leave"),
				func(id string) bool { _, is := s.people[id]; return is },
			},
			{query("status=deactivated"), func(id string) bool { return s.people[id].Status == "deactivated" }},
			{
				query("manager_id=" + who),
				func(id string) bool { m := s.people[id].Manager; return present(id) && m != nil && *m == who },
			},
			{query("q=" + s.people[who].Name), func(id string) bool { return present(id) && id == who }},
			{query("q=person&sort=last_name"), present},
			{query("department=D1"), func(id string) bool { return present(id) && s.people[id].Department == "D1" }},
		}
	case "/entitlements":
		present := func(id string) bool { g, is := s.groups[id]; return is && !g.Removed }
		return []part{
			{query("sort=name"), present},
			{
				query("lifecycle=active,deprecated,retired,disconnected"),
				func(id string) bool { _, is := s.groups[id]; return is },
			},
			{
				query("owner_id=" + who),
				func(id string) bool { return present(id) && slices.Contains(s.groups[id].Owners, who) },
			},
			{query("owned=false"), func(id string) bool { return present(id) && len(s.groups[id].Owners) == 0 }},
			{query("q=" + s.groups[where].Name), func(id string) bool { return present(id) && id == where }},
		}
	case "/entitlements/grants":
		present := func(id string) bool { g, is := s.grants[id]; return is && !g.over() }
		return []part{
			{query("expand=paths"), present},
			{
				query("status=revoked,failed"),
				func(id string) bool { st := s.grants[id].Status; return st == "revoked" || st == "failed" },
			},
			{query("identity_id=" + who), func(id string) bool {
				o := s.accounts[s.grants[id].Account].Owner
				return present(id) && o != nil && *o == who
			}},
			{query("account_id=" + what), func(id string) bool { return present(id) && s.grants[id].Account == what }},
			{query("entitlement_id=" + where + "&directness=direct"), func(id string) bool {
				return present(id) && s.grants[id].Group == where && s.grants[id].Directness == "direct"
			}},
		}
	}
	return s.partsOfAccounts(path, who, what, which)
}

func (s sight) partsOfAccounts(path, who, what, which string) []part {
	present := func(id string) bool {
		a, is := s.accounts[id]
		return is && !a.over() && s.selected(path, a)
	}
	return []part{
		{path, present},
		{path + "?status=deleted,missing,active,disconnected", func(id string) bool {
			a := s.accounts[id]
			return slices.Contains([]string{"deleted", "missing", "active", "disconnected"}, a.Status) &&
				s.selected(path, a)
		}},
		{
			path + "?sort=-username&identity_id=" + who,
			func(id string) bool { o := s.accounts[id].Owner; return present(id) && o != nil && *o == who },
		},
		{
			path + "?connector_id=" + which,
			func(id string) bool { return present(id) && s.accounts[id].Connector == which },
		},
		{path + "?q=" + s.accounts[what].Name, func(id string) bool { return present(id) && id == what }},
	}
}

// selected reports whether an account belongs to one of the four lists.
func (s sight) selected(path string, a account) bool {
	switch path {
	case "/accounts/disputed":
		return a.State == "disputed"
	case "/accounts/uncorrelated":
		return a.State == "uncorrelated"
	case "/accounts/orphaned":
		return s.orphaned(a)
	}
	return true
}

// hanging are the ways to ask for a list that hangs on a record, and the rows that are in it. What hangs on one's own
// record is read with it.
func (s sight) hanging(path, id string) []part {
	at := strings.Replace(path, "{id}", id, 1)
	grants := func(of func(g grant) bool, all map[string]bool, states ...string) func(string) bool {
		return func(row string) bool {
			g, is := s.grants[row]
			return is && all[row] && of(g) && (len(states) == 0 && !g.over() || slices.Contains(states, g.Status))
		}
	}
	ofPerson := func(g grant) bool { o := s.accounts[g.Account].Owner; return o != nil && *o == id }
	ofGroup := func(g grant) bool { return g.Group == id }
	held := []string{"active", "ending", "revoking", "missing"}
	switch path {
	case "/accounts/{id}/grants":
		return []part{{at, grants(func(g grant) bool { return g.Account == id }, s.read)}}
	case "/entitlements/{id}/grants":
		return []part{{at, grants(ofGroup, s.listed)}}
	case "/entitlements/{id}/members":
		direct := func(g grant) bool { return g.Group == id && g.Directness == "direct" }
		return []part{
			{at, grants(direct, s.listed, held...)},
			{at + "?effective=true", grants(ofGroup, s.listed, held...)},
		}
	case "/identities/{id}/grants":
		return []part{{at + "?expand=paths", grants(ofPerson, s.read)}}
	case "/identities/{id}/accounts":
		return []part{{at, func(row string) bool {
			a, is := s.accounts[row]
			return is && s.read[row] && a.Owner != nil && *a.Owner == id && !a.over()
		}}}
	case "/identities/{id}/reports":
		report := func(row string, direct bool) bool {
			p, is := s.people[row]
			if !is || row == id || !s.listed[row] || p.Status == "archived" {
				return false
			}
			return direct && p.Manager != nil && *p.Manager == id ||
				!direct && s.beneath(row, id, func(up string) bool { return s.listed[up] })
		}
		return []part{
			{at, func(row string) bool { return report(row, true) }},
			{at + "?indirect=true", func(row string) bool { return report(row, false) }},
		}
	}
	panic(fmt.Sprintf("nothing says what hangs on %s", path))
}
