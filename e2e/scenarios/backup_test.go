package scenarios

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// pair are the tokens of a sign-in.
type pair struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

// integration is a service token.
type integration struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

var restored = regexp.MustCompile(
	`restored as of \S+: (\d+) rows, tenants: 1; (\d+) secrets open, (\d+) audit entries verify\ntokens from before ` +
		`are refused \(epoch \d+\)`,
)

func TestABackupIsRestoredAsTheManualSaysAndNothingRevokedComesBack(t *testing.T) {
	t.Parallel()
	h, s := open(t, 100, 0)
	ctx := harness.Context(t)
	c := s.state.Personnel()
	stays, joins := h.Agent(h.Admin, "stays"), h.Agent(h.Admin, "joins")
	c.Mode, c.AgentID = "agent", stays.ID
	personnel, workspace := h.Connect(h.Admin, c), h.Connect(h.Admin, s.state.Workspace())
	h.Sync(h.Admin, personnel, api.Sync{})
	h.Sync(h.Admin, workspace, api.Sync{})
	people, accounts := h.Total(h.Admin, "/identities"), h.Total(h.Admin, "/accounts")

	service := harness.Read[integration](h, h.Expect("201", h.Admin, "POST", "/settings/api-tokens",
		map[string]any{"name": "export", "role": "auditor", "scopes": []string{"identities:read"}}))
	kept := harness.Read[integration](h, h.Expect("201", h.Admin, "POST", "/settings/api-tokens",
		map[string]any{"name": "kept", "role": "auditor", "scopes": []string{"identities:read"}}))
	auditor := h.Member(h.Admin, "auditor@main.example", "", "auditor")
	signedIn := harness.Read[pair](
		h,
		h.Expect(
			"200",
			h.Client(),
			"POST",
			"/auth/login",
			map[string]any{"email": auditor.Email, "password": harness.Password(auditor.Email)},
		),
	)
	h.Expect("200", h.Client().As(service.Token), "GET", "/identities", nil)

	stays.Kill()
	joins.Kill()
	h.MustOperate(
		"keys",
		"rotate",
		"signing",
		"--retire",
		signs(t, h, "agent"),
	) // an agent that comes back has to show its own key

	dir := filepath.Join(h.Dir, "backup")
	out := h.MustOperate("backup", "--to", dir)
	if !strings.Contains(out, "THE MASTER KEY IS NOT IN THE BACKUP") ||
		!strings.Contains(out, filepath.Join(h.Plane.Data, "keys", "master.key")) {
		t.Errorf("the backup says %s", out)
	}
	h.NoSecretInBackup(dir)

	// After the backup: a token is revoked, somebody is signed out, an agent joins anew, a person comes who will be
	// forgotten.
	h.Expect("204", h.Admin, "DELETE", "/settings/api-tokens/"+service.ID, nil)
	h.Expect("200", h.Admin, "POST", "/settings/users/"+auditor.ID+"/sessions/revoke", nil)
	h.Person(h.Admin, "after-the-backup")
	h.Expect("401 token_revoked", h.Client().As(service.Token), "GET", "/identities", nil)
	h.StartAgent(h.Admin, joins)
	joins.Kill()
	h.StopPlane()

	fresh := h.InItsPlace("restored")
	if out, code := fresh.Operate(
		"restore",
		"--from",
		dir,
	); code != 1 ||
		!strings.Contains(
			out,
			"put the master key of the backup's time at "+filepath.Join(fresh.Plane.Data, "keys", "master.key"),
		) {
		t.Errorf("without the master key the restore says %d %s", code, out)
	}
	copyFile(
		t,
		filepath.Join(h.Plane.Data, "keys", "master.key"),
		filepath.Join(fresh.Plane.Data, "keys", "master.key"),
	)
	if out := fresh.MustOperate("restore", "--from", dir); !restored.MatchString(out) {
		t.Errorf("the restore says %s", out)
	}
	if out, code := fresh.Operate(
		"restore",
		"--from",
		dir,
	); code != 1 ||
		!strings.Contains(out, "the database is not empty") {
		t.Errorf("a second restore says %d %s", code, out)
	}
	fresh.Start()

	for name, token := range map[string]string{"the revoked token": service.Token,
		"the token nobody revoked": kept.Token, "the access token": signedIn.Access,
		"the administrator's": h.Admin.Token()} {
		if a := fresh.Ask(h.Client().As(token), "GET", "/identities", nil); a.Status != 401 {
			t.Errorf("%s opens the restored service: %s", name, harness.Outcome(a))
		}
	}
	fresh.Expect("401 invalid_grant", h.Client().As(signedIn.Refresh), "POST", "/auth/refresh", nil)
	email, password := harness.Account("main")
	if err := h.Admin.Login(ctx, email, password); err != nil {
		t.Fatal(err)
	}
	if p, a := fresh.Total(h.Admin, "/identities"), fresh.Total(h.Admin, "/accounts"); p != people || a != accounts {
		t.Errorf(
			"%d people and %d accounts are there; want %d and %d, as when the backup was made",
			p,
			a,
			people,
			accounts,
		)
	}
	if got := judge(fresh, h.Admin); !got.OK {
		t.Errorf("the audit log of the restored service: %+v", got)
	}
	if n := fresh.Total(h.Admin, "/audit-events?action=tenant.restored"); n != 1 {
		t.Errorf("the audit log tells of %d restores; want 1", n)
	}
	if out := fresh.MustOperate("check"); !strings.Contains(out, "nothing in it points to what is not there") {
		t.Errorf("check says %s", out)
	}
	// Connectors' secrets open, and the agent that was there all the time renews by its own key.
	fresh.Sync(h.Admin, workspace, api.Sync{})
	fresh.StartAgent(h.Admin, stays)
	fresh.Sync(h.Admin, personnel, api.Sync{})
	// The one that joined after the backup has gone further than the restored service remembers, and needs a new
	// invitation.
	if err := joins.Start(); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(
		t,
		"the agent that joined later is refused",
		func() bool { return strings.Contains(joins.Output(), "enrol the agent again") },
		nil,
	)
	joins.Kill()
	again := harness.Read[api.Agent](
		fresh,
		fresh.Expect("200", h.Admin, "POST", "/settings/agents/"+joins.ID+"/enroll", nil),
	)
	if err := joins.Enroll(ctx, fresh.Plane.URL(), again.Token); err != nil {
		t.Fatal(err)
	}
	fresh.StartAgent(h.Admin, joins)
}

// signs is the key that signs the tokens of an audience.
func signs(t *testing.T, h *harness.House, audience string) string {
	t.Helper()
	for _, line := range strings.Split(h.MustOperate("keys", "list"), "\n") {
		if words := strings.Fields(line); len(words) > 2 && words[1] == audience && words[2] == "active" {
			return words[0]
		}
	}
	t.Fatalf("no key signs for %s", audience)
	return ""
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
