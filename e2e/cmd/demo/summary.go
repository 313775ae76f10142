package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
)

// person is what the summary needs of an identity.
type person struct {
	ID                string  `json:"id"`
	DisplayName       string  `json:"display_name"`
	Status            string  `json:"status"`
	ManagerID         *string `json:"manager_id"`
	ManagerUnresolved bool    `json:"manager_unresolved"`
	TerminationDate   *string `json:"termination_date"`
}

// account is what the summary needs of an account.
type account struct {
	ID           string  `json:"id"`
	ConnectorID  string  `json:"connector_id"`
	Status       string  `json:"status"`
	Username     *string `json:"username"`
	DisplayName  *string `json:"display_name"`
	OrphanReason *string `json:"orphan_reason"`
	Identity     *struct {
		Display string `json:"display"`
	} `json:"identity"`
}

// grant is what the summary needs of a grant.
type grant struct {
	Directness  string                        `json:"directness"`
	Account     struct{ ID, Display string }  `json:"account"`
	Entitlement struct{ ID, Display string }  `json:"entitlement"`
	Identity    *struct{ ID, Display string } `json:"identity"`
}

// summarise prints the counts of the sync runs, and the findings.
func (d *demo) summarise(ctx context.Context, systems []*system) error {
	rows := [][]string{{"Synced systems", "people", "accounts", "entitlements", "grants", "seconds"}}
	for _, s := range systems {
		c := s.run.Counters
		rows = append(rows, []string{
			s.name + " (" + s.way + ")",
			number(c.Identities),
			number(c.Accounts),
			number(c.Entitlements),
			number(c.Grants),
			strconv.FormatFloat(s.took.Seconds(), 'f', 1, 64),
		})
	}
	d.say.line("")
	d.say.table(rows)
	lines, err := d.findings(ctx, systems)
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	d.say.line("\n  Findings")
	for _, line := range lines {
		d.say.line("  %s", line)
	}
	return nil
}

func (d *demo) findings(ctx context.Context, systems []*system) ([]string, error) {
	people, err := api.All[person](ctx, d.client, "/identities", nil)
	if err != nil {
		return nil, err
	}
	lines := []string{statuses(people)}
	if line := managersGone(people); line != "" {
		lines = append(lines, line)
	}
	orphaned, err := api.All[account](ctx, d.client, "/accounts/orphaned", nil)
	if err != nil {
		return nil, err
	}
	lines = append(lines, leaversAccounts(orphaned, systems))
	for _, look := range []func(context.Context, []*system) (string, error){d.ownerless, d.disputed, d.nested} {
		line, err := look(ctx, systems)
		if err != nil {
			return nil, err
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

func statuses(people []person) string {
	count := map[string]int64{}
	for _, p := range people {
		count[p.Status]++
	}
	var parts []string
	for _, s := range []struct{ key, name string }{
		{"active", "active"}, {"pre_hire", "not started yet"}, {"on_leave", "on leave"}, {"notice", "leaving soon"},
		{"deactivated", "left"},
	} {
		if n := count[s.key]; n > 0 {
			parts = append(parts, number(n)+" "+s.name)
		}
	}
	return finding(int64(len(people)), "people", strings.Join(parts, ", "))
}

func managersGone(people []person) string {
	byID := map[string]person{}
	for _, p := range people {
		byID[p.ID] = p
	}
	var n int64
	example := ""
	for _, p := range people {
		if p.Status == "deactivated" || p.ManagerID == nil {
			continue
		}
		if boss, known := byID[*p.ManagerID]; known && boss.Status == "deactivated" {
			if n++; example == "" {
				example = fmt.Sprintf("such as %s, who reports to %s", p.DisplayName, boss.DisplayName)
			}
		}
	}
	if n == 0 {
		return ""
	}
	return finding(n, "people whose manager has left", example)
}

func leaversAccounts(orphaned []account, systems []*system) string {
	var n int64
	example := ""
	for _, a := range orphaned {
		if a.Status != "active" || a.OrphanReason == nil || *a.OrphanReason != "owner_deactivated" {
			continue
		}
		if n++; example == "" && a.Identity != nil {
			example = fmt.Sprintf(
				"such as %s of %s in the %s",
				a.login(),
				a.Identity.Display,
				nameOf(systems, a.ConnectorID),
			)
		}
	}
	return finding(n, "active accounts of people who have left", example)
}

func (d *demo) ownerless(ctx context.Context, systems []*system) (string, error) {
	return d.accounts(ctx, systems, "/accounts/uncorrelated", "uncorrelated accounts, without a known owner")
}

func (d *demo) disputed(ctx context.Context, systems []*system) (string, error) {
	return d.accounts(ctx, systems, "/accounts?correlation=disputed", "disputed accounts, with several possible owners")
}

func (d *demo) accounts(ctx context.Context, systems []*system, path, what string) (string, error) {
	page, err := api.Some[account](ctx, d.client, path, 2)
	if err != nil || page.Total == 0 {
		return "", err
	}
	var names []string
	for _, a := range page.Items {
		names = append(names, a.login()+" in the "+nameOf(systems, a.ConnectorID))
	}
	return finding(page.Total, what, "such as "+strings.Join(names, ", ")), nil
}

// nested finds rights that people hold only because one group is in another.
func (d *demo) nested(ctx context.Context, _ []*system) (string, error) {
	page, err := api.Some[grant](ctx, d.client, "/entitlements/grants?directness=inherited", 1)
	if err != nil || page.Total == 0 {
		return "", err
	}
	example := ""
	if g := page.Items[0]; g.Identity != nil {
		example = fmt.Sprintf(
			"such as %s in %s",
			g.Identity.Display,
			g.Entitlement.Display,
		)
	}
	return finding(page.Total, "grants inherited only through nested groups", example), nil
}

func (a account) login() string {
	if a.Username != nil {
		return *a.Username
	} else if a.DisplayName != nil {
		return *a.DisplayName
	}
	return a.ID
}

func nameOf(systems []*system, connector string) string {
	for _, s := range systems {
		if s.id == connector {
			return s.name
		}
	}
	return "another system"
}

func finding(n int64, what, note string) string {
	line := fmt.Sprintf("%8s  %s", number(n), what)
	if note != "" {
		line += ": " + note
	}
	return line
}

// number writes thousands apart.
func number(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// invite says where everything is and what to try.
func (d *demo) invite(systems []*system) {
	url, file := d.plane.URL(), filepath.Join(d.data, "sign-in.json")
	shown := file
	if here, err := filepath.Abs("."); err == nil {
		if short, err := filepath.Rel(here, file); err == nil && !strings.HasPrefix(short, "..") {
			shown = short
		}
	}
	d.say.line("\n  Console           %s", url)
	d.say.line("  API               %s/api/v1", url)
	d.say.line("  Documentation     %s/docs (or /redoc, /openapi.json)", url)
	d.say.line("  Mail              %s", d.mailbox.Page)
	d.say.line("  Sign in as        %s", d.memory.Email)
	d.say.line("  with password     %s", d.memory.Password)
	d.say.line("\n  Try next, in another terminal:\n")
	d.say.line(
		`  TOKEN=$(curl -s %s/api/v1/auth/login -H 'Content-Type: application/json' -d @%s | `+
			`sed 's/.*"access_token":"\([^"]*\)".*/\1/')`,
		url,
		shown,
	)
	ask := func(what, request string) {
		d.say.line(`  curl -s -H "Authorization: Bearer $TOKEN" %-60s # %s`, request, what)
	}
	ask("two people called Anna Müller", "'"+url+"/api/v1/identities?q=anna+m%C3%BCller'")
	ask("orphan accounts", "'"+url+"/api/v1/accounts/orphaned?limit=5'")
	ask(
		"inherited grants with their paths",
		"'"+url+"/api/v1/entitlements/grants?directness=inherited&expand=paths&limit=5'",
	)
	if len(systems) > 0 {
		ask(
			"sync "+systems[0].name+" again",
			"-X POST -H 'Content-Type: application/json' -d '{}' "+url+"/api/v1/connectors/"+systems[0].id+"/sync",
		)
	}
	d.say.line("")
	d.say.line("  Ready after %.1f s.", time.Since(d.began).Seconds())
}
