package ldap

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bounds of one record, in bytes and values. What exceeds them is replaced by {"$truncated": n}.
const (
	maxValue  = 64 << 10
	maxValues = 10_000
	maxRecord = 256 << 10
	maxPhone  = 1 << 10 // what is longer is no phone number
)

// record is an entry taken apart. It is filled anew for each entry and, but for attributes, points into the entry.
type record struct {
	id         string
	username   []byte
	closing    [][]byte      // values of the attribute that the settings say disables
	slots      [slots][]byte // the first value of each
	classes    [][]byte
	members    []members
	owners     [][]byte // of a group
	phones     []v1.PhoneNumber
	attributes map[string]any
	truncated  []string // attributes too large to hand on
}

// members are values of one membership attribute.
type members struct {
	attribute *attribute
	values    [][]byte
}

// take takes e apart. Without keep the raw attributes are left out.
func (r *record) take(d *dictionary, e *wire.Entry, keep bool) {
	*r = record{members: r.members[:0]}
	if keep {
		r.attributes = make(map[string]any, len(e.Attributes))
	}
	room := maxRecord
	for i := range e.Attributes {
		raw := &e.Attributes[i]
		if len(raw.Values) == 0 {
			continue
		}
		a := d.lookup(raw.Name)
		first := raw.Values[0]
		switch {
		case a.member:
			r.members = append(r.members, members{a, raw.Values})
		case a.slot == slotObjectClass:
			r.classes = raw.Values
		case a.owner:
			r.owners = append(r.owners, raw.Values...)
		case a.slot != noSlot && r.slots[a.slot] == nil:
			r.slots[a.slot] = first
		}
		if a.id && len(raw.Values) == 1 {
			r.id = keyText(d.se.flavor.name, a.format, first)
		}
		if a.username {
			r.username = first
		}
		if a.closing {
			r.closing = raw.Values
		}
		if a.phone != "" && keep && !a.drop {
			r.call(a.phone, raw.Values)
		}
		switch {
		case !keep || a.drop:
		case a.id && r.id != "":
			r.attributes[a.key] = r.id
		default:
			r.keep(a, raw.Values, &room)
		}
	}
}

// call adds phone numbers of one kind.
func (r *record) call(kind string, values [][]byte) {
	for _, v := range values {
		if len(v) > 0 && len(v) <= maxPhone && utf8.Valid(v) {
			r.phones = append(r.phones, v1.PhoneNumber{Value: string(v), Type: kind})
		}
	}
}

func (r *record) keep(a *attribute, values [][]byte, room *int) {
	size := 0
	for _, v := range values {
		size += len(v)
		if len(v) > maxValue {
			size = maxRecord + 1
			break
		}
	}
	if size > *room || len(values) > maxValues {
		r.attributes[a.key] = map[string]any{"$truncated": len(values)}
		r.truncated = append(r.truncated, a.key)
		return
	}
	*room -= size
	if len(values) == 1 {
		r.attributes[a.key] = a.value(values[0])
		return
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = a.value(v)
	}
	r.attributes[a.key] = list
}

// value makes of a raw value what a record carries: text, {"$bin": base64}, or nil for a time that says never.
func (a *attribute) value(b []byte) any {
	switch a.format {
	case asFiletime:
		if t, ok := ParseFiletime(string(b)); ok {
			return t.Format(time.RFC3339Nano)
		}
		if isNever(b) {
			return nil
		}
	case asTime:
		if t, ok := ParseGeneralizedTime(string(b)); ok {
			return t.Format(time.RFC3339Nano)
		}
	case asGUID:
		if s, ok := FormatGUID(b); ok {
			return s
		}
	case asSID:
		if s, ok := FormatSID(b); ok {
			return s
		}
	case asBinary:
		return binaryValue(b)
	}
	if isText(b) {
		return string(b)
	}
	return binaryValue(b)
}

func isNever(b []byte) bool { return string(b) == "0" || string(b) == "9223372036854775807" }

func binaryValue(b []byte) any {
	return map[string]any{"$bin": base64.StdEncoding.EncodeToString(b)}
}

// isText tells text from binary: UTF-8 without control characters other than white space.
func isText(b []byte) bool {
	plain := true
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7F {
			return false
		}
		plain = plain && c < utf8.RuneSelf
	}
	return plain || utf8.Valid(b)
}

// keyText is an entry's immutable key as text; empty where the value cannot be one.
func keyText(flavor string, f format, b []byte) string {
	switch {
	case flavor == flavorEDir && len(b) == 16 && f == asText:
		// eDirectory shows its GUID in the order of its bytes.
		return bigEndianGUID(b)
	case f == asGUID:
		s, _ := FormatGUID(b)
		return s
	case f == asSID:
		s, _ := FormatSID(b)
		return s
	case isText(b):
		return string(b)
	}
	if s, ok := FormatGUID(b); ok {
		return s
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func bigEndianGUID(b []byte) string {
	s, _ := FormatGUID([]byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]})
	return s
}

// text gives a slot's value, or nil where it is empty or no text.
func (r *record) text(s slot) *string {
	b := r.slots[s]
	if len(b) == 0 || !isText(b) {
		return nil
	}
	v := string(b)
	return &v
}

func (r *record) firstText(of ...slot) *string {
	for _, s := range of {
		if v := r.text(s); v != nil {
			return v
		}
	}
	return nil
}

// at gives a slot's time, in whichever of the two forms it is written.
func (r *record) at(s slot) *time.Time {
	b := r.slots[s]
	if len(b) == 0 {
		return nil
	}
	// A FILETIME has 17 or 18 digits, more than a generalizedTime, so neither is taken for the other.
	if t, ok := ParseGeneralizedTime(string(b)); ok {
		return &t
	}
	if t, ok := ParseFiletime(string(b)); ok {
		return &t
	}
	return nil
}
