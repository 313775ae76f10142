package scenarios

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/mailbox"
)

// TestAManagerWhoWasNeverInvitedDecides is the story of a manager without a user. A sign-in rule gives managers single
// sign-on. A report requests access, the manager receives a mail, signs in with the company's identity provider for
// the first time, and decides.
func TestAManagerWhoWasNeverInvitedDecides(t *testing.T) {
	t.Parallel()
	n := &neverInvited{office: openOffice(t), manager: "u001", report: "u011"}
	n.mail()
	n.as(n.report)
	n.rule("The manager decides", "Library", nil, map[string]any{
		"name": "Manager", "groups": []any{map[string]any{"approvers": []any{map[string]any{"kind": "manager"}}}},
	})
	n.absentWithoutRule()
	provider := n.provider()
	n.refusedWithoutRule(provider)
	n.ruleGivesSignIn()
	r := n.asks(n.report, "Library")
	path := n.mailNames(r)
	n.signsInAndDecides(provider, path)
	n.requesterIsTold(r)
}

// neverInvited is the office with a mailbox. u001 manages u011 and has no user.
type neverInvited struct {
	*office
	box             *mailbox.Mailbox
	manager, report string
}

// mail sends the notifications of the tenant to a mailbox.
func (n *neverInvited) mail() {
	n.t.Helper()
	box, err := mailbox.Open()
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(box.Close)
	n.box = box
	host, port, _ := strings.Cut(box.SMTP, ":")
	n.Expect("200", n.Admin, "PATCH", "/settings/notifications", map[string]any{
		"server": map[string]any{"use": "own", "host": host, "port": number(port), "security": "none", "auth": "none"},
		"sender": map[string]any{"address": "access@main.example", "name": "Access"},
	})
}

func number(text string) (n int) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

// address is the e-mail address of a person.
func (n *neverInvited) address(name string) string {
	n.t.Helper()
	return harness.Read[struct{ Email string }](n.House,
		n.Expect("200", n.Admin, "GET", "/identities/"+n.people[name], nil)).Email
}

// foreseen is who would be asked for a request of the report, and who is named as unable to decide.
func (n *neverInvited) foreseen() (approvers, unavailable string) {
	n.t.Helper()
	type group struct {
		Approvers []struct {
			Display  string
			Fallback bool
		}
		Unavailable []struct {
			IdentityID string `json:"identity_id"`
			Code       string
		}
	}
	p := harness.Read[struct {
		Items []struct{ Stages []struct{ Groups []group } }
	}](n.House, n.Expect("200", n.as(n.report), "POST", "/access-requests/preview", map[string]any{
		"requested_for_identity_id": n.people[n.report],
		"requested_resources":       []any{map[string]any{"entitlement_id": n.things["Library"]}},
		"justification":             "To read.",
	}))
	for _, a := range p.Items[0].Stages[0].Groups[0].Approvers {
		approvers += fmt.Sprintf("%s %v", a.Display, a.Fallback)
	}
	for _, a := range p.Items[0].Stages[0].Groups[0].Unavailable {
		unavailable += a.IdentityID + " " + a.Code
	}
	return approvers, unavailable
}

// finding is how many managers and owners cannot sign in, as the dashboard says.
func (n *neverInvited) finding() (count int) {
	n.t.Helper()
	d := harness.Read[struct {
		Findings []struct {
			Kind  string
			Count int
		}
	}](n.House, n.Expect("200", n.Admin, "GET", "/dashboard", nil))
	for _, f := range d.Findings {
		if f.Kind == "approvers_without_sign_in" {
			count = f.Count
		}
	}
	return count
}

// absentWithoutRule: the manager counts as absent. The preview, the approval rule and the dashboard name the manager.
func (n *neverInvited) absentWithoutRule() {
	n.t.Helper()
	who, unable := n.foreseen()
	if who != "administrators true" || unable != n.people[n.manager]+" no_user" {
		n.t.Errorf("asked: %s, unavailable: %s; want the fallback, and the manager without a user", who, unable)
	}
	if got := n.finding(); got != 3 { // u000, u001 and the owner u003
		n.t.Errorf("%d managers and owners cannot sign in, says the dashboard; want 3", got)
	}
	gaps := string(n.Expect("200", n.Admin, "GET", "/approval-rules/coverage?gap=unavailable", nil).Body)
	if !strings.Contains(gaps, n.people["u003"]) || !strings.Contains(gaps, "no_user") {
		n.t.Errorf("the coverage does not name the owner who cannot sign in: %s", gaps)
	}
}

// provider starts the identity provider of the company, and connects it. It knows the manager and the owner.
func (n *neverInvited) provider() (issuer string) {
	n.t.Helper()
	issuer = "http://" + targettest.StartNode(n.t, "../../controlplane/internal/record/auth/testdata/oidc",
		"REDIRECT="+n.Plane.URL()+"/api/v1/auth/oidc/callback",
		fmt.Sprintf(`ACCOUNTS={"boss": {"email": %q, "email_verified": true, "name": "Given by the provider"}}`,
			n.address(n.manager)))
	n.Expect("201", n.Admin, "POST", "/settings/identity-providers", map[string]any{
		"name": "corp", "issuer": issuer, "client_id": "grantwright", "client_secret": "CANARY-client-secret",
		"scopes": []string{"email", "profile"}, "create_users": false,
	})
	return issuer
}

// refusedWithoutRule: a provider alone lets no newcomer in.
func (n *neverInvited) refusedWithoutRule(issuer string) {
	n.t.Helper()
	if status, _, code := n.singleSignOn(issuer); status != http.StatusForbidden || code != "sso_no_rule" {
		n.t.Errorf("the sign-in without a rule answers %d %s; want 403 sso_no_rule", status, code)
	}
	if _, unable := n.foreseen(); unable != n.people[n.manager]+" no_user" {
		n.t.Errorf("unavailable: %q; want the manager, whom the provider does not admit", unable)
	}
}

// ruleGivesSignIn: with a rule for managers, the manager is asked.
func (n *neverInvited) ruleGivesSignIn() {
	n.t.Helper()
	n.Expect("201", n.Admin, "POST", "/settings/sign-in-rules", map[string]any{
		"name": "Managers", "responsible_for": []string{"people"}, "roles": []string{"manager"},
		"invitation": "single_sign_on", "enabled": true,
	})
	saw := ""
	harness.Eventually(n.t, "the manager is asked", func() bool {
		who, unable := n.foreseen()
		saw = who + ", unavailable: " + unable
		return strings.HasSuffix(who, " false") && unable == ""
	}, &saw)
	if got := n.finding(); got != 1 {
		n.t.Errorf("%d managers and owners cannot sign in with the rule; want the owner u003 alone", got)
	}
	if users := n.users(n.address(n.manager)); len(users) != 0 {
		n.t.Errorf("the rule made users before the first sign-in: %+v", users)
	}
}

// userOf is a user with the person that it is linked to.
type userOf struct {
	ID, Email, Status string
	IdentityID        string `json:"identity_id"`
	Roles             []string
}

func (n *neverInvited) users(address string) []userOf {
	n.t.Helper()
	return harness.All[userOf](n.House, n.Admin, "/settings/users", url.Values{"q": {address}})
}

// mailNames waits for the mail about a request, and returns the path of the link in it.
func (n *neverInvited) mailNames(r asked) (path string) {
	n.t.Helper()
	m := n.letter(n.address(n.manager), "Library")
	if !strings.Contains(m.Text, n.displayOf(n.report)) {
		n.t.Errorf("the mail does not name the requester of %s: %s", r.Number, m.Text)
	}
	link := regexp.MustCompile(`https?://\S+/inbox\S*`).FindString(m.Text)
	at, err := url.Parse(link)
	if link == "" || err != nil {
		n.t.Fatalf("the mail has no link to the decision task: %s", m.Text)
	}
	return at.Path + "?" + at.RawQuery
}

func (n *neverInvited) displayOf(name string) string {
	n.t.Helper()
	return harness.Read[struct {
		Display string `json:"display_name"`
	}](n.House, n.Expect("200", n.Admin, "GET", "/identities/"+n.people[name], nil)).Display
}

// letter waits for a message to an address whose subject or text contains words.
func (n *neverInvited) letter(to, words string) (found mailbox.Message) {
	n.t.Helper()
	saw := ""
	harness.Eventually(n.t, "a mail to "+to+" about "+words, func() bool {
		all := n.box.Messages()
		saw = fmt.Sprintf("%+v", all)
		i := slices.IndexFunc(all, func(m mailbox.Message) bool {
			return strings.EqualFold(m.To, to) && strings.Contains(m.Subject+m.Text, words)
		})
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	}, &saw)
	return found
}

// singleSignOn signs the manager in at the provider, as a browser does.
func (n *neverInvited) singleSignOn(issuer string) (status int, token, code string) {
	n.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		n.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), issuer+"/auth?") && !r.URL.Query().Has("login_hint") {
			r.URL.RawQuery += "&login_hint=boss"
		}
		return nil
	}}
	resp, err := browser.Get(n.Plane.URL() + "/api/v1/auth/oidc/start?tenant=main&provider=corp")
	if err != nil {
		n.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	answer := harness.Read[struct {
		Access string `json:"access_token"`
		Code   string
	}](n.House, n.answer(resp))
	return resp.StatusCode, answer.Access, answer.Code
}

// signsInAndDecides: the first sign-in creates the user and links it to the person, who decides the task of the link.
func (n *neverInvited) signsInAndDecides(issuer, path string) {
	n.t.Helper()
	status, token, code := n.singleSignOn(issuer)
	if status != http.StatusOK || token == "" {
		n.t.Fatalf("the first sign-in answers %d %s; want 200 with a token", status, code)
	}
	users := n.users(n.address(n.manager))
	if len(users) != 1 || users[0].IdentityID != n.people[n.manager] || users[0].Status != "active" ||
		!slices.Equal(users[0].Roles, []string{"manager"}) {
		n.t.Fatalf("users of the manager: %+v; want one, active, linked, with the role manager", users)
	}
	boss := n.Client()
	boss.SetToken(token)
	tasks := harness.All[waiting](n.House, boss, "/decision-tasks", url.Values{})
	if len(tasks) != 1 || !strings.Contains(path, tasks[0].ID) {
		n.t.Fatalf("the tasks of the manager are %+v; want the one of the link %s", tasks, path)
	}
	n.Expect("200", boss, "POST", "/decision-tasks/"+tasks[0].ID+"/decide",
		map[string]any{"action": "approve", "comment": "As discussed."})
	n.audited(users[0])
}

// audited: the log says that the rule created the user at the sign-in.
func (n *neverInvited) audited(u userOf) {
	n.t.Helper()
	saw := string(n.Expect("200", n.Admin, "GET", "/audit-events?action=user.created&limit=200", nil).Body)
	if !strings.Contains(saw, u.ID) || !strings.Contains(saw, `"sign_in_rule"`) {
		n.t.Errorf("the audit log does not have the user of the rule: %s", saw)
	}
}

// requesterIsTold: the access is provisioned, and the requester receives mail of the decision.
func (n *neverInvited) requesterIsTold(r asked) {
	n.t.Helper()
	n.becomes(r, "fulfilled")
	if !n.inGroup("Library", n.report) {
		n.t.Error("fulfilled, and the directory does not have it")
	}
	to := n.report + "@office.example"
	for _, words := range []string{"Approved: Library", "Access is ready: Library"} {
		n.letter(to, words)
	}
	if again := n.users(n.address(n.manager)); len(again) != 1 {
		n.t.Errorf("users of the manager at the end: %+v; want one", again)
	}
}

// answer reads a response as the API client would.
func (n *neverInvited) answer(resp *http.Response) api.Answer {
	n.t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return api.Answer{Status: resp.StatusCode, Body: body}
}
