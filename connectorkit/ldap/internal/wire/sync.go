package wire

import (
	"bytes"

	ber "github.com/go-asn1-ber/asn1-ber"
)

// Names of content synchronisation (RFC 4533 section 2).
const (
	SyncRequestOID = "1.3.6.1.4.1.4203.1.9.1.1"
	syncStateOID   = "1.3.6.1.4.1.4203.1.9.1.2"
	syncDoneOID    = "1.3.6.1.4.1.4203.1.9.1.3"
	syncInfoOID    = "1.3.6.1.4.1.4203.1.9.1.4"
	refreshOnly    = 1
	tagBoolean     = 0x01

	tagInfoName  = 0x80 // IntermediateResponse: responseName [0]
	tagInfoValue = 0x81

	tagNewCookie      = 0x80 // syncInfoValue: newcookie [0]
	tagRefreshDelete  = 0xA1
	tagRefreshPresent = 0xA2
	tagSyncIDSet      = 0xA3
)

// RefreshRequired is the result by which a target says that it cannot tell what has changed since a cookie was given.
const RefreshRequired = 4096

// SyncState says what an entry of a synchronisation is.
type SyncState int

// States of an entry (RFC 4533 section 2.2).
const (
	SyncPresent SyncState = iota // still there, unchanged; the entry has no attributes
	SyncAdd
	SyncModify
	SyncDelete // gone; the entry has no attributes
)

// SyncVisitor receives the entries of a synchronization. They are valid until it returns. Its error ends the
// synchronisation and leaves the connection broken.
type SyncVisitor struct {
	Entry func(e *Entry, state SyncState, uuid []byte) error
	// IDs names entries without showing them: those that are gone, or, without gone, those that are unchanged.
	IDs func(uuids [][]byte, gone bool) error
}

// SyncEnd is how a synchronisation ended.
type SyncEnd struct {
	Cookie []byte // where the next one starts; nil: where this one did
	// Present says that all entries that were not named are gone (the present phase of RFC 4533 section
	// 3.3.1). Without it only those are gone that were named so.
	Present bool
	// References counts the search continuations, which are not followed.
	References int
}

// Sync asks what has changed since cookie was given, or for everything without one (RFC 4533, mode refreshOnly).
func (c *Conn) Sync(r Request, cookie []byte, v SyncVisitor) (SyncEnd, error) {
	s := synchronisation{visitor: v}
	value := sequence(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, refreshOnly, ""))
	if len(cookie) > 0 {
		value.AppendChild(octets(string(cookie)))
	}
	page, controls, err := c.search(
		r, []control{{oid: SyncRequestOID, value: value.Bytes()}}, visitor{entry: s.entry, info: s.info},
	)
	s.end.References = page.References
	if err != nil {
		return s.end, err
	}
	if err := s.done(controls); err != nil {
		return s.end, c.malformed(err)
	}
	return s.end, nil
}

// synchronisation decodes the controls and messages of one Sync. uuids is used again for each set.
type synchronisation struct {
	visitor SyncVisitor
	end     SyncEnd
	uuids   [][]byte
}

// entry reads the Sync State Control of an entry (RFC 4533 section 2.2) and gives both on.
func (s *synchronisation) entry(e *Entry, controls []byte) error {
	value, found, err := controlValue(controls, syncStateOID)
	if err != nil {
		return err
	}
	if !found {
		return errMalformed // RFC 4533 section 3.1: every entry carries its state
	}
	outer := cursor(value)
	inner, err := outer.expect(tagSequence)
	if err != nil {
		return err
	}
	c := cursor(inner)
	b, err := c.expect(tagEnumerated)
	if err != nil {
		return err
	}
	state, err := integer(b)
	if err != nil {
		return err
	}
	uuid, err := c.expect(tagOctetString)
	if err != nil || len(uuid) != 16 || state < int(SyncPresent) || state > int(SyncDelete) {
		return errMalformed
	}
	return s.visitor.Entry(e, SyncState(state), uuid)
}

// info reads a Sync Info Message (RFC 4533 section 2.5). Other intermediate responses are none of ours.
func (s *synchronisation) info(body []byte) error {
	c := cursor(body)
	var name, value []byte
	for len(c) > 0 {
		tag, v, err := c.next()
		switch {
		case err != nil:
			return err
		case tag == tagInfoName:
			name = v
		case tag == tagInfoValue:
			value = v
		}
	}
	if string(name) != syncInfoOID {
		return nil
	}
	c = value
	tag, v, err := c.next()
	switch {
	case err != nil:
		return err
	case tag == tagNewCookie:
		s.end.Cookie = bytes.Clone(v)
	case tag == tagRefreshDelete, tag == tagRefreshPresent:
		s.end.Present = s.end.Present || tag == tagRefreshPresent
		_, _, err = s.cookieAndFlag(v)
	case tag == tagSyncIDSet:
		return s.idSet(v)
	}
	return err
}

// cookieAndFlag reads what most parts of the protocol begin with: an optional cookie and an optional boolean.
func (s *synchronisation) cookieAndFlag(b []byte) (rest cursor, flag bool, err error) {
	rest = b
	if len(rest) > 0 && rest[0] == tagOctetString {
		cookie, err := rest.expect(tagOctetString)
		if err != nil {
			return nil, false, err
		}
		s.end.Cookie = bytes.Clone(cookie)
	}
	if len(rest) > 0 && rest[0] == tagBoolean {
		value, err := rest.expect(tagBoolean)
		if err != nil || len(value) != 1 {
			return nil, false, errMalformed
		}
		flag = value[0] != 0
	}
	return rest, flag, nil
}

// idSet reads a syncIdSet and gives its UUIDs on. They are valid until the visitor returns.
func (s *synchronisation) idSet(b []byte) error {
	rest, gone, err := s.cookieAndFlag(b)
	if err != nil {
		return err
	}
	set, err := rest.expect(tagSet)
	if err != nil {
		return err
	}
	s.uuids = s.uuids[:0]
	for list := cursor(set); len(list) > 0; {
		uuid, err := list.expect(tagOctetString)
		if err != nil || len(uuid) != 16 {
			return errMalformed
		}
		s.uuids = append(s.uuids, uuid)
	}
	return s.visitor.IDs(s.uuids, gone)
}

// done reads the Sync Done Control. A target that leaves it out has not synchronised anything.
func (s *synchronisation) done(controls []byte) error {
	value, found, err := controlValue(controls, syncDoneOID)
	if err != nil || !found {
		return errMalformed
	}
	if len(value) == 0 {
		s.end.Present = true
		return nil
	}
	outer := cursor(value)
	inner, err := outer.expect(tagSequence)
	if err != nil {
		return err
	}
	_, deletes, err := s.cookieAndFlag(inner)
	s.end.Present = s.end.Present || !deletes
	return err
}
