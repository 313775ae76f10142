package scenarios

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// scene is a tenant in full use, as the journeys through the console are told of it: JSON on their standard input.
type scene struct {
	URL    string            `json:"url"`
	Tenant string            `json:"tenant"`
	Users  map[string]actor  `json:"users"` // by what they are: admin, manager, owner, auditor, operator, member, ...
	IDs    map[string]string `json:"ids"`   // of one thing of each kind
	Names  map[string]string `json:"names"` // as they are shown, by the same words

	// Where systems can be reached that are connected already, with their credentials, for journeys that connect them
	// again.
	Systems map[string]map[string]any `json:"systems"`

	*props `json:"-"`
}

// actor is somebody who signs in.
type actor struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	ID       string `json:"id,omitempty"`
	Identity string `json:"identity_id,omitempty"`
	Name     string `json:"name,omitempty"`
	Totp     string `json:"totp,omitempty"` // the secret of a second factor
}

// props are what a scene is made with.
type props struct {
	*harness.House
	t       *testing.T
	admin   *api.Client
	hr      *samples
	staff   *ldaptest.Server
	apps    string // address of the SCIM application
	hooks   *inbox
	refuses *inbox
	broken  string // address of a system that answers with an error
	clients map[string]*api.Client
	people  []colleague       // who are active, in the order of their numbers
	things  map[string]string // ids of entitlements by name
}

// colleague is a person as the scene needs them.
type colleague struct {
	ID        string  `json:"id"`
	Name      string  `json:"display_name"`
	Email     string  `json:"email"`
	Username  string  `json:"username"`
	Number    string  `json:"employee_number"`
	ManagerID *string `json:"manager_id"`
	Status    string  `json:"status"`
}

// furnish fills a tenant: people, three systems and more, users of every role, and something of every kind that a
// screen shows.
func furnish(t *testing.T, h *harness.House, admin *api.Client, slug string) *scene {
	t.Helper()
	began := time.Now()
	email, password := harness.Account(slug)
	s := &scene{
		URL:     h.Plane.URL(),
		Tenant:  slug,
		Users:   map[string]actor{"admin": {Email: email, Password: password}},
		IDs:     map[string]string{},
		Names:   map[string]string{},
		Systems: map[string]map[string]any{},
		props: &props{
			House:   h,
			t:       t,
			admin:   admin,
			clients: map[string]*api.Client{"admin": admin},
			things:  map[string]string{},
		},
	}
	s.hr = serve(t, 120, 0)
	s.hooks, s.refuses = openInbox(t, ""), openInbox(t, "")
	s.refuses.answer(http.StatusInsufficientStorage)
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(
			w,
			`{"error": "the payroll is closed until Monday", "trace": "<b>not</b> for you"}`,
			http.StatusServiceUnavailable,
		)
	}))
	t.Cleanup(down.Close)
	s.broken = down.URL
	s.hooked()
	s.systems(slug)
	s.cast()
	s.rules()
	s.apart()
	switch slug {
	case "main":
		s.controlled()
		s.withdrawn()
	case "mitigations":
		s.controlled()
		s.awaited()
	}
	s.asked()
	s.unfinished()
	s.settings()
	s.someOfEach()
	t.Logf("%s was furnished in %.1f s", slug, time.Since(began).Seconds())
	return s
}

// post makes something and answers its id.
func (s *scene) post(path string, in any) string {
	s.t.Helper()
	a := s.Ask(s.admin, "POST", path, in)
	if a.Status/100 != 2 {
		s.t.Fatalf("POST %s answers %s: %.600s", path, harness.Outcome(a), a.Body)
	}
	return harness.Read[struct {
		ID string `json:"id"`
	}](s.House, a).ID
}

// name keeps an id and what is shown of it.
func (s *scene) name(kind, id, name string) string {
	s.IDs[kind], s.Names[kind] = id, name
	return id
}

// learn reads who and what there is.
func (s *scene) learn() {
	s.t.Helper()
	all := harness.All[colleague](s.House, s.admin, "/identities", url.Values{"status": {"active"}})
	slices.SortFunc(all, func(a, b colleague) int { return strings.Compare(a.Number, b.Number) })
	s.people = all
	for _, e := range harness.All[struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}](s.House, s.admin, "/entitlements", nil) {
		s.things[e.Name] = e.ID
	}
}

// someOfEach names what came into being by itself.
func (s *scene) someOfEach() {
	s.t.Helper()
	for kind, path := range map[string]string{
		"account": "/accounts?correlation=linked", "orphan": "/accounts/uncorrelated", "grant": "/entitlements/grants",
		"audit": "/audit-events",
		"task":  "/accounts/provisioning-tasks", "delivery": "/settings/webhooks/" + s.IDs["webhook"] + "/deliveries",
	} {
		page, err := api.Some[struct {
			ID string `json:"id"`
		}](harness.Context(s.t), s.admin, path, 1)
		if err != nil {
			s.t.Fatal(err)
		}
		if len(page.Items) == 0 {
			s.t.Errorf("%s has nothing to show", path)
			continue
		}
		s.IDs[kind] = page.Items[0].ID
	}
}

// json is what a journey reads.
func (s *scene) json() []byte {
	s.t.Helper()
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// hold keeps everything running for somebody to look at, and tells how to sign in, until the file that says so is
// removed.
func (s *scene) hold(file string) {
	s.t.Helper()
	if err := os.WriteFile(file, s.json(), 0o600); err != nil {
		s.t.Fatal(err)
	}
	fmt.Printf("\n%s is open; %s tells everything that journeys are told. Remove that file to stop.\n", s.URL, file)
	for _, role := range slices.Sorted(maps.Keys(s.Users)) {
		fmt.Printf("  %-9s %-32s %s\n", role, s.Users[role].Email, s.Users[role].Password)
	}
	for {
		if _, err := os.Stat(file); err != nil {
			return
		}
		time.Sleep(300 * time.Millisecond)
	}
}
