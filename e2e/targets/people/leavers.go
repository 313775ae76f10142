package people

import "time"

// fates decides who is a contractor, who is away, and who has left.
func (m *maker) fates() {
	m.contractors()
	m.leavers()
	m.managersGone()
	m.away()
}

// contractors are 12 % of the people, all without reports; some are past the end of their contract.
func (m *maker) contractors() {
	n := len(m.c.People)
	for _, i := range m.r.Perm(n)[:n*16/100] {
		if p := &m.c.People[i]; !m.leads[i] && !m.taken[i] {
			p.Kind = Contractor
			p.EndDate = day(m.between(m.in(30), m.in(365)))
		}
	}
	overdue := m.draw(m.permille(3), func(p Person) bool { return p.Kind == Contractor })
	for _, i := range overdue {
		p := &m.c.People[i]
		p.HireDate = day(m.between(m.in(-1095), m.in(-365)))
		p.EndDate = day(m.between(m.in(-240), m.in(-20)))
	}
	m.c.Wrinkles.OverdueContractors = m.numbers(overdue)
}

// leavers are 6 % of the people, all without reports.
func (m *maker) leavers() {
	n := len(m.c.People)
	left := 0
	for _, i := range m.r.Perm(n) {
		if left == n*6/100 {
			break
		}
		if !m.leads[i] && !m.taken[i] {
			m.leave(i)
			left++
		}
	}
}

// leave ends somebody's employment in the last eighteen months.
func (m *maker) leave(i int) {
	p := &m.c.People[i]
	p.Status = Terminated
	p.EndDate = day(m.between(m.in(-540), m.in(-7)))
	if !p.HireDate.Before(p.EndDate) {
		p.HireDate = p.EndDate.AddDate(0, 0, -425)
	}
	p.Modified = p.EndDate.Add(17 * time.Hour)
}

// managersGone lets one manager in a thousand people leave whose reports were never given a new one.
func (m *maker) managersGone() {
	want := m.permille(1)
	for _, i := range m.r.Perm(len(m.c.People)) {
		if want == 0 {
			break
		}
		reports := m.reports(i)
		if m.taken[i] || m.anyLeads(reports) || !m.anyStays(reports) {
			continue
		}
		m.leave(i)
		m.taken[i] = true
		want--
		for _, r := range reports {
			if m.c.People[r].Status != Terminated {
				m.c.Wrinkles.ManagerGone = append(m.c.Wrinkles.ManagerGone, m.c.People[r].Number)
			}
		}
	}
}

// reports are the indices of somebody's direct reports.
func (m *maker) reports(i int) []int {
	if !m.leads[i] {
		return nil
	}
	var found []int
	for j, p := range m.c.People {
		if p.Manager == m.c.People[i].Number {
			found = append(found, j)
		}
	}
	return found
}

func (m *maker) anyLeads(index []int) bool {
	for _, i := range index {
		if m.leads[i] {
			return true
		}
	}
	return false
}

// away puts 3 % of the active employees on leave.
func (m *maker) away() {
	for i := range m.c.People {
		p := &m.c.People[i]
		if p.Status == Active && p.Kind == Employee && i > 0 && !m.taken[i] && m.r.IntN(100) < 3 {
			p.Status = OnLeave
		}
	}
}

func (m *maker) anyStays(index []int) bool {
	for _, i := range index {
		if m.c.People[i].Status != Terminated {
			return true
		}
	}
	return false
}

func day(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }
