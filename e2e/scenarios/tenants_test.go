package scenarios

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

const tenants = "/control-plane/tenants"

func TestAnOperatorKeepsTenantsFromTheirFoundingToTheirErasure(t *testing.T) {
	t.Parallel()
	h, s := open(t, 120, 0)
	second := h.Second()
	operator := h.Operator("ops")
	var acme *customer
	for _, story := range []struct {
		name string
		tell func(*testing.T, *harness.House)
	}{
		{"a tenant is founded, and its first administrator comes in",
			func(t *testing.T, h *harness.House) { acme = found(t, h, operator, s) }},
		{"its own address takes its own tokens alone",
			func(t *testing.T, h *harness.House) { addressed(t, h, operator, acme) }},
		{"a visit stands in both audit logs", func(t *testing.T, h *harness.House) { visited(t, h, operator, acme) }},
		{"suspended it lets nobody in, resumed everybody",
			func(t *testing.T, h *harness.House) { suspended(t, h, operator, acme, second) }},
		{"closed it is gone, with its keys and every row",
			func(t *testing.T, h *harness.House) { erased(t, h, operator, acme, s, second) }},
	} {
		if !t.Run(story.name, func(t *testing.T) { story.tell(t, h.For(t)) }) {
			return // each goes on from the one before
		}
	}
}

// customer is a tenant with some of its people.
type customer struct {
	ID, Slug, BaseURL string

	admin   *api.Client
	email   string // of its administrator
	session session
	key     *api.Client // a service token
	agent   *api.Client // an agent's token
}

// tenancy is a tenant as operators see it.
type tenancy struct {
	ID      string `json:"id"`
	Slug    string `json:"slug"`
	BaseURL string `json:"base_url"`
	Status  string `json:"status"`
	Counts  struct {
		Users      int `json:"users"`
		Identities int `json:"identities"`
		Connectors int `json:"connectors"`
	} `json:"counts"`
	Admin struct {
		Email string `json:"email"`
		Token string `json:"sign_in_token"`
	} `json:"admin"`
}

func found(t *testing.T, h *harness.House, operator *api.Client, s *samples) *customer {
	wanted := map[string]any{
		"slug":               "acme",
		"name":               "Acme Ltd",
		"admin_email":        "ann@acme.example",
		"admin_display_name": "Ann",
	}
	h.Expect("403 forbidden", h.Admin, "POST", tenants, wanted)
	made := harness.Read[tenancy](h, h.Expect("201", operator, "POST", tenants, wanted))
	h.Expect("409 tenant_exists", operator, "POST", tenants, wanted)
	c := &customer{ID: made.ID, Slug: made.Slug, BaseURL: made.BaseURL, email: made.Admin.Email}
	c.admin = h.ComeIn(operator, made.Admin.Token, harness.Password(c.email))
	h.Expect(
		"401 invalid_grant",
		operator.As(""),
		"POST",
		"/auth/sign-in-link",
		map[string]string{"token": made.Admin.Token, "password": "a passphrase of a thief"},
	)
	c.session = signIn(h, c.email)
	c.key = issue(h, c.admin, "admin", []string{"identities:read", "identities:write"}).key

	c.agent = api.New(h.Plane.URL()) // unwatched: an agent keeps its token in a file of its own, which is swept
	c.agent.SetToken(agentToken(t, h.Invite(c.admin, "site", "")))

	h.Sync(c.admin, h.Connect(c.admin, s.state.PersonnelWithRoles()), api.Sync{})
	h.Expect(
		"201",
		c.key,
		"POST",
		"/identities",
		map[string]any{"external_id": "canary-of-acme", "email": "canary@acme.example"},
	)
	if n := h.Total(h.Admin, "/identities"); n != 0 {
		t.Errorf("another tenant sees %d people of the new one", n)
	}
	read := harness.Read[tenancy](h, h.Expect("200", operator, "GET", tenants+"/"+c.ID, nil))
	if k := read.Counts; read.Status != "active" || k.Users != 1 || k.Identities != len(s.company.People)+1 ||
		k.Connectors != 1 {
		t.Errorf(
			"the operator reads %+v; want an active tenant of one user, %d people and one connector",
			read,
			len(s.company.People)+1,
		)
	}
	return c
}

func addressed(t *testing.T, h *harness.House, operator *api.Client, c *customer) {
	own, foreign := h.Plane.URL()+"/t/"+c.Slug, h.Plane.URL()+"/t/main"
	if c.BaseURL != own {
		t.Errorf("the tenant is told to be at %s; want %s", c.BaseURL, own)
	}
	for _, who := range []*api.Client{c.admin, c.key} {
		h.Expect("200", who.At(own), "GET", "/identities", nil)
		h.Expect("401 invalid_token", who.At(foreign), "GET", "/identities", nil)
		h.Expect("401 invalid_token", who.At(h.Plane.URL()+"/t/nowhere"), "GET", "/identities", nil)
	}
	h.Expect("401 invalid_token", h.Admin.At(own), "GET", "/identities", nil)
	h.Expect("401 invalid_token", operator.At(own), "GET", "/identities", nil)
	h.Expect("200", c.admin.At(own).As(""), "POST", "/auth/login", credentials(c.email, harness.Password(c.email)))
	h.Expect(
		"401 invalid_credentials",
		c.admin.At(foreign).As(""),
		"POST",
		"/auth/login",
		credentials(c.email, harness.Password(c.email)),
	)
	h.Expect("401 invalid_grant", c.admin.At(foreign).As(c.session.Refresh), "POST", "/auth/refresh", nil)
	made := h.Expect(
		"201",
		c.admin.At(own),
		"POST",
		"/identities",
		map[string]any{"external_id": "by-address", "email": "by-address@acme.example"},
	)
	if at := made.Header.Get("Location"); !strings.HasPrefix(at, "/t/acme/api/v1/identities/") {
		t.Errorf("what was made by the tenant's address is at %s", at)
	}
}

// crossing is an audit event of a visit.
type crossing struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	Actor   struct {
		Display string `json:"display"`
	} `json:"actor"`
	Context struct {
		Method string `json:"method"`
		Path   string `json:"path"`
	} `json:"context"`
}

func (c crossing) String() string {
	return strings.Join([]string{c.Outcome, c.Context.Method, c.Context.Path, c.Actor.Display, c.Reason}, " ")
}

func visited(t *testing.T, h *harness.House, operator *api.Client, c *customer) {
	there := []string{"X-Tenant-Id", c.ID, "X-Tenant-Reason", "ticket 4711"}
	page := harness.Read[api.Page[identity]](h, h.Expect("200", operator, "GET", "/identities?limit=1", nil, there...))
	if own := h.Total(c.admin, "/identities"); page.Total != own || own == 0 {
		t.Errorf("the visitor sees %d people; want all %d of the tenant", page.Total, own)
	}
	h.Expect(
		"201",
		operator,
		"POST",
		"/identities",
		map[string]any{"external_id": "by-visitor", "email": "by-visitor@acme.example"},
		there...)
	h.Expect(
		"404 not_found",
		operator,
		"GET",
		"/identities/"+c.ID,
		nil,
		there...) // a request that finds nothing is a visit too
	h.Expect("403 tenant_override_forbidden", operator, "POST", "/auth/logout", nil, there...)
	for _, who := range []*api.Client{h.Admin, c.key} {
		elsewhere := c.ID
		if who == c.key {
			elsewhere = me(h, operator)
		}
		h.Expect("403 tenant_override_forbidden", who, "GET", "/identities", nil, "X-Tenant-Id", elsewhere)
	}
	email, _ := harness.Account("ops")
	want := []string{
		"success GET /api/v1/identities " + email + " ticket 4711",
		"success GET /api/v1/identities/" + c.ID + " " + email + " ticket 4711",
		"success POST /api/v1/identities " + email + " ticket 4711",
	}
	for whose, who := range map[string]*api.Client{"the operator's": operator, "the tenant's": c.admin} {
		var got []string
		for _, e := range harness.All[crossing](h, who, "/audit-events",
			url.Values{"action": {"tenant.cross_access"}, "outcome": {"success"}}) {
			got = append(got, e.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s log says %q; want %q", whose, got, want)
		}
	}
	if n := h.Total(h.Admin, "/audit-events?action=tenant.cross_access&outcome=denied"); n != 1 {
		t.Errorf(
			"that an administrator reached for another tenant stands %d times in the log of their own; want once",
			n,
		)
	}
}

// me is the tenant of somebody who has signed in.
func me(h *harness.House, c *api.Client) string {
	return harness.Read[struct {
		Tenant struct {
			ID string `json:"id"`
		} `json:"tenant"`
	}](h, h.Expect("200", c, "GET", "/auth/me", nil)).Tenant.ID
}

func suspended(t *testing.T, h *harness.House, operator *api.Client, c *customer, second *rig.ControlPlane) {
	at := tenants + "/" + c.ID
	doors := map[string]func(base string) string{
		"a session": func(base string) string {
			return harness.Outcome(h.Ask(c.admin.At(base), "GET", "/identities",
				nil))
		},
		"a token": func(base string) string {
			return harness.Outcome(h.Ask(c.key.At(base), "GET", "/identities",
				nil))
		},
		"the own path": func(base string) string {
			return harness.Outcome(h.Ask(c.key.At(base+"/t/acme"), "GET", "/identities", nil))
		},
		"an agent": func(base string) string { // let in, it would be asked for a websocket
			if got := harness.Outcome(h.Ask(c.agent.At(base), "GET", "/agent", nil)); strings.HasPrefix(got, "403") ||
				strings.HasPrefix(got, "401") {
				return got
			}
			return "200"
		},
		"a visit": func(base string) string {
			return harness.Outcome(h.Ask(operator.At(base), "GET", "/identities", nil, "X-Tenant-Id", c.ID))
		},
		"a sign-in": func(base string) string {
			return harness.Outcome(
				h.Ask(c.admin.At(base).As(""), "POST", "/auth/login", credentials(c.email, harness.Password(c.email))),
			)
		},
	}
	all := func(want string) {
		t.Helper()
		for _, base := range []string{h.Plane.URL(), second.URL()} {
			for door, try := range doors {
				harness.Soon(
					t,
					fmt.Sprintf("%s at %s answers %s", door, base, want),
					func() bool { return try(base) == want },
				)
			}
		}
	}
	all("200")
	h.Expect(
		"409 own_tenant",
		operator,
		"POST",
		tenants+"/"+me(h, operator)+"/suspend",
		map[string]string{"reason": "a mistake"},
	)
	h.Expect("200", operator, "POST", at+"/suspend", map[string]string{"reason": "unpaid"})
	all("403 tenant_suspended")
	h.Expect("403 tenant_suspended", c.admin.As(c.session.Refresh), "POST", "/auth/refresh", nil)
	h.Expect("200", h.Admin, "GET", "/identities", nil) // the others go on
	h.Expect("200", operator, "POST", at+"/resume", nil)
	all("200")
	h.Expect("200", c.admin.As(c.session.Refresh), "POST", "/auth/refresh", nil) // it was not used up
}
