package ldap_test

import (
	"fmt"
	"net"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/go-asn1-ber/asn1-ber"
	goldap "github.com/go-ldap/ldap/v3"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// fake is a directory that answers as a test scripts it: for Active Directory, and for faults no honest server shows.
type fake struct {
	port   int
	root   attrs
	bind   func(dn, password string) (code int, diagnostic string)
	search func(fakeSearch) fakeAnswer
	write  func(op string, p *ber.Packet) (code int, matched, diagnostic string) // nil: changes end the connection
	// whether search answers a question that is otherwise routine; nil: never
	asked func(fakeSearch) bool
}

type attrs map[string][]string

type fakeEntry struct {
	dn    string
	attrs attrs
}

// fakeSearch is what was asked.
type fakeSearch struct {
	base       string
	scope      int
	filter     string
	attributes []string
	pageSize   int
	cookie     string
	deleted    bool     // tombstones too
	dirSync    *dirSync // nil: an ordinary search
	message    *ber.Packet
}

// dirSync is Active Directory's control of that name, of a request or an answer.
type dirSync struct {
	flags  int64 // of an answer: more to come
	cookie string
}

func (r fakeSearch) wants(substring string) bool { return strings.Contains(r.filter, substring) }

type fakeAnswer struct {
	entries      []fakeEntry
	references   []string
	code         int
	matched      string
	diagnostic   string
	cookie       string
	ignorePaging bool
	hang         bool
	dirSync      *dirSync
}

func openLDAPRoot() attrs {
	return attrs{"objectClass": {"top", "OpenLDAProotDSE"}, "namingContexts": {"dc=x"}}
}

func newFake(t *testing.T, root attrs) *fake {
	t.Helper()
	f := &fake{root: root, bind: func(string, string) (int, string) {
		return 0, ""
	}, search: func(fakeSearch) fakeAnswer { return fakeAnswer{} }}
	f.port = listener(t, f.serve)
	return f
}

func (f *fake) auth() v1.AuthConfig {
	return v1.AuthConfig{
		"host": "127.0.0.1", "port": f.port, "security": "none", "base_dn": "dc=x", "bind_dn": "cn=reader,dc=x",
		"bind_password": "s3cret-of-reader",
	}
}

func (f *fake) serve(c net.Conn) {
	defer c.Close()
	for {
		p, err := ber.ReadPacket(c)
		if err != nil || len(p.Children) < 2 {
			return
		}
		id, op := p.Children[0].Value.(int64), p.Children[1]
		switch op.Tag {
		case goldap.ApplicationBindRequest:
			code, diagnostic := f.bind(op.Children[1].Data.String(), op.Children[2].Data.String())
			write(c, id, result(goldap.ApplicationBindResponse, code, "", diagnostic), nil)
		case goldap.ApplicationSearchRequest:
			if !f.answer(c, id, p) {
				return
			}
		default:
			name, ok := fakeWrites[op.Tag]
			if !ok || f.write == nil {
				return
			}
			code, matched, diagnostic := f.write(name, op)
			if code < 0 {
				return // without an answer
			}
			write(c, id, result(op.Tag+1, code, matched, diagnostic), nil)
		}
	}
}

// fakeWrites are the changes by the tag of their requests; that of the answer is the next.
var fakeWrites = map[ber.Tag]string{
	goldap.ApplicationAddRequest: "add", goldap.ApplicationModifyRequest: "modify",
	goldap.ApplicationModifyDNRequest: "modify_dn",
	goldap.ApplicationDelRequest:      "delete", goldap.ApplicationExtendedRequest: "extended",
}

func (f *fake) answer(c net.Conn, id int64, p *ber.Packet) bool {
	r := parseSearch(p)
	if r.base == "" && r.scope == goldap.ScopeBaseObject {
		write(c, id, entry(fakeEntry{"", f.root}), nil)
		write(c, id, result(goldap.ApplicationSearchResultDone, 0, "", ""), nil)
		return true
	}
	a := f.routine(r)
	if a == nil {
		answer := f.search(r)
		a = &answer
	}
	if a.hang {
		_, _ = c.Read(make([]byte, 1))
		return false
	}
	for _, e := range a.entries {
		write(c, id, entry(e), nil)
	}
	for _, url := range a.references {
		ref := ber.Encode(ber.ClassApplication, ber.TypeConstructed, goldap.ApplicationSearchResultReference, nil, "")
		ref.AppendChild(str(url))
		write(c, id, ref, nil)
	}
	var controls *ber.Packet
	if r.pageSize > 0 && !a.ignorePaging {
		paging := goldap.NewControlPaging(0)
		paging.SetCookie([]byte(a.cookie))
		controls = ber.Encode(ber.ClassContext, ber.TypeConstructed, 0, nil, "")
		controls.AppendChild(paging.Encode())
	}
	if a.dirSync != nil {
		answer := goldap.NewRequestControlDirSync(a.dirSync.flags, 0, []byte(a.dirSync.cookie))
		controls = ber.Encode(ber.ClassContext, ber.TypeConstructed, 0, nil, "")
		controls.AppendChild(answer.Encode())
	}
	write(c, id, result(goldap.ApplicationSearchResultDone, a.code, a.matched, a.diagnostic), controls)
	return true
}

// routine answers what every read asks beside its purpose: whether the base is there, what lies directly
// below it, and which places there are. nil: something else was asked.
func (f *fake) routine(r fakeSearch) *fakeAnswer {
	switch {
	case f.asked != nil && f.asked(r):
	case r.scope == goldap.ScopeBaseObject && r.filter == "(objectClass=*)" && strings.EqualFold(r.base, "dc=x") &&
		!slices.Contains(r.attributes, "contextCSN"):
		return &fakeAnswer{entries: []fakeEntry{{"dc=x", nil}}}
	case r.scope == goldap.ScopeSingleLevel, r.wants("(objectClass=organizationalUnit)"):
		return &fakeAnswer{}
	}
	return nil
}

func parseSearch(p *ber.Packet) fakeSearch {
	op := p.Children[1]
	r := fakeSearch{
		base: op.Children[0].Data.String(), scope: int(op.Children[1].Value.(int64)), message: op.Children[6],
	}
	r.filter, _ = goldap.DecompileFilter(op.Children[6])
	for _, a := range op.Children[7].Children {
		r.attributes = append(r.attributes, a.Data.String())
	}
	if len(p.Children) > 2 {
		for _, child := range p.Children[2].Children {
			if control, err := goldap.DecodeControl(child); err == nil {
				switch c := control.(type) {
				case *goldap.ControlPaging:
					r.pageSize, r.cookie = int(c.PagingSize), string(c.Cookie)
				case *goldap.ControlMicrosoftShowDeleted:
					r.deleted = true
				case *goldap.ControlDirSync:
					r.dirSync = &dirSync{flags: c.Flags, cookie: string(c.Cookie)}
				}
			}
		}
	}
	return r
}

func str(s string) *ber.Packet {
	return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, s, "")
}

func entry(e fakeEntry) *ber.Packet {
	out := ber.Encode(ber.ClassApplication, ber.TypeConstructed, goldap.ApplicationSearchResultEntry, nil, "")
	out.AppendChild(str(e.dn))
	list := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	names := make([]string, 0, len(e.attrs))
	for n := range e.attrs {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		one := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
		one.AppendChild(str(n))
		set := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
		for _, v := range e.attrs[n] {
			set.AppendChild(str(v))
		}
		one.AppendChild(set)
		list.AppendChild(one)
	}
	out.AppendChild(list)
	return out
}

func result(tag ber.Tag, code int, matched, diagnostic string) *ber.Packet {
	out := ber.Encode(ber.ClassApplication, ber.TypeConstructed, tag, nil, "")
	out.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""))
	out.AppendChild(str(matched))
	out.AppendChild(str(diagnostic))
	return out
}

func write(c net.Conn, id int64, op, controls *ber.Packet) {
	message := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	message.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, id, ""))
	message.AppendChild(op)
	if controls != nil {
		message.AppendChild(controls)
	}
	_, _ = c.Write(message.Bytes())
}

// span makes the members number from to (included) of a large group.
func span(from, to int) []string {
	var out []string
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprintf("CN=m%d,DC=x", i))
	}
	return slices.Clip(out)
}
