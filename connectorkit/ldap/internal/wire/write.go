package wire

import (
	"fmt"

	ber "github.com/go-asn1-ber/asn1-ber"
)

const (
	tagModifyResponse   = 0x67
	tagAddResponse      = 0x69
	tagDeleteResponse   = 0x6B
	tagModifyDNResponse = 0x6D

	appModify   = 6
	appAdd      = 8
	appDelete   = 10
	appModifyDN = 12
)

// PasswordModifyOID names the extended operation of RFC 3062.
const PasswordModifyOID = "1.3.6.1.4.1.4203.1.11.1"

// Kinds of change of one attribute (RFC 4511 section 4.6).
const (
	ChangeAdd     = 0
	ChangeDelete  = 1
	ChangeReplace = 2
)

// Change is what becomes of the values of one attribute.
type Change struct {
	// Kind is ChangeAdd, ChangeDelete or ChangeReplace.
	Kind int
	Name string
	// Values are raw. A ChangeDelete or ChangeReplace without values removes the attribute.
	Values [][]byte
}

// UnansweredError says that a request that changes something was sent, or may have been, and that its answer
// did not come. Whether the target has done it is unknown.
type UnansweredError struct {
	Op  string
	Err error
}

// Error has the operation and the cause.
func (e *UnansweredError) Error() string { return fmt.Sprintf("%s: no answer: %v", e.Op, e.Err) }

// Unwrap gives the cause: a lost connection, or the end of the caller's context.
func (e *UnansweredError) Unwrap() error { return e.Err }

// Add makes an entry (RFC 4511 section 4.7). A refusal is a *ResultError, as with all changes.
func (c *Conn) Add(dn string, attributes []Change) error {
	list := sequence()
	for _, a := range attributes {
		list.AppendChild(a.attribute())
	}
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, appAdd, nil, "")
	op.AppendChild(octets(dn))
	op.AppendChild(list)
	return c.change("add", op, tagAddResponse, nil)
}

// Modify changes attributes of an entry (RFC 4511 section 4.6): all of them or none. The controls have no value.
func (c *Conn) Modify(dn string, changes []Change, controls ...string) error {
	list := sequence()
	for _, m := range changes {
		list.AppendChild(sequence(enumerated(m.Kind), m.attribute()))
	}
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, appModify, nil, "")
	op.AppendChild(octets(dn))
	op.AppendChild(list)
	return c.change("modify", op, tagModifyResponse, controls)
}

// Delete removes an entry (RFC 4511 section 4.8).
func (c *Conn) Delete(dn string, controls ...string) error {
	return c.change(
		"delete", ber.NewString(ber.ClassApplication, ber.TypePrimitive, appDelete, dn, ""), tagDeleteResponse,
		controls,
	)
}

// ModifyDN renames an entry, and moves it where newSuperior is not empty (RFC 4511 section 4.9). The values
// of the old name that are no part of the new one are removed from the entry.
func (c *Conn) ModifyDN(dn, newRDN, newSuperior string) error {
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, appModifyDN, nil, "")
	op.AppendChild(octets(dn))
	op.AppendChild(octets(newRDN))
	op.AppendChild(ber.NewLDAPBoolean(ber.ClassUniversal, ber.TypePrimitive, ber.TagBoolean, true, ""))
	if newSuperior != "" {
		op.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 0, newSuperior, ""))
	}
	return c.change("modify_dn", op, tagModifyDNResponse, nil)
}

// PasswordModify sets the password of an entry (RFC 3062).
func (c *Conn) PasswordModify(dn, password string) error {
	value := sequence(
		ber.NewString(ber.ClassContext, ber.TypePrimitive, 0, dn, ""),
		ber.NewString(ber.ClassContext, ber.TypePrimitive, 2, password, ""),
	)
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, appExtended, nil, "")
	op.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 0, PasswordModifyOID, ""))
	op.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 1, string(value.Bytes()), ""))
	return c.change("password_modify", op, tagExtResponse, nil)
}

// change sends a request that changes something and reads its answer. Whatever goes wrong between the two
// leaves open what the target has done.
func (c *Conn) change(name string, op *ber.Packet, answer byte, controls []string) error {
	list := make([]control, len(controls))
	for i, oid := range controls {
		list[i] = control{oid: oid}
	}
	open := func(err error) error { return &UnansweredError{Op: name, Err: err} }
	if err := c.send(op, encodeControls(list)); err != nil {
		return open(err)
	}
	tag, body, _, err := c.receive()
	if err != nil {
		return open(err)
	}
	if tag != answer {
		return open(c.unexpected(tag))
	}
	var r Result
	if err := r.decode(body); err != nil {
		return open(c.malformed(err))
	}
	if r.Code != 0 {
		return &ResultError{Op: name, Result: r}
	}
	return nil
}

// attribute is the PartialAttribute of the change.
func (m Change) attribute() *ber.Packet {
	set := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
	for _, v := range m.Values {
		set.AppendChild(octets(string(v)))
	}
	return sequence(octets(m.Name), set)
}

// enumerated is an ENUMERATED.
func enumerated(n int) *ber.Packet {
	return ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, n, "")
}
