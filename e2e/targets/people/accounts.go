package people

import (
	"slices"
	"strconv"
	"time"
)

// serviceLogins are the directory's machine accounts, with what they are for.
var serviceLogins = [][2]string{
	{"svc-backup", "Nightly backup"},
	{"svc-build", "Build farm"},
	{"svc-dbadmin", "Database maintenance"},
	{
		"svc-erp-batch",
		"ERP batch jobs",
	},
	{"svc-ldap-sync", "Directory synchronisation"},
	{"svc-mail-relay", "Mail relay"},
	{"svc-monitoring", "Monitoring probes"},
	{"svc-print", "Print servers"},
	{"svc-scan", "Document scanners"},
	{"svc-vpn-radius", "VPN gateway"},
}

// saasServiceLogins are the SaaS application's machine accounts.
var saasServiceLogins = [][2]string{
	{"api-billing-export", "Billing export"}, {"api-crm-bridge", "CRM bridge"}, {"api-reporting", "Reporting"},
}

// directory fills the LDAP side: an account for everybody who is there, disabled ones for most who
// left lately, and those that nobody should have.
func (m *maker) directory() {
	w := &m.c.Wrinkles
	enabled := m.draw(m.permille(4), isLeaver)
	admins := m.draw(2, isLeaver)
	stale := m.draw(m.permille(4), func(p Person) bool { return p.Status == Active })
	w.EnabledLeavers, w.LeaverAdmins, w.StaleDepartment = m.numbers(enabled), m.numbers(admins), m.numbers(stale)

	s := &m.c.Directory
	for i, p := range m.c.People {
		if p.Status == Terminated && !m.taken[i] && m.longGone(p) {
			continue
		}
		a := m.account("directory", p)
		a.Enabled = p.Status != Terminated || slices.Contains(enabled, i)
		if slices.Contains(stale, i) {
			a.Department = m.otherDepartment(p.Department)
		}
		s.Accounts = append(s.Accounts, a)
	}
	link(s.Accounts, m.managerLogins())
	w.OrphanAccounts = m.orphans("directory", s, m.permille(3))
	w.ServiceAccounts = m.services("directory", s, serviceLogins)
	m.directoryGroups()
}

// saas fills the SaaS side: seven people in ten have an account there.
func (m *maker) saas() {
	active := m.draw(m.permille(3), isLeaver)
	m.c.Wrinkles.ActiveSaaSLeavers = m.numbers(active)
	s := &m.c.SaaS
	for i, p := range m.c.People {
		wrinkled := slices.Contains(active, i) || slices.Contains(m.c.Wrinkles.DuplicateMail, p.Number)
		if !wrinkled && (p.Status == Terminated && m.longGone(p) || m.r.IntN(100) >= 72) {
			continue
		}
		a := m.account("saas", p)
		a.Enabled = p.Status != Terminated || slices.Contains(active, i)
		s.Accounts = append(s.Accounts, a)
	}
	link(s.Accounts, m.managerLogins())
	m.c.Wrinkles.OrphanSaaSAccounts = m.orphans("saas", s, m.permille(2))
	m.c.Wrinkles.SaaSServiceAccounts = m.services("saas", s, saasServiceLogins)
	m.saasGroups()
}

func isLeaver(p Person) bool { return p.Status == Terminated }

// longGone says whether a leaver's account was cleaned up: after half a year, mostly.
func (m *maker) longGone(p Person) bool {
	return p.EndDate.Before(m.in(-180)) && m.r.IntN(10) < 8
}

// account is somebody's login in a system.
func (m *maker) account(system string, p Person) Account {
	created := p.HireDate.Add(8 * time.Hour)
	a := Account{
		ID: m.id(system, p.Number), Login: p.Login, Number: p.Number,
		GivenName: p.GivenName, FamilyName: p.FamilyName, DisplayName: p.DisplayName, Mail: p.Mail,
		Title: p.Title, Department: p.Department, CostCenter: p.CostCenter, Location: p.Location, Phone: p.Phone,
		Kind: p.Kind, Created: created, Modified: later(created, p.Modified),
	}
	return a
}

func (m *maker) id(words ...string) string {
	return UUID(append([]string{strconv.FormatInt(m.c.Seed, 10)}, words...)...)
}

// managerLogins gives the login of everybody's manager, by employee number.
func (m *maker) managerLogins() map[string]string {
	all := make(map[string]string, len(m.c.People))
	for _, p := range m.c.People {
		if p.Manager != "" {
			all[p.Number] = m.c.People[m.boss[p.Manager]].Login
		}
	}
	return all
}

// link names the manager of each account, where the manager has an account in the same system.
func link(accounts []Account, managers map[string]string) {
	there := make(map[string]bool, len(accounts))
	for _, a := range accounts {
		there[a.Login] = true
	}
	for i := range accounts {
		if boss := managers[accounts[i].Number]; there[boss] {
			accounts[i].Manager = boss
		}
	}
}

// orphans adds k accounts of people HR does not know, and gives their logins.
func (m *maker) orphans(system string, s *System, k int) []string {
	var logins []string
	for range k {
		n := drawName(m.r, "")
		a := Account{
			Login: m.login(n), GivenName: n.given, FamilyName: n.family, DisplayName: n.given + " " + n.family,
			Department: m.otherDepartment(""), Kind: Unknown, Enabled: true,
			Created: m.between(m.in(-1825), m.in(-730)),
		}
		a.ID, a.Mail, a.Modified = m.id(system, a.Login), a.Login+"@"+m.c.Domain, a.Created
		s.Accounts = append(s.Accounts, a)
		logins = append(logins, a.Login)
	}
	slices.Sort(logins)
	return logins
}

// services adds the machine accounts, and gives their logins.
func (m *maker) services(system string, s *System, list [][2]string) []string {
	var logins []string
	for _, l := range list {
		a := Account{
			ID: m.id(system, l[0]), Login: l[0], FamilyName: l[0], DisplayName: l[1], Kind: Service, Enabled: true,
			Created: m.between(m.in(-2190), m.in(-365)),
		}
		a.Modified = a.Created
		s.Accounts = append(s.Accounts, a)
		logins = append(logins, l[0])
	}
	return logins
}

// otherDepartment is any department of the plan but the given one.
func (m *maker) otherDepartment(not string) string {
	for {
		if d := plan[m.r.IntN(len(plan))].name; d != not {
			return d
		}
	}
}
