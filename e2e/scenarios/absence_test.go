package scenarios

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// fate is where a record stands.
type fate struct {
	ID, Status string
}

// fates are the people, accounts and grants that belong to some keys, by what they are.
func fates(h *harness.House, c *api.Client, keys []string) map[string]fate {
	type record struct {
		ID          string `json:"id"`
		ExternalID  string `json:"external_id"`
		Status      string `json:"status"`
		Account     string `json:"account_id"`
		Entitlement string `json:"entitlement_id"`
		Directness  string `json:"directness"`
	}
	found, accounts := map[string]fate{}, map[string]bool{}
	for list, all := range map[string]url.Values{"/identities": nil,
		"/accounts": {"status": {"active,disabled,locked,missing,deleted"}}} {
		for _, r := range harness.All[record](h, c, list, all) {
			if slices.Contains(keys, r.ExternalID) {
				found[list+" "+r.ExternalID] = fate{r.ID, r.Status}
				accounts[r.ID] = true
			}
		}
	}
	for _, g := range harness.All[record](h, c, "/entitlements/grants",
		url.Values{"status": {"active,missing,revoked"}}) {
		if accounts[g.Account] && g.Directness == "direct" {
			found["grant "+g.Account+" "+g.Entitlement] = fate{g.ID, g.Status}
		}
	}
	return found
}

// statuses are those of each kind of record, each once.
func statuses(all map[string]fate) map[string][]string {
	out := map[string][]string{}
	for key, f := range all {
		var kind string
		_, _ = fmt.Sscan(key, &kind) // a key begins with a word
		if !slices.Contains(out[kind], f.Status) {
			out[kind] = append(out[kind], f.Status)
		}
	}
	return out
}

// leavers are three people without reports, who are in the directory and active.
func leavers(s *samples) (gone []people.Person, accounts []people.Account) {
	for _, p := range s.company.People {
		boss := slices.ContainsFunc(s.company.People, func(o people.Person) bool { return o.Manager == p.Number })
		i := slices.IndexFunc(
			s.company.Directory.Accounts,
			func(a people.Account) bool { return a.Login == p.Login && a.Enabled },
		)
		grouped := slices.ContainsFunc(s.company.Directory.Groups, func(g people.Group) bool {
			return len(g.Members) > 1 && slices.Contains(g.Members, p.Login)
		})
		role := slices.ContainsFunc(s.company.Roles, func(r people.SecurityRole) bool {
			return slices.ContainsFunc(r.Members, func(m people.RoleMember) bool { return m.Number == p.Number })
		})
		if !boss && !role && grouped && i >= 0 && p.Status == people.Active && len(gone) < 3 {
			gone, accounts = append(gone, p), append(accounts, s.company.Directory.Accounts[i])
		}
	}
	return gone, accounts
}

func TestWhoIsNotSeenIsMissingFirstThenGoneAndTheSameAsBeforeWhenBack(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	staff, logins := leavers(s)
	var numbers, ids []string
	for i := range staff {
		numbers, ids = append(numbers, staff[i].Number), append(ids, logins[i].ID)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name               string
		connector          api.Connector
		keys               []string
		leave, comeBack    func()
		first, second, was map[string][]string
	}{
		{"hr", s.state.PersonnelWithRoles(), numbers, func() {
			for _, p := range staff {
				must(s.hr.RemoveEmployee(p.Number))
			}
		}, func() {
			for _, p := range staff {
				must(s.hr.AddEmployee(p))
			}
		}, map[string][]string{"/identities": {"active"}, "/accounts": {"missing"}},
			map[string][]string{"/identities": {"deactivated"}, "/accounts": {"deleted"}},
			map[string][]string{"/identities": {"active"}, "/accounts": {"active"}}},
		{"directory", s.state.Directory(), ids, func() {
			for _, a := range logins {
				must(s.ldap.RemoveAccount(a.Login))
			}
		}, func() {
			for _, a := range logins {
				must(s.ldap.AddAccount(a))
				for _, g := range s.company.Directory.Groups {
					if slices.Contains(g.Members, a.Login) {
						must(s.ldap.AddMember(g.Name, a.Login))
					}
				}
			}
		}, map[string][]string{"/accounts": {"missing"}, "grant": {"missing"}},
			map[string][]string{"/accounts": {"deleted"}, "grant": {"revoked"}},
			map[string][]string{"/accounts": {"active"}, "grant": {"active"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := h.For(t)
			c := h.Tenant(tt.name)
			connector := h.Connect(c, tt.connector)
			h.Sync(c, connector, api.Sync{})
			before := fates(h, c, tt.keys)
			check := func(when string, want map[string][]string, r api.Run, count func(api.Counted) int64) {
				t.Helper()
				if diff := cmp.Diff(want, statuses(fates(h, c, tt.keys))); diff != "" {
					t.Errorf("%s: states -want +got\n%s", when, diff)
				}
				for _, kind := range []string{"identities", "accounts"} {
					if _, has := want["/"+kind]; has && count(r.Report[kind]) != 3 {
						t.Errorf("%s: the report says %+v of %s; want three", when, r.Report[kind], kind)
					}
				}
			}
			if diff := cmp.Diff(tt.was, statuses(before)); diff != "" {
				t.Fatalf("before: states -want +got\n%s", diff)
			}
			tt.leave()
			check(
				"absent once",
				tt.first,
				h.Sync(c, connector, api.Sync{}),
				func(k api.Counted) int64 { return k.Missing },
			)
			check(
				"absent twice",
				tt.second,
				h.Sync(c, connector, api.Sync{}),
				func(k api.Counted) int64 { return k.Removed },
			)
			third := h.Sync(c, connector, api.Sync{})
			if k := third.Counters; k.Missing+k.Removed+k.Updated+k.Created+k.Reappeared != 0 {
				t.Errorf("absent a third time: %+v; want nothing new", k)
			}
			tt.comeBack()
			check("back", tt.was, h.Sync(c, connector, api.Sync{}), func(k api.Counted) int64 { return k.Reappeared })
			if diff := cmp.Diff(before, fates(h, c, tt.keys)); diff != "" {
				t.Errorf("who is back is not who was there: -was +is\n%s", diff)
			}
		})
	}
}
