package ldapdir

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/e2e/targets/ldapdir/schema"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

// attribute is one attribute of an entry.
type attribute struct {
	name   string
	values []string
}

// entry is one immutable entry; a change replaces it.
type entry struct {
	seq         uint64 // place in the directory, kept by a replacement
	dn          string
	norm        string // dn for comparison
	parent      string // norm of the entry above
	user        []attribute
	operational []attribute
}

// find gives the values of an attribute by its name in lower case.
func (e *entry) find(lower string) []string {
	for _, a := range e.user {
		if strings.EqualFold(a.name, lower) {
			return a.values
		}
	}
	for _, a := range e.operational {
		if strings.EqualFold(a.name, lower) {
			return a.values
		}
	}
	return nil
}

// normalDN writes a DN so that equal DNs are equal strings: lower case, one way of escaping, no
// spaces around separators. All names here compare without regard to case.
func normalDN(dn string) (string, error) {
	parsed, err := ldap.ParseDN(dn)
	if err != nil {
		return "", fmt.Errorf("DN %q: %w", dn, err)
	}
	return strings.ToLower(parsed.String()), nil
}

// plainDN says whether a DN of ours is its own norm but for case.
func plainDN(dn string) bool {
	for i := range len(dn) {
		if dn[i] >= 0x80 || strings.IndexByte(`\"+;<># `, dn[i]) >= 0 {
			return false
		}
	}
	return true
}

// key is the norm of a DN that this package built, from escaped parts.
func key(dn string) string {
	if plainDN(dn) {
		return strings.ToLower(dn)
	}
	norm, err := normalDN(dn)
	if err != nil {
		panic(err)
	}
	return norm
}

// newEntry makes an entry below a parent. The stamps are those of RFC 4512 section 3.4 and RFC 4530.
func newEntry(dn, parent, id string, created, modified time.Time, user []attribute) *entry {
	e := &entry{dn: dn, norm: key(dn), parent: key(parent)}
	for _, a := range user {
		if len(a.values) > 0 && a.values[0] != "" {
			e.user = append(e.user, a)
		}
	}
	e.operational = []attribute{
		{"entryUUID", []string{id}},
		{"entryDN", []string{dn}},
		{"createTimestamp", []string{generalized(created)}},
		{"modifyTimestamp", []string{generalized(modified)}},
		{"subschemaSubentry", []string{schema.DN}},
	}
	return e
}

// generalized is a time as LDAP writes it (GeneralizedTime, RFC 4517 section 3.3.13).
func generalized(t time.Time) string { return t.UTC().Format("20060102150405Z") }

func one(name, value string) attribute { return attribute{name, []string{value}} }

// container makes an organizationalUnit.
func container(base, name, above string) *entry {
	parent := base
	if above != "" {
		parent = above
	}
	dn := "ou=" + name + "," + parent
	at := people.Reference.AddDate(-8, 0, 0)
	return newEntry(dn, parent, people.UUID("container", dn), at, at, []attribute{
		{"objectClass", []string{"top", "organizationalUnit"}}, one("ou", name),
	})
}

// root makes the entry of the naming context.
func root(base string) *entry {
	dc, _, _ := strings.Cut(strings.TrimPrefix(base, "dc="), ",")
	at := people.Reference.AddDate(-8, 0, 0)
	return newEntry(base, "", people.UUID("root", base), at, at, []attribute{
		{"objectClass", []string{"top", "dcObject", "organization"}}, one("dc", dc), one("o", "Harbourline Freight"),
	})
}

// reader makes the entry of the account that connectors bind with.
func reader(base string) *entry {
	at := people.Reference.AddDate(-1, 0, 0)
	return newEntry(readerDN(base), "ou=services,"+base, people.UUID("reader", base), at, at, []attribute{
		{
			"objectClass",
			[]string{"top", "organizationalRole"},
		},
		one("cn", "reader"),
		one("description", "Reads the directory"),
	})
}

// accountDN is where an account stands: by what its owner is to the company.
func accountDN(base string, a people.Account) (dn, parent string) {
	switch a.Kind {
	case people.Contractor:
		parent = "ou=contractors,ou=people," + base
	case people.Service:
		parent = "ou=services," + base
	default:
		parent = "ou=employees,ou=people," + base
	}
	return "uid=" + ldap.EscapeDN(a.Login) + "," + parent, parent
}

func groupDN(base, name string) (dn, parent string) {
	parent = "ou=groups," + base
	return "cn=" + ldap.EscapeDN(name) + "," + parent, parent
}

// lockedForever is the value of pwdAccountLockedTime that says: locked until an administrator unlocks
// it (draft-behera-ldap-password-policy section 5.3.3).
const lockedForever = "000001010000Z"

// accountEntry writes an account as inetOrgPerson (RFC 2798).
func accountEntry(base string, a people.Account, managerDN string, memberOf []string) *entry {
	dn, parent := accountDN(base, a)
	e := newEntry(dn, parent, a.ID, a.Created, a.Modified, []attribute{
		{"objectClass", []string{"top", "person", "organizationalPerson", "inetOrgPerson"}},
		one("uid", a.Login), one("cn", a.DisplayName), one("sn", a.FamilyName), one("givenName", a.GivenName),
		one("displayName", a.DisplayName), one("mail", a.Mail), one("employeeNumber", a.Number),
		one("employeeType", string(a.Kind)), one("title", a.Title), one("departmentNumber", a.Department),
		one("l", a.Location), one("telephoneNumber", a.Phone), one("manager", managerDN),
	})
	e.operational = append(e.operational, one("structuralObjectClass", "inetOrgPerson"))
	if len(memberOf) > 0 {
		e.operational = append(e.operational, attribute{"memberOf", memberOf})
	}
	if !a.Enabled {
		e.operational = append(e.operational, one("pwdAccountLockedTime", lockedForever))
	}
	return e
}

// groupEntry writes a group as groupOfNames (RFC 4519 section 3.5).
func groupEntry(base string, g people.Group, members, memberOf []string) *entry {
	dn, parent := groupDN(base, g.Name)
	e := newEntry(dn, parent, g.ID, g.Created, g.Modified, []attribute{
		{"objectClass", []string{"top", "groupOfNames"}}, one("cn", g.Name), one("description", g.Description),
		{"member", members},
	})
	e.operational = append(e.operational, one("structuralObjectClass", "groupOfNames"))
	if len(memberOf) > 0 {
		e.operational = append(e.operational, attribute{"memberOf", memberOf})
	}
	return e
}
