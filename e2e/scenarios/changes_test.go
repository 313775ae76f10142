package scenarios

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// living is a system in which people change.
type living struct {
	connector api.Connector
	strategy  string
	list      string                   // of what is read
	read      func(api.Counters) int64 // how many of it a run has read
	rename    func(i int, name string) error
	tuning    map[string]any // a change of its settings that changes nothing about what is read
}

func accountsRead(k api.Counters) int64 { return k.Accounts }
func peopleRead(k api.Counters) int64   { return k.Identities }

// alive are systems of their own for each way of reading.
func alive(t *testing.T) map[string]living {
	t.Helper()
	s := serve(t, 200, 0)
	staff, workspace := s.company.People, users(s.company.SaaS.Accounts)
	directory := living{
		connector: s.state.Directory(),
		strategy:  "ldap_modify_timestamp",
		list:      "/accounts",
		read:      accountsRead,
		tuning:    settings("page_size", 400),
		rename: func(i int, name string) error {
			return s.ldap.UpdateAccount(
				s.company.Directory.Accounts[i].Login,
				func(a *people.Account) { a.DisplayName = name },
			)
		},
	}
	hr := living{
		connector: s.state.Personnel(),
		strategy:  "rest_parameter",
		list:      "/identities",
		read:      peopleRead,
		tuning:    settings("max_pages", 500),
		rename: func(i int, name string) error {
			return s.hr.UpdateEmployee(staff[i].Number, func(p *people.Person) { p.DisplayName = name })
		},
	}
	stream := hr.connector.Connection["streams"].([]any)[0].(map[string]any)
	stream["incremental"] = map[string]any{"param": "updated_since", "field": "updatedAt", "overlap_s": 0}
	slapd := ldaptest.StartSlapd(t, ldaptest.Options{Users: 150, Groups: 3, PerGroup: 5, Syncprov: true})
	admin := slapd.Admin(t)
	c := api.Connector{
		BusinessID: "openldap",
		Name:       "OpenLDAP",
		Type:       "ldap",
		Purpose:    "target",
		Connection: slapd.AuthConfig(),
	}
	c.Credentials = map[string]any{"bind_password": c.Connection["bind_password"]}
	delete(c.Connection, "bind_password")
	openLDAP := living{
		connector: c,
		strategy:  "ldap_syncrepl",
		list:      "/accounts",
		read:      accountsRead,
		tuning:    settings("page_size", 400),
		rename: func(i int, name string) error {
			m := goldap.NewModifyRequest(ldaptest.UserDN(i), nil)
			m.Replace("displayName", []string{name})
			return admin.Modify(m)
		},
	}
	return map[string]living{
		"directory": directory, "hr": hr, "openldap": openLDAP,
		"workspace": {
			connector: s.state.Workspace(),
			strategy:  "scim_last_modified",
			list:      "/accounts",
			read:      accountsRead,
			tuning:    settings("count", 150),
			rename: func(i int, name string) error {
				return s.scim.UpdateUser(workspace[i], map[string]any{"displayName": name})
			},
		},
	}
}

func users(accounts []people.Account) []string {
	var logins []string
	for _, a := range accounts {
		logins = append(logins, a.Login)
	}
	return logins
}

func TestOnlyWhatHasChangedIsReadAndNothingOfItIsForgotten(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	for _, mode := range []string{"hosted", "agent"} {
		for name, system := range alive(t) {
			name += "-" + mode
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := h.For(t)
				c := h.Tenant(name)
				if system.connector.Mode = mode; mode == "agent" {
					system.connector.AgentID = h.Agent(c, name).ID
				}
				system.live(t, h, c, name)
			})
		}
	}
}

// live lets five people change at a time and checks what each run reads.
func (l living) live(t *testing.T, h *harness.House, c *api.Client, name string) {
	t.Helper()
	rename := func(round int, who ...int) {
		t.Helper()
		for _, i := range who {
			if err := l.rename(i, fmt.Sprintf("%s %d %d", name, round, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	// known says how many of a round have their new name.
	known := func(round int) (n int) {
		for _, r := range harness.All[struct {
			Name string `json:"display_name"`
		}](h, c, l.list, nil) {
			if strings.HasPrefix(r.Name, fmt.Sprintf("%s %d ", name, round)) {
				n++
			}
		}
		return n
	}
	connector := h.Connect(c, l.connector)
	whole := h.Sync(c, connector, api.Sync{Incremental: true})
	if whole.Strategy != "full" || whole.Incremental || whole.Fallback != "first_sync" {
		t.Errorf(
			"the first run was read by %q, because of %q; want full, since it is the first",
			whole.Strategy,
			whole.Fallback,
		)
	}
	rename(1, 10, 20, 30, 40, 50)
	r := h.Sync(c, connector, api.Sync{Incremental: true})
	if r.Strategy != l.strategy || !r.Incremental || r.Fallback != "" {
		t.Errorf("changes were read by %q, because of %q; want %s", r.Strategy, r.Fallback, l.strategy)
	}
	// What lies within the overlap of two times is read again.
	if n := l.read(r.Counters); n < 5 || n > 8 || known(1) != 5 {
		t.Errorf("%d were read and %d known of 5 changes among %d", n, known(1), l.read(whole.Counters))
	}
	if r = h.Sync(
		c,
		connector,
		api.Sync{Incremental: true},
	); r.Counters.Updated+r.Counters.Created+r.Counters.Missing+r.Counters.Removed != 0 {
		t.Errorf("without a change the run did something: %+v", r.Counters)
	}

	rename(2, 11, 21, 31, 41, 51)
	if r = h.Try(c, connector, api.Sync{Incremental: true, MaxRecords: 2}); r.Status != "partial" || known(2) > 2 {
		t.Errorf("a capped run is %s and knows %d of the changes", r.Status, known(2))
	}
	if r = h.Sync(c, connector, api.Sync{Incremental: true}); known(2) != 5 || !r.Incremental {
		t.Errorf("after a capped run %d of 5 changes are known (%s, %q)", known(2), r.Strategy, r.Fallback)
	}

	h.Patch(c, connector, l.tuning)
	rename(3, 12, 22)
	r = h.Sync(c, connector, api.Sync{Incremental: true})
	if r.Strategy != "full" || r.Fallback != "settings_changed" || known(3) != 2 ||
		l.read(r.Counters) < l.read(whole.Counters) {
		t.Errorf("after its settings changed, it was read by %q, because of %q", r.Strategy, r.Fallback)
	}
	rename(4, 13)
	if r = h.Sync(c, connector, api.Sync{Incremental: true}); r.Strategy != l.strategy || known(4) != 1 {
		t.Errorf("later changes were read by %q, because of %q", r.Strategy, r.Fallback)
	}
	if i := slices.IndexFunc(r.Warnings, func(w api.Warning) bool { return w.Code == "checkpoint_unusable" }); i >= 0 {
		t.Errorf("a run that nothing disturbed warns: %+v", r.Warnings[i])
	}
}

func TestWhoMovesStaysTheSameAndWhoTheDirectorySaysIsGoneIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	c := h.Admin
	slapd := ldaptest.StartSlapd(t, ldaptest.Options{
		Users: 40, Groups: 1, PerGroup: 20, Syncprov: true, Refint: true,
		LDIF: "dn: ou=abroad," + ldaptest.Suffix + "\nobjectClass: organizationalUnit\nou: abroad\n",
	})
	admin := slapd.Admin(t)
	n := api.Connector{
		BusinessID: "openldap",
		Name:       "OpenLDAP",
		Type:       "ldap",
		Purpose:    "target",
		Connection: slapd.AuthConfig(),
	}
	n.Credentials = map[string]any{"bind_password": n.Connection["bind_password"]}
	delete(n.Connection, "bind_password")
	connector := h.Connect(c, n)
	h.Sync(c, connector, api.Sync{})
	known := func() map[string]fate {
		all := map[string]fate{}
		for _, a := range harness.All[struct {
			ID       string `json:"id"`
			Username string `json:"username"`
			Status   string `json:"status"`
		}](h, c, "/accounts", url.Values{"status": {"active,missing,deleted"}}) {
			all[a.Username] = fate{a.ID, a.Status}
		}
		return all
	}
	before := known()
	for _, step := range []struct {
		name string
		do   func() error
		sync api.Sync
		want func(now map[string]fate) bool
	}{
		{"renamed", func() error {
			return admin.ModifyDN(goldap.NewModifyDNRequest(ldaptest.UserDN(3), "uid=renamed", true, ""))
		},
			api.Sync{Incremental: true}, func(now map[string]fate) bool { return now["renamed"] == before["u0000003"] }},
		{"moved", func() error {
			return admin.ModifyDN(goldap.NewModifyDNRequest(ldaptest.UserDN(4), "uid=u0000004", true,
				"ou=abroad,"+ldaptest.Suffix))
		}, api.Sync{Incremental: true}, func(now map[string]fate) bool { return now["u0000004"] == before["u0000004"] }},
		{"read whole after that", func() error { return nil }, api.Sync{}, func(now map[string]fate) bool {
			return now["renamed"] == before["u0000003"] && now["u0000004"] == before["u0000004"]
		}},
		{"deleted", func() error { return admin.Del(goldap.NewDelRequest(ldaptest.UserDN(5), nil)) },
			api.Sync{Incremental: true}, func(now map[string]fate) bool { return now["u0000005"] == fate{before["u0000005"].ID, "deleted"} }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		r := h.Sync(c, connector, step.sync)
		now := known()
		if !step.want(now) || len(now) != 40 {
			t.Errorf("%s (%s): %d accounts, with %v", step.name, r.Strategy, len(now), now)
		}
		if k := r.Report["accounts"]; k.Created+k.Missing != 0 {
			t.Errorf("%s: the report says %+v; want nobody created or missing", step.name, k)
		}
	}
	// With referential integrity the group lost the one who was deleted, and nobody else.
	if got := h.Total(c, "/entitlements/grants?status=active"); got != 19 {
		t.Errorf("%d grants are active; want those of 20 members without the one who is gone", got)
	}
}
