package people_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/targets/people"
)

func TestASeedAlwaysGivesTheSameCompany(t *testing.T) {
	if d := cmp.Diff(people.NewCompany(7, 500), people.NewCompany(7, 500)); d != "" {
		t.Errorf("two companies of one seed differ:\n%s", d)
	}
	if cmp.Equal(people.NewCompany(7, 500).People, people.NewCompany(8, 500).People) {
		t.Error("two seeds gave the same people")
	}
}

func TestAnotherDayMovesDatesAndNothingElse(t *testing.T) {
	const days = 500
	a, b := people.NewCompany(7, 1000), people.NewCompanyOn(7, 1000, people.Reference.AddDate(0, 0, days))
	move(&b, -days)
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("the companies differ in more than their dates:\n%s", d)
	}
}

// move shifts every date of a company.
func move(c *people.Company, days int) {
	shift := func(at ...*time.Time) {
		for _, t := range at {
			if !t.IsZero() {
				*t = t.AddDate(0, 0, days)
			}
		}
	}
	shift(&c.Day)
	for i := range c.People {
		shift(&c.People[i].HireDate, &c.People[i].EndDate, &c.People[i].Modified)
	}
	for i := range c.Roles {
		for k := range c.Roles[i].Members {
			shift(&c.Roles[i].Members[k].Assigned)
		}
	}
	for _, s := range []people.System{c.Directory, c.SaaS} {
		for i := range s.Accounts {
			shift(&s.Accounts[i].Created, &s.Accounts[i].Modified)
		}
		for i := range s.Groups {
			shift(&s.Groups[i].Created, &s.Groups[i].Modified)
		}
	}
}

func TestEveryoneButTheHeadHasAManagerAndAllPathsEndAtTheHead(t *testing.T) {
	c := people.NewCompany(1, 3000)
	if got := len(c.People); got != 3000 {
		t.Fatalf("got %d people; want 3000", got)
	}
	boss := map[string]string{}
	reports := map[string]int{}
	for _, p := range c.People {
		boss[p.Number] = p.Manager
		reports[p.Manager]++
	}
	head := c.People[0].Number
	for _, p := range c.People {
		at, steps := p.Number, 0
		for ; at != head && steps < 12; steps++ {
			at = boss[at]
		}
		if at != head {
			t.Fatalf("%s does not lead up to the head within %d steps", p.Number, steps)
		}
	}
	delete(reports, "")
	total := 0
	for number, n := range reports {
		if n > 11 {
			t.Errorf("%s leads %d people; want at most 11", number, n)
		}
		total += n
	}
	if span := float64(total) / float64(len(reports)); span < 6.5 || span > 9 {
		t.Errorf("the average span is %.1f; want about 8", span)
	}
}

func TestKeysAreUniqueInEverySystem(t *testing.T) {
	c := people.NewCompany(1, 3000)
	unique(t, "employee number", c.People, func(p people.Person) string { return p.Number })
	unique(t, "login", c.People, func(p people.Person) string { return p.Login })
	for name, s := range map[string]people.System{"directory": c.Directory, "saas": c.SaaS} {
		unique(t, name+" account id", s.Accounts, func(a people.Account) string { return a.ID })
		unique(t, name+" login", s.Accounts, func(a people.Account) string { return a.Login })
		unique(t, name+" group id", s.Groups, func(g people.Group) string { return g.ID })
		unique(t, name+" group name", s.Groups, func(g people.Group) string { return strings.ToLower(g.Name) })
		for _, g := range s.Groups {
			unique(t, name+" member of "+g.Name, g.Members, func(l string) string { return l })
			if len(g.Members) == 0 {
				t.Errorf("%s group %q has no member", name, g.Name)
			}
		}
	}
}

func unique[T any](t *testing.T, what string, all []T, key func(T) string) {
	t.Helper()
	seen := map[string]bool{}
	for _, x := range all {
		if k := key(x); seen[k] || k == "" {
			t.Errorf("%s %q is empty or occurs twice", what, k)
		} else {
			seen[k] = true
		}
	}
}

func TestNamesAreOfTheWorldAndLoginsAreASCII(t *testing.T) {
	c := people.NewCompany(1, 3000)
	foreign := 0
	for _, p := range c.People {
		if strings.Trim(p.Login, "abcdefghijklmnopqrstuvwxyz.0123456789") != "" || strings.HasPrefix(p.Login, ".") ||
			strings.Contains(p.Login, "..") {
			t.Errorf("%q has the login %q", p.DisplayName, p.Login)
		}
		if len(p.DisplayName) != utf8.RuneCountInString(p.DisplayName) {
			foreign++
		}
		if strings.ContainsAny(p.DisplayName, "_=") {
			t.Errorf("the name %q shows the notation of the pools", p.DisplayName)
		}
	}
	if foreign < 500 {
		t.Errorf("%d of 3000 names go beyond ASCII; want 500 at least", foreign)
	}
}

func TestTheSamePersonLooksTheSameInEverySystem(t *testing.T) {
	c := people.NewCompany(1, 3000)
	byNumber := map[string]people.Person{}
	for _, p := range c.People {
		byNumber[p.Number] = p
	}
	for name, s := range map[string]people.System{"directory": c.Directory, "saas": c.SaaS} {
		known := 0
		for _, a := range s.Accounts {
			p, ok := byNumber[a.Number]
			if !ok {
				continue
			}
			known++
			if a.Mail != p.Mail || a.Login != p.Login || a.DisplayName != p.DisplayName {
				t.Errorf(
					"%s: %s is %q <%s>; HR says %q <%s>",
					name,
					a.Number,
					a.DisplayName,
					a.Mail,
					p.DisplayName,
					p.Mail,
				)
			}
		}
		if known < len(c.People)/2 {
			t.Errorf("%s knows %d of %d people", name, known, len(c.People))
		}
	}
}

func TestWrinklesHaveTheDocumentedCounts(t *testing.T) {
	for _, n := range []int{people.Smallest, 300, 3000} {
		for seed := range int64(12) {
			c := people.NewCompany(seed, n)
			permille := func(k int) int { return max(1, n*k/1000) }
			want := map[string]int{
				"SameName": 2, "MissingMail": 1, "DuplicateMail": 2,
				"EnabledLeavers": permille(4), "ActiveSaaSLeavers": permille(3), "OverdueContractors": permille(3),
				"StaleDepartment": permille(4), "OrphanAccounts": permille(3), "OrphanSaaSAccounts": permille(2),
				"ServiceAccounts": 10, "SaaSServiceAccounts": 3, "LeaverAdmins": 2, "ToxicPairs": permille(1),
				"DanglingMembers": 2, "GroupCycle": 2, "LeaverRoles": 2,
			}
			got := c.Wrinkles.Counts()
			for _, open := range []string{"ManagerGone", "NestedGroups"} {
				if got[open] == 0 {
					t.Errorf("seed %d, %d people: no %s", seed, n, open)
				}
				delete(got, open)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("seed %d, %d people: counts differ (-want +got):\n%s", seed, n, d)
			}
		}
	}
}

func TestEveryWrinkleIsExactlyWhatTheCompanyShows(t *testing.T) {
	c := people.NewCompany(3, 3000)
	person, directory, saas := map[string]people.Person{}, map[string]people.Account{}, map[string]people.Account{}
	for _, p := range c.People {
		person[p.Number] = p
	}
	for _, a := range c.Directory.Accounts {
		directory[a.Login] = a
	}
	for _, a := range c.SaaS.Accounts {
		saas[a.Login] = a
	}
	found := map[string][]string{}
	mails := map[string][]string{}
	note := func(wrinkle, key string, is bool) {
		if is {
			found[wrinkle] = append(found[wrinkle], key)
		}
	}
	creators, approvers := members(c.Directory, "payments-create"), members(c.Directory, "payments-approve")
	for _, p := range c.People {
		mails[p.Mail] = append(mails[p.Mail], p.Number)
		in, hasAccount := directory[p.Login]
		gone := p.Status == people.Terminated
		note("SameName", p.Number, p.DisplayName == "Anna Müller")
		note("MissingMail", p.Number, p.Mail == "")
		note("EnabledLeavers", p.Number, gone && in.Enabled)
		note("ActiveSaaSLeavers", p.Number, gone && saas[p.Login].Enabled)
		note("ManagerGone", p.Number, !gone && p.Manager != "" && person[p.Manager].Status == people.Terminated)
		note("OverdueContractors", p.Number, !gone && p.Kind == people.Contractor && p.EndDate.Before(people.Reference))
		note("StaleDepartment", p.Number, hasAccount && in.Department != p.Department)
		note("ToxicPairs", p.Number, slices.Contains(creators, p.Login) && slices.Contains(approvers, p.Login))
		for _, g := range c.Directory.Groups {
			note("LeaverAdmins", p.Number, gone && g.Privileged && slices.Contains(g.Members, p.Login))
		}
		for _, r := range c.Roles {
			holds := slices.ContainsFunc(r.Members, func(m people.RoleMember) bool { return m.Number == p.Number })
			note("LeaverRoles", p.Number, gone && holds)
		}
	}
	for mail, numbers := range mails {
		if mail != "" && len(numbers) > 1 {
			found["DuplicateMail"] = append(found["DuplicateMail"], numbers...)
		}
	}
	for _, a := range c.Directory.Accounts {
		note("OrphanAccounts", a.Login, a.Number == "" && a.Kind != people.Service)
		note("ServiceAccounts", a.Login, a.Kind == people.Service)
	}
	for _, g := range c.Directory.Groups {
		for _, l := range g.Members {
			_, known := directory[l]
			note("DanglingMembers", l, !known)
		}
	}
	w := c.Wrinkles
	for name, want := range map[string][]string{
		"SameName": w.SameName, "MissingMail": w.MissingMail, "DuplicateMail": w.DuplicateMail,
		"EnabledLeavers": w.EnabledLeavers, "ActiveSaaSLeavers": w.ActiveSaaSLeavers, "ManagerGone": w.ManagerGone,
		"OverdueContractors": w.OverdueContractors, "StaleDepartment": w.StaleDepartment, "ToxicPairs": w.ToxicPairs,
		"LeaverAdmins": w.LeaverAdmins, "LeaverRoles": w.LeaverRoles, "OrphanAccounts": w.OrphanAccounts,
		"ServiceAccounts": w.ServiceAccounts, "DanglingMembers": w.DanglingMembers,
	} {
		slices.Sort(want)
		slices.Sort(found[name])
		if d := cmp.Diff(want, found[name]); d != "" {
			t.Errorf("%s: the list and the company differ (-listed +found):\n%s", name, d)
		}
	}
}

func members(s people.System, group string) []string {
	i := slices.IndexFunc(s.Groups, func(g people.Group) bool { return g.Name == group })
	return s.Groups[i].Members
}
