package wire

import (
	"bytes"
	"errors"
)

// errMalformed is what every decoding problem comes down to: the peer does not speak LDAP's subset of BER
// (RFC 4511 section 5.1).
var errMalformed = errors.New("malformed LDAP message")

// cursor walks over the elements of an encoded value without copying anything.
type cursor []byte

// next takes one element off the front. Only what RFC 4511 section 5.1 allows is understood: definite lengths
// and, since LDAP uses no others, tags of one byte.
func (c *cursor) next() (tag byte, value []byte, err error) {
	b := *c
	if len(b) < 2 || b[0]&0x1F == 0x1F {
		return 0, nil, errMalformed
	}
	size, head := int(b[1]), 2
	if size >= 0x80 {
		n := size & 0x7F
		if n == 0 || n > 4 || len(b) < 2+n {
			return 0, nil, errMalformed
		}
		size = 0
		for _, x := range b[2 : 2+n] {
			size = size<<8 | int(x)
		}
		head += n
	}
	if size < 0 || size > len(b)-head {
		return 0, nil, errMalformed
	}
	*c = b[head+size:]
	return b[0], b[head : head+size : head+size], nil
}

// expect takes one element that must have the given tag.
func (c *cursor) expect(want byte) ([]byte, error) {
	tag, value, err := c.next()
	if err == nil && tag != want {
		err = errMalformed
	}
	return value, err
}

// integer decodes an INTEGER or ENUMERATED of at most four bytes.
func integer(b []byte) (int, error) {
	if len(b) == 0 || len(b) > 4 {
		return 0, errMalformed
	}
	n := int(int8(b[0]))
	for _, x := range b[1:] {
		n = n<<8 | int(x)
	}
	return n, nil
}

// attribute reads one PartialAttribute into a, reusing a's list of values.
func attribute(b []byte, a *Attribute) error {
	c := cursor(b)
	var err error
	if a.Name, err = c.expect(tagOctetString); err != nil {
		return err
	}
	set, err := c.expect(tagSet)
	if err != nil {
		return err
	}
	a.Values = a.Values[:0]
	for values := cursor(set); len(values) > 0; {
		value, err := values.expect(tagOctetString)
		if err != nil {
			return err
		}
		a.Values = append(a.Values, value)
	}
	return nil
}

// decode reads a SearchResultEntry (RFC 4511 section 4.5.2). Everything in e points into b.
func (e *Entry) decode(b []byte) error {
	c := cursor(b)
	var err error
	if e.DN, err = c.expect(tagOctetString); err != nil {
		return err
	}
	list, err := c.expect(tagSequence)
	if err != nil {
		return err
	}
	e.Attributes = e.Attributes[:0]
	for attrs := cursor(list); len(attrs) > 0; {
		one, err := attrs.expect(tagSequence)
		if err != nil {
			return err
		}
		// Growing into the spare capacity keeps the lists of values of earlier entries.
		if n := len(e.Attributes); n < cap(e.Attributes) {
			e.Attributes = e.Attributes[:n+1]
		} else {
			e.Attributes = append(e.Attributes, Attribute{})
		}
		if err := attribute(one, &e.Attributes[len(e.Attributes)-1]); err != nil {
			return err
		}
		e.join()
	}
	return nil
}

// join adds the last attribute to one of the same name before it: some servers send an attribute in several parts.
func (e *Entry) join() {
	last := len(e.Attributes) - 1
	for i := range last {
		if bytes.EqualFold(e.Attributes[i].Name, e.Attributes[last].Name) {
			e.Attributes[i].Values = append(e.Attributes[i].Values, e.Attributes[last].Values...)
			e.Attributes = e.Attributes[:last]
			return
		}
	}
}

// decode reads an LDAPResult (RFC 4511 section 4.1.9).
func (r *Result) decode(b []byte) error {
	c := cursor(b)
	code, err := c.expect(tagEnumerated)
	if err != nil {
		return err
	}
	if r.Code, err = integer(code); err != nil {
		return err
	}
	matched, err := c.expect(tagOctetString)
	if err != nil {
		return err
	}
	diagnostic, err := c.expect(tagOctetString)
	if err != nil {
		return err
	}
	// Active Directory ends its diagnostics with a NUL.
	r.MatchedDN, r.Diagnostic = string(matched), string(bytes.TrimRight(diagnostic, "\x00\r\n "))
	return nil
}

// controlValue finds a control among a message's controls. Its value is nil where it has none.
func controlValue(controls []byte, wanted string) (value []byte, found bool, err error) {
	for list := cursor(controls); len(list) > 0; {
		one, err := list.expect(tagSequence)
		if err != nil {
			return nil, false, err
		}
		c := cursor(one)
		oid, err := c.expect(tagOctetString)
		if err != nil {
			return nil, false, err
		}
		if string(oid) != wanted {
			continue
		}
		for len(c) > 0 {
			tag, value, err := c.next()
			if err != nil {
				return nil, false, err
			}
			if tag == tagOctetString {
				return value, true, nil
			}
		}
		return nil, true, nil
	}
	return nil, false, nil
}

// pagingCookie finds the paged results control (RFC 2696) among a message's controls.
func pagingCookie(controls []byte) (cookie []byte, found bool, err error) {
	value, found, err := controlValue(controls, PagingOID)
	if err != nil || !found || value == nil {
		return nil, false, err
	}
	cookie, err = pagingValue(value)
	return cookie, err == nil, err
}

// pagingValue reads the cookie of a realSearchControlValue (RFC 2696 section 2). The size before it
// is an estimate of the whole result, and is not used.
func pagingValue(b []byte) ([]byte, error) {
	c := cursor(b)
	seq, err := c.expect(tagSequence)
	if err != nil {
		return nil, err
	}
	c = seq
	if _, err := c.expect(tagInteger); err != nil {
		return nil, err
	}
	cookie, err := c.expect(tagOctetString)
	return bytes.Clone(cookie), err
}
