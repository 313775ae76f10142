package wire

import "bytes"

// DirSyncOID names the control by which Active Directory reports changes (MS-ADTS section 3.1.1.3.4.1.3).
const DirSyncOID = "1.2.840.113556.1.4.841"

// Flags of DirSync.
const (
	// DirSyncObjectSecurity reads with the rights of the login, where the right to replicate is missing: what the login
	// cannot see, tombstones most often, is left out.
	DirSyncObjectSecurity = 0x1
	// DirSyncAncestorsFirst shows parents before their children.
	DirSyncAncestorsFirst = 0x800
	// DirSyncIncrementalValues shows of a link such as member only the values that came or went.
	DirSyncIncrementalValues = -0x80000000
)

// DirSyncPage is the end of one answer.
type DirSyncPage struct {
	Entries int
	Cookie  []byte // where the next request goes on
	More    bool   // the target has more to tell at once
}

// maxDirSyncBytes is the size asked of one answer.
const maxDirSyncBytes = 1 << 20

// DirSync asks once what has changed since cookie was given; an empty one asks for everything. The base must
// be the root of a naming context and the scope its whole subtree.
func (c *Conn) DirSync(r Request, flags int, cookie []byte, each func(*Entry) error) (DirSyncPage, error) {
	value := sequence(number(flags), number(maxDirSyncBytes), octets(string(cookie)))
	page, controls, err := c.search(r, []control{{oid: DirSyncOID, value: value.Bytes()}},
		visitor{entry: func(e *Entry, _ []byte) error {
			return each(e)
		}})
	out := DirSyncPage{Entries: page.Entries}
	if err != nil {
		return out, err
	}
	if err := out.decode(controls); err != nil {
		return out, c.malformed(err)
	}
	return out, nil
}

// decode reads the control of the answer (MS-ADTS section 3.1.1.3.4.1.3). An answer without one did
// not come from DirSync and is malformed.
func (p *DirSyncPage) decode(controls []byte) error {
	value, found, err := controlValue(controls, DirSyncOID)
	if err != nil || !found {
		return errMalformed
	}
	outer := cursor(value)
	inner, err := outer.expect(tagSequence)
	if err != nil {
		return err
	}
	c := cursor(inner)
	more, err := c.expect(tagInteger)
	if err != nil {
		return err
	}
	if _, err := c.expect(tagInteger); err != nil {
		return err
	}
	cookie, err := c.expect(tagOctetString)
	if err != nil {
		return err
	}
	flag, err := integer(more)
	p.More, p.Cookie = flag != 0, bytes.Clone(cookie)
	return err
}
