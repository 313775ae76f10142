package wire

import (
	"errors"
	"fmt"

	ber "github.com/go-asn1-ber/asn1-ber"
	ldap "github.com/go-ldap/ldap/v3"
)

// Entry is one object of the directory. It and all it holds are valid only until the function it was given to returns.
type Entry struct {
	DN         []byte
	Attributes []Attribute
}

// Attribute is an attribute with its values; Name is the target's spelling and carries options, as in
// member;range=0-1499.
type Attribute struct {
	Name   []byte
	Values [][]byte
}

// Request is a search (RFC 4511 section 4.5.1). Aliases are never dereferenced.
type Request struct {
	Base       string
	Scope      int // ldap.ScopeBaseObject, ScopeSingleLevel, ScopeWholeSubtree
	Filter     string
	Attributes []string
	SizeLimit  int // 0: none
	TimeLimit  int // seconds; 0: none

	PageSize int    // 0: do not ask for pages
	Cookie   []byte // of the page before

	ShowDeleted bool // Active Directory: tombstones too (LDAP_SERVER_SHOW_DELETED_OID)
}

// Page is how a search, or one page of it, ended. It is only given when the target itself reported the end.
type Page struct {
	Entries    int
	References int    // search continuations, which are not followed
	Paged      bool   // the target answered the paging control
	Cookie     []byte // empty: there are no more pages
}

// Search sends a search and gives each entry to each as it comes. A search that the target ended with
// anything but success is a *ResultError, even when entries came before. An error of each ends the search and
// leaves the connection broken.
func (c *Conn) Search(r Request, each func(*Entry) error) (Page, error) {
	page, controls, err := c.search(r, nil, visitor{entry: func(e *Entry, _ []byte) error { return each(e) }})
	if err != nil {
		return page, err
	}
	if page.Cookie, page.Paged, err = pagingCookie(controls); err != nil {
		return page, c.malformed(err)
	}
	return page, nil
}

// visitor receives the entries of a search. They are valid until it returns.
type visitor struct {
	entry func(e *Entry, controls []byte) error
	info  func(body []byte) error // intermediate responses (RFC 4511 section 4.13); nil: not wanted
}

// search runs one search and gives the controls of its end, which are valid until the next call.
func (c *Conn) search(r Request, extra []control, v visitor) (page Page, controls []byte, err error) {
	op, err := r.encode()
	if err != nil {
		return page, nil, err
	}
	if err := c.send(op, encodeControls(append(r.controls(), extra...))); err != nil {
		return page, nil, err
	}
	for {
		tag, body, controls, err := c.receive()
		if err != nil {
			return page, nil, err
		}
		switch tag {
		case tagSearchEntry:
			if err := c.entry.decode(body); err != nil {
				return page, nil, c.malformed(err)
			}
			page.Entries++
			if err := c.visited(v.entry(&c.entry, controls)); err != nil {
				return page, nil, err
			}
		case tagSearchRef:
			page.References++
		case tagIntermediate:
			if v.info == nil {
				continue
			}
			if err := c.visited(v.info(body)); err != nil {
				return page, nil, err
			}
		case tagSearchDone:
			return page, controls, c.done(body)
		default:
			return page, nil, c.unexpected(tag)
		}
	}
}

// visited notes that a visitor's error leaves answers unread.
func (c *Conn) visited(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errMalformed):
		return c.malformed(err)
	}
	c.broken = true
	return err
}

// done reads how a search ended. Anything but success is a *ResultError.
func (c *Conn) done(body []byte) error {
	var result Result
	if err := result.decode(body); err != nil {
		return c.malformed(err)
	}
	if result.Code != 0 {
		return &ResultError{Op: "search", Result: result}
	}
	return nil
}

// encode writes the SearchRequest. It fails for a filter that cannot be parsed, before anything is
// sent.
func (r Request) encode() (*ber.Packet, error) {
	filter, err := ldap.CompileFilter(r.Filter)
	if err != nil {
		return nil, fmt.Errorf("filter %s: %w", r.Filter, err)
	}
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, appSearch, nil, "")
	op.AppendChild(octets(r.Base))
	op.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, r.Scope, ""))
	op.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, ldap.NeverDerefAliases, ""))
	op.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, r.SizeLimit, ""))
	op.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, r.TimeLimit, ""))
	op.AppendChild(ber.NewBoolean(ber.ClassUniversal, ber.TypePrimitive, ber.TagBoolean, false, ""))
	op.AppendChild(filter)
	attributes := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	for _, a := range r.Attributes {
		attributes.AppendChild(octets(a))
	}
	op.AppendChild(attributes)
	return op, nil
}

// control is a control of a request (RFC 4511 section 4.1.11). All are critical: a target that does not know
// one must say so instead of guessing.
type control struct {
	oid   string
	value []byte // nil: none
}

// showDeletedOID names LDAP_SERVER_SHOW_DELETED_OID (MS-ADTS section 3.1.1.3.4.1.14).
const showDeletedOID = "1.2.840.113556.1.4.417"

// controls are the LDAP controls that the request's members ask for.
func (r Request) controls() []control {
	var list []control
	if r.PageSize > 0 {
		value := sequence(number(r.PageSize), octets(string(r.Cookie)))
		list = append(list, control{oid: PagingOID, value: value.Bytes()})
	}
	if r.ShowDeleted {
		list = append(list, control{oid: showDeletedOID})
	}
	return list
}

// encodeControls gives nil for an empty list.
func encodeControls(list []control) *ber.Packet {
	if len(list) == 0 {
		return nil
	}
	out := ber.Encode(ber.ClassContext, ber.TypeConstructed, 0, nil, "")
	for _, c := range list {
		// TRUE has to be FF (RFC 4511 section 5.1): Samba takes anything else for FALSE.
		one := sequence(
			octets(c.oid), ber.NewLDAPBoolean(ber.ClassUniversal, ber.TypePrimitive, ber.TagBoolean, true, ""),
		)
		if c.value != nil {
			one.AppendChild(octets(string(c.value)))
		}
		out.AppendChild(one)
	}
	return out
}

// sequence is a SEQUENCE of elements.
func sequence(children ...*ber.Packet) *ber.Packet {
	out := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	for _, c := range children {
		out.AppendChild(c)
	}
	return out
}

// number is an INTEGER.
func number(n int) *ber.Packet {
	return ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, n, "")
}
