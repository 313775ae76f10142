package entry

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Copied is m with values of its own, for those in hand are overwritten by the next entry.
func (m Members) Copied() Members {
	attribute := *m.Attribute
	out := Members{Attribute: &attribute, Values: make([][]byte, len(m.Values))}
	for i, v := range m.Values {
		out.Values[i] = bytes.Clone(v)
	}
	return out
}

// Bounds of one record, in bytes and values. What exceeds them is replaced by {"$truncated": n}.
const (
	maxValue  = 64 << 10
	maxValues = 10_000
	maxRecord = 256 << 10
	maxPhone  = 1 << 10 // what is longer is no phone number
)

// Record is an entry taken apart. It is filled again for each entry and, but for attributes, points into the entry.
type Record struct {
	Key           string
	username      []byte
	disableValues [][]byte          // values of the attribute that the settings say disables
	Slots         [slotCount][]byte // the first value of each
	Classes       [][]byte
	Members       []Members
	Owners        [][]byte // of a group
	phones        []v1.PhoneNumber
	Attributes    map[string]any
	Truncated     []string // attributes too large to emit
}

// Members are values of one membership attribute.
type Members struct {
	Attribute *Attribute
	Values    [][]byte
}

// Parse takes e apart. Without keep the raw attributes are left out.
func (r *Record) Parse(d *Dictionary, e *wire.Entry, keep bool) {
	*r = Record{Members: r.Members[:0]}
	if keep {
		r.Attributes = make(map[string]any, len(e.Attributes))
	}
	room := maxRecord
	for i := range e.Attributes {
		raw := &e.Attributes[i]
		if len(raw.Values) == 0 {
			continue
		}
		a := d.Lookup(raw.Name)
		first := raw.Values[0]
		switch {
		case a.Member:
			r.Members = append(r.Members, Members{a, raw.Values})
		case a.Slot == SlotObjectClass:
			r.Classes = raw.Values
		case a.owner:
			r.Owners = append(r.Owners, raw.Values...)
		case a.Slot != noSlot && r.Slots[a.Slot] == nil:
			r.Slots[a.Slot] = first
		}
		if a.ID && len(raw.Values) == 1 {
			r.Key = KeyText(d.session.Flavor.Name, a.Format, first)
		}
		if a.username {
			r.username = first
		}
		if a.disables {
			r.disableValues = raw.Values
		}
		if a.phone != "" && keep && !a.Omit {
			r.addPhones(a.phone, raw.Values)
		}
		switch {
		case !keep || a.Omit:
		case a.ID && r.Key != "":
			r.Attributes[a.Key] = r.Key
		default:
			r.store(a, raw.Values, &room)
		}
	}
}

// addPhones adds phone numbers of one kind.
func (r *Record) addPhones(kind string, values [][]byte) {
	for _, v := range values {
		if len(v) > 0 && len(v) <= maxPhone && utf8.Valid(v) {
			r.phones = append(r.phones, v1.PhoneNumber{Value: string(v), Type: kind})
		}
	}
}

// store puts an attribute into the record, as one value or as a list. room is what is left of the
// record's size, in bytes: an attribute that exceeds it, has a value over 64 KiB or too many
// values, is replaced by {"$truncated": n}, so that it is visible that something is missing.
func (r *Record) store(a *Attribute, values [][]byte, room *int) {
	size := 0
	for _, v := range values {
		size += len(v)
		if len(v) > maxValue {
			size = maxRecord + 1
			break
		}
	}
	if size > *room || len(values) > maxValues {
		r.Attributes[a.Key] = map[string]any{"$truncated": len(values)}
		r.Truncated = append(r.Truncated, a.Key)
		return
	}
	*room -= size
	if len(values) == 1 {
		r.Attributes[a.Key] = a.Value(values[0])
		return
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = a.Value(v)
	}
	r.Attributes[a.Key] = list
}

// Text gives a slot's value, or nil where it is empty or no text.
func (r *Record) Text(s slot) *string {
	b := r.Slots[s]
	if len(b) == 0 || !IsText(b) {
		return nil
	}
	v := string(b)
	return &v
}

// FirstText is the first of some slots that holds text; nil where none does.
func (r *Record) FirstText(of ...slot) *string {
	for _, s := range of {
		if v := r.Text(s); v != nil {
			return v
		}
	}
	return nil
}

// Time gives a slot's time, in whichever of the two forms it is written.
func (r *Record) Time(s slot) *time.Time {
	b := r.Slots[s]
	if len(b) == 0 {
		return nil
	}
	// A FILETIME has 17 or 18 digits, more than a generalizedTime, so neither is taken for the other.
	if t, ok := syntax.ParseGeneralizedTime(string(b)); ok {
		return &t
	}
	if t, ok := syntax.ParseFiletime(string(b)); ok {
		return &t
	}
	return nil
}

// PrimaryGroupSID is the SID of the group that primaryGroupID names: the account's own SID with its last part
// exchanged.
func (r *Record) PrimaryGroupSID() string {
	sid, ok := syntax.FormatSID(r.Slots[SlotSID])
	rid, err := strconv.ParseUint(string(r.Slots[slotPrimaryGroup]), 10, 32)
	if !ok || err != nil {
		return ""
	}
	return sid[:strings.LastIndexByte(sid, '-')+1] + strconv.FormatUint(rid, 10)
}
