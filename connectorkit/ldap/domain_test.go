package ldap_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-asn1-ber/asn1-ber"
	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

// domain is a model of an Active Directory domain as one of its controllers shows it, with what Samba does
// not do: ranges of members, refusals, other controllers, restored databases.
type domain struct {
	*fake
	t       *testing.T
	usn     int
	dc      string
	invoked byte // last byte of the invocationId
	objects []*object

	mayReplicate  bool // DirSync without restriction
	denyDirSync   bool // even with it
	seesDeleted   bool
	hidesNumbers  bool // uSNCreated cannot be read
	valuesAtOnce  int  // of member
	refuseChanges int  // result of every search by uSNChanged; 0: none
}

type object struct {
	number       int // last byte of its GUID
	dn           string
	usn, created int
	deleted      bool
	renamed      bool // since it came
	attrs        attrs
}

func newDomain(t *testing.T) *domain {
	t.Helper()
	d := &domain{t: t, dc: "DC1", usn: 1000, mayReplicate: true, seesDeleted: true, valuesAtOnce: 5}
	d.fake = newFake(t, nil)
	d.asked = func(fakeSearch) bool { return true }
	d.fake.search = d.answerSearch
	d.put(0, "DC=x", attrs{"objectClass": {"domain"}})
	d.put(1, "OU=People,DC=x", attrs{"objectClass": {"organizationalUnit"}})
	d.put(2, "OU=Away,DC=x", attrs{"objectClass": {"organizationalUnit"}})
	d.group(20, "Domain Users", 513)
	d.group(21, "Team", 2000)
	for n := 30; n < 42; n++ {
		d.user(n)
	}
	d.change(d.find(21), "member", span(0, 11)...)
	d.refresh()
	return d
}

// refresh brings the rootDSE up to date.
func (d *domain) refresh() {
	d.root = adRoot()
	d.root["dsServiceName"] = []string{"CN=NTDS Settings,CN=" + d.dc + ",CN=Servers,CN=Configuration,DC=x"}
	d.root["highestCommittedUSN"] = []string{strconv.Itoa(d.usn)}
}

func (d *domain) put(number int, dn string, a attrs) *object {
	d.usn++
	a["objectGUID"] = []string{raw(d.t, fmt.Sprintf("000000000000000000000000000000%02x", number))}
	o := &object{number: number, dn: dn, usn: d.usn, created: d.usn, renamed: true, attrs: a}
	d.objects = append(d.objects, o)
	return o
}

func (d *domain) user(n int) {
	d.put(n, fmt.Sprintf("CN=User %d,OU=People,DC=x", n), attrs{
		"objectClass": {"top", "person", "user"}, "objectCategory": {"person"}, "objectSid": {sid(d.t, uint32(1100+n))},
		"primaryGroupID": {"513"},
		"sAMAccountName": {fmt.Sprintf("user%d", n)}, "userAccountControl": {"512"},
	})
}

func (d *domain) group(n int, name string, rid uint32) {
	d.put(
		n, "CN="+name+",DC=x",
		attrs{"objectClass": {"top", "group"}, "objectCategory": {"group"}, "cn": {name}, "objectSid": {sid(d.t, rid)}},
	)
}

func (d *domain) find(n int) *object {
	i := slices.IndexFunc(d.objects, func(o *object) bool { return o.number == n })
	return d.objects[i]
}

func (d *domain) touch(o *object) { d.usn++; o.usn = d.usn; d.refresh() }

func (d *domain) change(o *object, attribute string, values ...string) {
	o.attrs[attribute] = values
	d.touch(o)
}

func (d *domain) move(o *object, dn string) { o.dn, o.renamed = dn, true; d.touch(o) }

// remove leaves a tombstone, which has few of the attributes.
func (d *domain) remove(o *object) {
	o.deleted, o.dn = true, strings.SplitN(o.dn, ",", 2)[0]+`\0ADEL:x,CN=Deleted Objects,DC=x`
	o.attrs = attrs{"objectClass": o.attrs["objectClass"], "objectGUID": o.attrs["objectGUID"], "isDeleted": {"TRUE"}}
	d.touch(o)
}

// answerSearch is what the controller answers, in pages.
func (d *domain) answerSearch(r fakeSearch) fakeAnswer {
	if r.dirSync != nil {
		return d.answerDirSync(r)
	}
	if strings.HasPrefix(r.base, "CN=NTDS Settings,CN="+d.dc) {
		return fakeAnswer{
			entries: []fakeEntry{
				{
					r.base,
					attrs{"invocationId": {raw(d.t, fmt.Sprintf("000000000000000000000000000000%02x", d.invoked))}},
				},
			},
		}
	}
	if d.refuseChanges != 0 && r.wants("uSNChanged>=") {
		return fakeAnswer{code: d.refuseChanges}
	}
	from, _ := strconv.Atoi(r.cookie)
	var out fakeAnswer
	for i, o := range d.objects {
		if i < from || !d.shows(o, r) {
			continue
		}
		if len(out.entries) == r.pageSize && r.pageSize > 0 {
			out.cookie = strconv.Itoa(i)
			break
		}
		out.entries = append(out.entries, fakeEntry{o.dn, d.attributes(o, r)})
	}
	return out
}

// answerDirSync shows three objects at a time; its cookie is the USN up to which the client knows everything.
func (d *domain) answerDirSync(r fakeSearch) fakeAnswer {
	restricted := r.dirSync.flags&1 != 0
	if d.denyDirSync || !restricted && !d.mayReplicate {
		return fakeAnswer{
			code: 50, diagnostic: "00002105: LdapErr: DSID-0C0909FB, comment: Error processing control, data 0, v3839",
		}
	}
	known, _ := strconv.Atoi(r.dirSync.cookie)
	list := slices.Clone(d.objects)
	slices.SortFunc(list, func(a, b *object) int { return a.usn - b.usn })
	out := fakeAnswer{dirSync: &dirSync{cookie: strconv.Itoa(d.usn)}}
	for _, o := range list {
		visible := !o.deleted || !restricted || d.seesDeleted
		if o.usn <= known || !visible || !d.matches(o, r.message) {
			continue
		}
		if len(out.entries) == 3 {
			out.dirSync.flags = 1
			break
		}
		shown := attrs{"objectGUID": o.attrs["objectGUID"], "instanceType": {"4"}}
		if o.renamed {
			shown["name"] = []string{"n"}
		}
		if o.deleted {
			shown["isDeleted"] = []string{"TRUE"}
		}
		out.entries = append(out.entries, fakeEntry{o.dn, shown})
		out.dirSync.cookie = strconv.Itoa(o.usn)
	}
	if out.dirSync.flags == 0 {
		out.dirSync.cookie = strconv.Itoa(d.usn)
	}
	return out
}

func (d *domain) shows(o *object, r fakeSearch) bool {
	if o.deleted && (!r.deleted || !d.seesDeleted) {
		return false
	}
	dn, base := ldapdn.Normalize(o.dn), ldapdn.Normalize(r.base)
	if strings.HasPrefix(r.base, "<GUID=") {
		return strings.HasSuffix(r.base, fmt.Sprintf("%02x>", o.number))
	}
	switch r.scope {
	case goldap.ScopeBaseObject:
		if dn != base {
			return false
		}
	case goldap.ScopeSingleLevel:
		if _, parent, _ := strings.Cut(dn, ","); parent != base {
			return false
		}
	default:
		if dn != base && !strings.HasSuffix(dn, ","+base) {
			return false
		}
	}
	return d.matches(o, r.message)
}

// attributes are an object's, members in ranges as Active Directory gives them.
func (d *domain) attributes(o *object, r fakeSearch) attrs {
	out := attrs{}
	for k, v := range o.attrs {
		if k != "member" {
			out[k] = v
		}
	}
	if d.hidesNumbers {
		delete(out, "uSNCreated")
	} else if slices.Contains(r.attributes, "uSNCreated") {
		out = attrs{"uSNCreated": {strconv.Itoa(o.created)}}
	}
	members := o.attrs["member"]
	from := 0
	if len(r.attributes) == 1 && strings.HasPrefix(r.attributes[0], "member;range=") {
		out = attrs{}
		_, _ = fmt.Sscanf(r.attributes[0], "member;range=%d-*", &from)
	} else if len(members) <= d.valuesAtOnce {
		out["member"] = members
		return out
	}
	to := min(from+d.valuesAtOnce, len(members))
	name := fmt.Sprintf("member;range=%d-%d", from, to-1)
	if to == len(members) {
		name = fmt.Sprintf("member;range=%d-*", from)
	}
	out[name] = members[from:to]
	return out
}

// matches evaluates a filter (RFC 4511 section 4.5.1.7).
func (d *domain) matches(o *object, f *ber.Packet) bool {
	switch f.Tag {
	case goldap.FilterAnd:
		return !slices.ContainsFunc(f.Children, func(c *ber.Packet) bool { return !d.matches(o, c) })
	case goldap.FilterOr:
		return slices.ContainsFunc(f.Children, func(c *ber.Packet) bool { return d.matches(o, c) })
	case goldap.FilterNot:
		return !d.matches(o, f.Children[0])
	case goldap.FilterPresent:
		return strings.EqualFold(f.Data.String(), "objectClass") || len(o.attrs[f.Data.String()]) > 0
	}
	name, value := f.Children[0].Data.String(), f.Children[1].Data.String()
	if number, ok := map[string]int{"uSNChanged": o.usn, "uSNCreated": o.created}[name]; ok {
		n, _ := strconv.Atoi(value)
		return f.Tag == goldap.FilterGreaterOrEqual && number >= n || f.Tag == goldap.FilterLessOrEqual && number <= n
	}
	return slices.ContainsFunc(o.attrs[name], func(v string) bool {
		if name == "objectSid" {
			v, _ = syntax.FormatSID([]byte(v))
		}
		return strings.EqualFold(v, value)
	})
}
