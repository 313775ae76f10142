package people

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// firstNumber is the employee number of the head of the company; the others follow.
const firstNumber = 100001

// maker holds what is needed while a company is being made.
type maker struct {
	c      *Company
	r      *rand.Rand
	logins map[string]int // login without its number: how often it was given
	leads  map[int]bool   // index in People: has reports
	boss   map[string]int // employee number: index in People
	taken  map[int]bool   // index in People: already plays a part in a wrinkle
}

// NewCompany makes the company of a seed with n people, employees and contractors, present and past,
// as it is on [Reference]. Fewer than [Smallest] are made up to it. The same arguments always give the
// same company.
func NewCompany(seed int64, n int) Company { return NewCompanyOn(seed, n, Reference) }

// NewCompanyOn makes the same company with all its dates moved, so that it is described on another day.
func NewCompanyOn(seed int64, n int, day time.Time) Company {
	c := Company{
		Name:   "Harbourline Freight",
		Domain: "harbourline.example",
		Seed:   seed,
		Day:    day.UTC().Truncate(24 * time.Hour),
	}
	m := &maker{
		c: &c, r: rand.New(rand.NewPCG(uint64(seed), 0x6772616e74)),
		logins: map[string]int{}, leads: map[int]bool{}, boss: map[string]int{}, taken: map[int]bool{},
	}
	m.places()
	m.staff(max(n, Smallest))
	m.fates()
	m.mails()
	m.directory()
	m.saas()
	m.roles()
	return c
}

// places writes down the offices, departments and cost centres.
func (m *maker) places() {
	for _, o := range offices {
		m.c.Locations = append(m.c.Locations, o.Location)
	}
	for i, d := range append([]division{executive}, plan...) {
		m.c.Departments = append(
			m.c.Departments,
			Department{ID: fmt.Sprintf("D-%03d", (i+1)*10), Name: d.name, Slug: d.slug},
		)
		for j, t := range d.teams {
			m.c.CostCenters = append(
				m.c.CostCenters,
				CostCenter{Code: costCode(i, j), Name: t.name, Department: d.name},
			)
		}
	}
}

// costCode is the cost centre of the j-th team in the i-th department.
func costCode(i, j int) string { return fmt.Sprintf("CC-%d", 1000*(i+1)+10*(j+1)) }

// staff hires the head of the company and then fills each department from its head down.
func (m *maker) staff(n int) {
	m.hire(-1, 0, 0, ceoTitle)
	rest := n - 1
	for i, d := range plan {
		size := (n - 1) * d.weight / 100
		if i == len(plan)-1 {
			size = rest
		}
		rest -= size
		m.department(i+1, d, size)
	}
	for i := range m.c.People {
		m.boss[m.c.People[i].Number] = i
	}
}

// seat is somebody who can still take reports.
type seat struct{ person, depth, team, room int }

// department hires size people under one head, each leader with five to eleven reports, eight on average.
func (m *maker) department(i int, d division, size int) {
	head := m.hire(0, i, 0, d.head)
	m.c.Departments[i].Head = m.c.People[head].Number
	open := []seat{{head, 0, 0, m.span()}}
	for k := 1; k < size; k++ {
		if open[0].room == 0 {
			open = open[1:]
		}
		boss := &open[0]
		boss.room--
		team := boss.team
		if boss.depth == 0 {
			team = k % len(d.teams) // the head's own reports lead a team each
		}
		who := m.hire(boss.person, i, team, pick(m.r, d.teams[team].titles))
		open = append(open, seat{who, boss.depth + 1, team, m.span()})
	}
	m.promote(head, i, d)
}

func (m *maker) span() int { return 5 + m.r.IntN(7) }

// promote gives a leader's title to everyone in the department, below its head, who has reports.
func (m *maker) promote(head, i int, d division) {
	for p := head + 1; p < len(m.c.People); p++ {
		if !m.leads[p] {
			continue
		}
		person := &m.c.People[p]
		team := d.teams[m.teamOf(i, person.CostCenter)].name
		if person.Manager == m.c.People[head].Number {
			person.Title = "Director, " + team
		} else {
			person.Title = "Manager, " + team
		}
	}
}

func (m *maker) teamOf(department int, code string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(code, "CC-"))
	return (n-1000*(department+1))/10 - 1
}

// hire adds a person under a manager (-1 for none) and gives their index.
func (m *maker) hire(boss, department, team int, title string) int {
	office := m.office()
	if boss > 0 && m.r.IntN(10) < 7 {
		office = m.officeOf(m.c.People[boss].Location) // teams mostly sit together
	}
	o := offices[office]
	i := len(m.c.People)
	who := m.name(i, o.Country)
	p := Person{
		Number: strconv.Itoa(firstNumber + i), GivenName: who.given, FamilyName: who.family,
		DisplayName: who.given + " " + who.family, Login: m.login(who),
		Title: title, Department: m.c.Departments[department].Name, CostCenter: costCode(department, team),
		Location: o.City, Country: o.Country, Phone: fmt.Sprintf("%s %04d", o.dial, 1000+i%9000),
		Kind: Employee, Status: Active,
	}
	p.HireDate = m.c.Day.AddDate(0, 0, -int(30+m.r.ExpFloat64()*1400)%9000).Truncate(24 * time.Hour)
	p.Modified = m.between(later(p.HireDate, m.in(-730)), m.c.Day)
	if boss >= 0 {
		p.Manager = m.c.People[boss].Number
		m.leads[boss] = true
	}
	m.c.People = append(m.c.People, p)
	return i
}

// name draws the name of the i-th person. Exactly two people are called Anna Müller.
func (m *maker) name(i int, country string) name {
	who := drawName(m.r, country)
	switch {
	case i == 20 || i == 60:
		m.taken[i] = true
		m.c.Wrinkles.SameName = append(m.c.Wrinkles.SameName, strconv.Itoa(firstNumber+i))
		return newName("Anna", "Müller")
	case who.given == "Anna" && who.family == "Müller":
		return newName("Annemarie", "Müller")
	default:
		return who
	}
}

// login is first.last, with a number from the second bearer on.
func (m *maker) login(n name) string {
	login := n.plainGiven + "." + n.plainFamily
	m.logins[login]++
	if k := m.logins[login]; k > 1 {
		return login + strconv.Itoa(k)
	}
	return login
}

func (m *maker) office() int {
	at := m.r.IntN(100)
	for i, o := range offices {
		if at -= o.weight; at < 0 {
			return i
		}
	}
	return 0
}

func (m *maker) officeOf(city string) int {
	return slices.IndexFunc(m.c.Locations, func(l Location) bool { return l.City == city })
}

// mails gives everybody an address, takes one away and lets two people share one.
func (m *maker) mails() {
	for i := range m.c.People {
		p := &m.c.People[i]
		p.Mail = p.Login + "@" + m.c.Domain
	}
	staff := m.draw(3, func(p Person) bool { return p.Status == Active && p.Kind == Employee })
	missing, owner, sharer := &m.c.People[staff[0]], &m.c.People[staff[1]], &m.c.People[staff[2]]
	missing.Mail = ""
	sharer.Mail = owner.Mail
	m.c.Wrinkles.MissingMail = []string{missing.Number}
	m.c.Wrinkles.DuplicateMail = []string{owner.Number, sharer.Number}
}

// draw takes k people at random who lead nobody, fit, and play no part in another wrinkle.
func (m *maker) draw(k int, fits func(Person) bool) []int {
	var found []int
	for _, i := range m.r.Perm(len(m.c.People)) {
		if len(found) == k {
			break
		}
		if !m.leads[i] && !m.taken[i] && fits(m.c.People[i]) {
			m.taken[i] = true
			found = append(found, i)
		}
	}
	return found
}

// numbers gives the employee numbers of people by index.
func (m *maker) numbers(index []int) []string {
	var all []string
	for _, i := range index {
		all = append(all, m.c.People[i].Number)
	}
	slices.Sort(all)
	return all
}

// permille is k thousandths of the company, at least one.
func (m *maker) permille(k int) int { return max(1, len(m.c.People)*k/1000) }

// between is a moment between two, to the second.
func (m *maker) between(from, to time.Time) time.Time {
	if !to.After(from) {
		return to
	}
	seconds := int64(to.Sub(from) / time.Second)
	return from.Add(time.Duration(m.r.Int64N(max(1, seconds))) * time.Second)
}

// in is so many days from the day of the company. Months and years are counted in days here, so that
// the company of another day differs in its dates alone.
func (m *maker) in(days int) time.Time { return m.c.Day.AddDate(0, 0, days) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// UUID gives the same UUID (version 8, RFC 9562) for the same words.
func UUID(words ...string) string {
	h := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
