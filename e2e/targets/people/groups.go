package people

import (
	"fmt"
	"slices"
	"time"
)

// groups collects the groups of one system.
type groups struct {
	m      *maker
	system string
	all    []Group
}

// add writes down a group with the accounts that fit; one that would be empty gets the first account,
// since a groupOfNames must have a member (RFC 4519).
func (g *groups) add(name, description string, accounts []Account, fits func(Account) bool) *Group {
	created := g.m.between(g.m.in(-2920), g.m.in(-365))
	made := Group{
		ID: g.m.id(g.system, "group", name), Name: name, Description: description,
		Created: created, Modified: g.m.between(created, g.m.c.Day),
	}
	for _, a := range accounts {
		if fits(a) {
			made.Members = append(made.Members, a.Login)
		}
	}
	if len(made.Members) == 0 {
		made.Members = []string{accounts[0].Login}
	}
	g.all = append(g.all, made)
	return &g.all[len(g.all)-1]
}

// nest puts one group inside another.
func (g *groups) nest(outer, inner string) {
	i := slices.IndexFunc(g.all, func(x Group) bool { return x.Name == outer })
	g.all[i].Groups = append(g.all[i].Groups, inner)
}

// join adds a login to a group.
func (g *groups) join(name string, logins ...string) {
	i := slices.IndexFunc(g.all, func(x Group) bool { return x.Name == name })
	for _, l := range logins {
		if !slices.Contains(g.all[i].Members, l) {
			g.all[i].Members = append(g.all[i].Members, l)
		}
	}
}

// directoryGroups makes the groups of the directory and the wrinkles among them.
func (m *maker) directoryGroups() {
	g := &groups{m: m, system: "directory"}
	g.organisation()
	g.access()
	g.payments()
	g.admins()
	g.crooked()
	m.c.Directory.Groups = g.all
	m.c.Wrinkles.NestedGroups = nested(g.all)
}

// organisation makes the groups that follow from where people work.
func (g *groups) organisation() {
	accounts := g.m.c.Directory.Accounts
	g.add("all-staff", "Everyone employed", accounts, func(a Account) bool { return a.Enabled && a.Kind == Employee })
	g.add(
		"contractors",
		"Everyone on a contract",
		accounts,
		func(a Account) bool { return a.Enabled && a.Kind == Contractor },
	)
	leaders := g.m.leaders()
	for _, d := range plan {
		in := func(a Account) bool { return a.Enabled && a.Number != "" && a.Department == d.name }
		g.add(d.slug, "Everyone in "+d.name, accounts, func(a Account) bool { return in(a) && !leaders[a.Number] })
		g.add(
			d.slug+"-leads",
			"Those who lead people in "+d.name,
			accounts,
			func(a Account) bool { return in(a) && leaders[a.Number] },
		)
		g.nest(d.slug, d.slug+"-leads")
	}
	g.add(
		"all-leads",
		"Those who lead people",
		accounts,
		func(a Account) bool { return a.Number == g.m.c.People[0].Number },
	)
	for _, d := range plan {
		g.nest("all-leads", d.slug+"-leads")
	}
	for _, l := range g.m.c.Locations {
		g.add(
			"location-"+l.Slug,
			"Everyone in "+l.City,
			accounts,
			func(a Account) bool { return a.Enabled && a.Location == l.City },
		)
	}
}

// leaders is everyone with reports, by employee number.
func (m *maker) leaders() map[string]bool {
	all := map[string]bool{}
	for i := range m.leads {
		all[m.c.People[i].Number] = true
	}
	return all
}

// access makes the groups that open applications and networks.
func (g *groups) access() {
	accounts := g.m.c.Directory.Accounts
	works := func(departments ...string) func(Account) bool {
		return func(a Account) bool { return a.Enabled && slices.Contains(departments, a.Department) }
	}
	g.add(
		"vpn-users",
		"Remote access",
		accounts,
		func(a Account) bool { return a.Enabled && a.Kind != Service && g.m.r.IntN(10) < 6 },
	)
	g.add("app-crm", "Customer relationship system", accounts, works("Sales", "Marketing", "Customer Support"))
	g.add("app-erp", "Enterprise resource planning", accounts, works("Finance", "Operations"))
	g.add("app-hris", "HR system", accounts, works("Human Resources"))
	g.add("app-source-control", "Source code", accounts, works("Information Technology"))
	g.nest("app-source-control", "engineering")
	g.add("app-warehouse", "Warehouse management, all sites", accounts, works("Operations"))
	g.add("app-contracts", "Contract archive", accounts, works("Legal and Compliance", "Executive Office"))
	g.add(
		"wifi-corporate",
		"Office wireless network",
		accounts,
		func(a Account) bool { return a.Number == g.m.c.People[0].Number },
	)
	g.nest("wifi-corporate", "all-staff")
	g.nest("wifi-corporate", "contractors")
}

// payments makes the two groups that nobody should be in at once, and puts some into both.
func (g *groups) payments() {
	m := g.m
	teams := map[string]string{}
	for _, c := range m.c.CostCenters {
		teams[c.Code] = c.Name
	}
	accounts := m.c.Directory.Accounts
	team := func(name string) func(Account) bool {
		return func(a Account) bool { return a.Enabled && a.Kind == Employee && teams[a.CostCenter] == name }
	}
	g.add("payments-create", "May create payments", accounts, team("Accounting"))
	g.add("payments-approve", "May approve payments", accounts, team("Treasury"))
	want := m.permille(1)
	both := m.draw(want, func(p Person) bool { return p.Status == Active && p.Department == "Finance" })
	both = append(both, m.draw(want-len(both), func(p Person) bool { return p.Status == Active })...)
	for _, i := range both {
		g.join("payments-create", m.c.People[i].Login)
		g.join("payments-approve", m.c.People[i].Login)
	}
	m.c.Wrinkles.ToxicPairs = m.numbers(both)
}

// admins makes the groups that give an administrator's rights, and leaves two leavers in them.
func (g *groups) admins() {
	m := g.m
	candidates := slices.DeleteFunc(slices.Clone(m.c.Directory.Accounts), func(a Account) bool {
		return !a.Enabled || a.Kind != Employee || a.Department != "Information Technology"
	})
	share := max(1, len(candidates)/12)
	for i, name := range []string{"directory-admins", "server-admins", "database-admins", "network-admins",
		"cloud-admins", "backup-operators"} {
		chosen := map[string]bool{}
		for k := range share {
			chosen[candidates[(i*share+k)%len(candidates)].Login] = true
		}
		g.add(name, "Administrators: "+name, candidates,
			func(a Account) bool { return chosen[a.Login] }).Privileged = true
	}
	g.nest("server-admins", "directory-admins")
	g.nest("backup-operators", "server-admins")
	g.join("backup-operators", "svc-backup")
	g.join("database-admins", "svc-dbadmin")
	for i, number := range m.c.Wrinkles.LeaverAdmins {
		g.join([]string{"server-admins", "database-admins"}[i], m.c.People[m.boss[number]].Login)
	}
}

// crooked makes the group structures that break careless software.
func (g *groups) crooked() {
	m := g.m
	some := func(share int) func(Account) bool {
		return func(a Account) bool { return a.Enabled && a.Kind != Service && m.r.IntN(1000) < share }
	}
	g.add("project-atlas", "Project Atlas", m.c.Directory.Accounts, some(15))
	g.add("project-atlas-partners", "Project Atlas, partners", m.c.Directory.Accounts, some(4))
	g.nest("project-atlas", "project-atlas-partners")
	g.nest("project-atlas-partners", "project-atlas")
	m.c.Wrinkles.GroupCycle = []string{"project-atlas", "project-atlas-partners"}

	g.add("Treasury, Hamburg + Lyon", "Name with characters that a DN must escape", m.c.Directory.Accounts, some(3))
	g.join("vpn-users", "petra.altmann")
	g.join("app-crm", "temp.summer19")
	m.c.Wrinkles.DanglingMembers = []string{"petra.altmann", "temp.summer19"}
}

// nested names the groups that are members of others.
func nested(all []Group) []string {
	var names []string
	for _, g := range all {
		names = append(names, g.Groups...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// saasGroups makes the groups of the SaaS application.
func (m *maker) saasGroups() {
	g := &groups{m: m, system: "saas"}
	accounts := m.c.SaaS.Accounts
	g.add("Everyone", "All active users", accounts, func(a Account) bool { return a.Enabled && a.Kind != Service })
	for _, d := range plan {
		g.add(
			d.name,
			d.name+" workspace",
			accounts,
			func(a Account) bool { return a.Enabled && a.Department == d.name },
		)
	}
	it := slices.DeleteFunc(slices.Clone(accounts), func(a Account) bool {
		return !a.Enabled || a.Kind != Employee || a.Department != "Information Technology"
	})
	if len(it) == 0 {
		it = accounts[:1]
	}
	for _, name := range []string{"Workspace Administrators", "Billing Administrators"} {
		at := m.r.IntN(len(it))
		g.add(name, "May change settings for everyone", it[at:min(at+4, len(it))],
			func(Account) bool { return true }).Privileged = true
	}
	g.join("Workspace Administrators", "api-crm-bridge")
	g.add(
		"External Sharing",
		"May share outside the company",
		accounts,
		func(a Account) bool { return a.Enabled && m.r.IntN(100) < 9 },
	)
	g.add(
		"Power Users",
		"Automation and bulk export",
		accounts,
		func(a Account) bool { return a.Enabled && m.r.IntN(100) < 5 },
	)
	m.c.SaaS.Groups = g.all
}

// hrRoles are the rights inside the HR system, with how many people hold each, per thousand.
var hrRoles = []struct {
	name, description string
	permille          int
}{
	{"Absence Partner", "Maintains absences", 4}, {"Benefits Partner", "Maintains benefits", 3},
	{"Compensation Partner", "Sees and changes pay", 2}, {"HR Administrator", "Changes every worker record", 3},
	{"HR Auditor", "Reads every worker record", 2}, {"Payroll Partner", "Runs payroll", 3},
	{"Recruiter", "Maintains candidates", 5}, {"Report Writer", "Builds reports on worker records", 6},
	{"Security Administrator", "Assigns security roles", 1},
}

// roles hands out the security roles of the HR system; two leavers keep theirs.
func (m *maker) roles() {
	leavers := m.draw(2, isLeaver)
	m.c.Wrinkles.LeaverRoles = m.numbers(leavers)
	var hr []Person
	for _, p := range m.c.People {
		if p.Department == "Human Resources" && p.Status != Terminated {
			hr = append(hr, p)
		}
	}
	for i, d := range hrRoles {
		role := SecurityRole{ID: fmt.Sprintf("SR-%02d", i+1), Name: d.name, Description: d.description}
		for _, k := range m.r.Perm(len(hr))[:min(len(hr), m.permille(d.permille))] {
			role.Members = append(role.Members, m.roleMember(hr[k]))
		}
		m.c.Roles = append(m.c.Roles, role)
	}
	for i, p := range leavers {
		role := &m.c.Roles[[]int{5, 7}[i]]
		role.Members = append(role.Members, m.roleMember(m.c.People[p]))
	}
}

func (m *maker) roleMember(p Person) RoleMember {
	until := m.c.Day
	if !p.EndDate.IsZero() && p.EndDate.Before(until) {
		until = p.EndDate
	}
	return RoleMember{Number: p.Number, Assigned: m.between(p.HireDate, until).Truncate(24 * time.Hour)}
}
