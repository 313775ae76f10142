package ldaptest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	goldap "github.com/go-ldap/ldap/v3"
)

// Org is a small organisation that any directory can hold.
type Org struct {
	People   []Person // below PeopleDN
	Partners []Person // below PartnersDN; on Active Directory contacts, which are people without an account
	Groups   []Group  // below GroupsDN; a group may name one that comes later
}

// Person is a person in the organization.
type Person struct {
	UID, First, Last string
	Number           int
	Department       string
	Manager          string // UID of another
	Disabled         bool   // closed by an administrator, in whatever way the directory has for it
	Password         string // empty: none
}

// Group is a group of the organisation.
type Group struct {
	Name     string
	People   []string // UIDs
	Groups   []string // names of groups in this group
	Partners []string // UIDs of partners
}

// Staff makes n people u000 and on, in a tree of managers under the first, with names beyond ASCII.
func Staff(n int) []Person {
	people := make([]Person, n)
	for i := range people {
		people[i] = Person{
			UID: fmt.Sprintf("u%03d", i), First: firstNames[i%len(firstNames)],
			Last:   lastNames[(i/len(firstNames))%len(lastNames)],
			Number: 100000 + i, Department: departments[i%len(departments)],
		}
		if i > 0 {
			people[i].Manager = fmt.Sprintf("u%03d", (i-1)/10)
		}
	}
	return people
}

// dialect is how a kind of directory writes an organisation down.
type dialect struct {
	user         string // the attribute that names a person
	personClass  string
	partnerClass string // of people without an account, who have a name and nothing else; empty: as anybody
	groupClass   string
	unitClass    string
	uid          string // holds Person.UID
	department   string
	disabled     attr // what closes an account
	enabled      attr // what every open account carries; may be empty
	needsMembers bool // a group without members cannot be
	password     func(string) attr
}

// attr is one value of an attribute. An empty name is no attribute.
type attr struct{ name, value string }

// plainPassword gives the password as most directories take it; they hash it themselves.
func plainPassword(p string) attr { return attr{"userPassword", p} }

// entry is an entry to be added.
type entry struct {
	dn    string
	attrs []attr
}

// entries lists what the organisation is made of, parents first.
func (s *Server) entries(o Org) []entry {
	var list []entry
	for _, ou := range []string{"people", "groups", "partners"} {
		list = append(list, entry{"ou=" + ou + "," + Suffix, []attr{{"objectClass", s.words.unitClass}, {"ou", ou}}})
	}
	for _, p := range o.People {
		list = append(list, s.person(p, PeopleDN))
	}
	for _, p := range o.Partners {
		list = append(list, s.partner(p))
	}
	for _, g := range o.Groups {
		list = append(list, s.group(g))
	}
	return list
}

// person is the entry of a person, in the directory's own names.
func (s *Server) person(p Person, parent string) entry {
	w := s.words
	full := p.First + " " + p.Last
	e := entry{dn: w.user + "=" + goldap.EscapeDN(p.UID) + "," + parent, attrs: []attr{
		{"objectClass", w.personClass}, {w.uid, p.UID}, {"givenName", p.First}, {"sn", p.Last}, {"displayName", full},
		{"mail", fmt.Sprintf("m%d@iga.test", p.Number)}, {"employeeNumber", fmt.Sprint(p.Number)},
	}}
	if w.user != "cn" {
		e.attrs = append(e.attrs, attr{"cn", full})
	}
	if p.Department != "" {
		e.attrs = append(e.attrs, attr{w.department, p.Department})
	}
	if p.Manager != "" {
		e.attrs = append(e.attrs, attr{"manager", s.UserDN(p.Manager)})
	}
	if p.Password != "" {
		e.attrs = append(e.attrs, w.password(p.Password))
	}
	if p.Disabled {
		e.attrs = append(e.attrs, w.disabled)
	} else if w.enabled.name != "" {
		e.attrs = append(e.attrs, w.enabled)
	}
	return e
}

// PartnerDN is the DN of a partner of an Org.
func (s *Server) PartnerDN(uid string) string {
	return s.words.user + "=" + goldap.EscapeDN(uid) + "," + PartnersDN
}

// partner is the entry of a partner. Where the directory has a class for people without an account
// it is used; elsewhere a partner is a person like others, in another place.
func (s *Server) partner(p Person) entry {
	if s.words.partnerClass == "" {
		return s.person(p, PartnersDN)
	}
	return entry{
		s.PartnerDN(p.UID), []attr{{"objectClass", s.words.partnerClass}, {"givenName", p.First}, {"sn", p.Last}},
	}
}

// group is the entry of a group with its members.
func (s *Server) group(g Group) entry {
	e := entry{
		dn:    s.GroupDN(g.Name),
		attrs: []attr{{"objectClass", s.words.groupClass}, {"cn", g.Name}, {"description", "group " + g.Name}},
	}
	if s.words.groupClass == "group" {
		e.attrs = append(e.attrs, attr{"sAMAccountName", strings.ReplaceAll(g.Name, ",", "")})
	}
	before := len(e.attrs)
	for _, uid := range g.People {
		e.attrs = append(e.attrs, attr{"member", s.UserDN(uid)})
	}
	for _, name := range g.Groups {
		e.attrs = append(e.attrs, attr{"member", s.GroupDN(name)})
	}
	for _, uid := range g.Partners {
		e.attrs = append(e.attrs, attr{"member", s.PartnerDN(uid)})
	}
	if s.words.needsMembers && len(e.attrs) == before {
		e.attrs = append(e.attrs, attr{"member", ""}) // RFC 4519: an empty member stands for no one
	}
	return e
}

// ldif writes entries as RFC 2849 wants them.
func ldif(list []entry) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString(Attr("dn", e.dn))
		for _, a := range e.attrs {
			b.WriteString(Attr(a.name, a.value))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// add adds entries over LDAP.
func add(t testing.TB, conn *goldap.Conn, list []entry) {
	t.Helper()
	for _, e := range list {
		req := goldap.NewAddRequest(e.dn, nil)
		values := map[string][]string{}
		var names []string
		for _, a := range e.attrs {
			if values[a.name] == nil {
				names = append(names, a.name)
			}
			values[a.name] = append(values[a.name], a.value)
		}
		for _, name := range names {
			req.Attribute(name, values[name])
		}
		if err := conn.Add(req); err != nil {
			t.Fatalf("add %s: %v", e.dn, err)
		}
	}
}

// AddPerson adds a person below PeopleDN.
func (s *Server) AddPerson(t testing.TB, conn *goldap.Conn, p Person) {
	t.Helper()
	add(t, conn, []entry{s.person(p, PeopleDN)})
}

// quotedUTF16 is a password as Active Directory takes it (MS-ADTS section 3.1.1.3.1.5).
func quotedUTF16(p string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(`"` + p + `"`)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}
