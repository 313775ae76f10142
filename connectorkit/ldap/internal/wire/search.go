package wire

import (
	"fmt"

	ber "github.com/go-asn1-ber/asn1-ber"
	ldap "github.com/go-ldap/ldap/v3"
)

// Entry is one object of the directory. It and all it holds are valid only until the function it was given to returns.
type Entry struct {
	DN         []byte
	Attributes []Attribute
}

// Attribute is an attribute with its values; Name is the target's spelling and carries options, as in member;range=0-1499.
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
}

// Page tells how a search, or one page of it, came to its end. It is only given when the target said so itself.
type Page struct {
	Entries    int
	References int    // search continuations, which are not followed
	Paged      bool   // the target answered the paging control
	Cookie     []byte // empty: there are no more pages
}

// Search sends a search and gives each entry to each as it comes. A search that the target ended with anything but success
// is a *ResultError, even when entries came before. An error of each ends the search and leaves the connection broken.
func (c *Conn) Search(r Request, each func(*Entry) error) (Page, error) {
	op, err := r.encode()
	if err != nil {
		return Page{}, err
	}
	if err := c.send(op, r.controls()); err != nil {
		return Page{}, err
	}
	var page Page
	for {
		tag, body, controls, err := c.receive()
		if err != nil {
			return page, err
		}
		switch tag {
		case tagSearchEntry:
			if err := c.entry.decode(body); err != nil {
				return page, c.malformed(err)
			}
			page.Entries++
			if err := each(&c.entry); err != nil {
				c.broken = true
				return page, err
			}
		case tagSearchRef:
			page.References++
		case tagIntermediate:
		case tagSearchDone:
			return page, c.done(body, controls, &page)
		default:
			return page, c.unexpected(tag)
		}
	}
}

func (c *Conn) done(body, controls []byte, page *Page) error {
	var result Result
	if err := result.decode(body); err != nil {
		return c.malformed(err)
	}
	if result.Code != 0 {
		return &ResultError{Op: "search", Result: result}
	}
	var err error
	if page.Cookie, page.Paged, err = pagingCookie(controls); err != nil {
		return c.malformed(err)
	}
	return nil
}

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

// controls asks for a page. The control is critical: a target that does not know it must say so instead of guessing.
func (r Request) controls() *ber.Packet {
	if r.PageSize == 0 {
		return nil
	}
	value := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	value.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, r.PageSize, ""))
	value.AppendChild(octets(string(r.Cookie)))
	control := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	control.AppendChild(octets(PagingOID))
	control.AppendChild(ber.NewBoolean(ber.ClassUniversal, ber.TypePrimitive, ber.TagBoolean, true, ""))
	control.AppendChild(octets(string(value.Bytes())))
	list := ber.Encode(ber.ClassContext, ber.TypeConstructed, 0, nil, "")
	list.AppendChild(control)
	return list
}
