package entry

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
)

// Attribute is what becomes of an attribute of the target.
type Attribute struct {
	Key      string // its name in a record's Attributes
	Format   Format
	Slot     slot
	Omit     bool // not part of a record's Attributes
	ID       bool
	username bool
	disables bool   // disables, as the settings say
	Member   bool   // lists members
	ByName   bool   // members are user names
	owner    bool   // names who answers for a group
	phone    string // which kind of phone number it holds
	Base     string // the name without options
	RangeEnd string // of member;range=0-1499: 1499; * in the last one; empty without a range
}

// maxNames bounds how many names are remembered: a target could make up new ones for ever.
const maxNames = 4096

// Dictionary remembers what becomes of the attributes met in one call.
type Dictionary struct {
	byName  map[string]*Attribute
	session *session.Session
	Wanted  map[string]bool // lower-case names that records may carry; nil: all
}

// NewDictionary makes the dictionary of one call. Records carry only attributes that both the settings and the
// allowlist name; an empty list allows all.
func NewDictionary(se *session.Session, allowlist []string) *Dictionary {
	d := &Dictionary{byName: map[string]*Attribute{}, session: se}
	for _, list := range [][]string{se.Attributes, allowlist} {
		if len(list) > 0 {
			d.Wanted = narrower(d.Wanted, list)
		}
	}
	return d
}

// narrower keeps what is both in wanted and in list.
func narrower(wanted map[string]bool, list []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range list {
		if n = strings.ToLower(n); wanted == nil || wanted[n] {
			out[n] = true
		}
	}
	return out
}

// Lookup finds what becomes of the attribute that the target calls name.
func (d *Dictionary) Lookup(name []byte) *Attribute {
	if a, ok := d.byName[string(name)]; ok {
		return a
	}
	a := d.resolve(string(name))
	if len(d.byName) < maxNames {
		d.byName[string(name)] = a
	}
	return a
}

// resolve decides how an attribute is read, once per name and call: the known meaning of the
// base name, the options after it, and the attributes that the settings give a role of their own
// (key, username, disabling, membership). Memberships, secrets and unwanted attributes are not part
// of a record.
func (d *Dictionary) resolve(name string) *Attribute {
	key, end := SplitOptions(name)
	base, _, _ := strings.Cut(key, ";")
	lower := strings.ToLower(base)
	a := KnownAttributes[lower]
	a.Key, a.Base, a.RangeEnd = key, base, end
	if key != base {
		a.Slot = noSlot // cn;lang-fr is not the cn that others know
	}
	a.ID = strings.EqualFold(base, d.session.IdAttribute)
	a.username = strings.EqualFold(base, d.session.UsernameAttribute)
	a.disables = strings.EqualFold(base, d.session.Write.DisableAttribute)
	a.Member, a.ByName = d.membership(lower)
	if slices.ContainsFunc(d.session.Binary, func(b string) bool { return strings.EqualFold(b, base) }) {
		a.Format = AsBinary
	}
	backLink := IsBackLink(lower, d.session.Flavor.ActiveDirectory) && !d.Wanted[lower]
	unwanted := d.Wanted != nil && !d.Wanted[lower]
	a.Omit = a.Omit || a.Member || unwanted || backLink || IsSecret(lower)
	return &a
}

// membership reports whether an attribute lists members, and whether by user name.
func (d *Dictionary) membership(lower string) (member, byName bool) {
	if configured := d.session.MemberAttribute; configured != "" {
		return strings.EqualFold(configured, lower), strings.HasSuffix(lower, "uid")
	}
	return slices.ContainsFunc(MemberAttributes, func(m string) bool {
		return strings.EqualFold(m, lower)
	}), lower == "memberuid"
}

// SplitOptions takes the options off that only tell how values came: ;binary (RFC 4522) and AD's ;range=.
func SplitOptions(name string) (key, rangeEnd string) {
	parts := strings.Split(name, ";")
	kept := parts[:1]
	for _, o := range parts[1:] {
		lower := strings.ToLower(o)
		if bounds, ok := strings.CutPrefix(lower, "range="); ok {
			_, rangeEnd, _ = strings.Cut(bounds, "-")
			continue
		}
		if lower != "binary" {
			kept = append(kept, o)
		}
	}
	return strings.Join(kept, ";"), rangeEnd
}

// Request lists the attributes to ask for when people, or groups, are read.
func (d *Dictionary) Request() []string {
	f := d.session.Flavor
	extra := append([]string{d.session.IdAttribute}, f.OperationalAttributes...)
	if d.Wanted == nil {
		return append(
			[]string{"*", "createTimestamp", "modifyTimestamp"},
			append(
				extra,
				nonEmpty(d.session.UsernameAttribute, d.session.MemberAttribute, d.session.Write.DisableAttribute)...,
			)...,
		)
	}
	list := append(slices.Clone(requested), extra...)
	if f.ActiveDirectory {
		list = append(list, requestedAD...)
	}
	list = append(list, MemberAttributes...)
	list = append(
		list, nonEmpty(d.session.UsernameAttribute, d.session.MemberAttribute, d.session.Write.DisableAttribute)...,
	)
	for n := range d.Wanted {
		list = append(list, n)
	}
	// Names given by the user are asked for in their spelling, and none twice.
	slices.Sort(list)
	return slices.CompactFunc(list, strings.EqualFold)
}

// nonEmpty is the list without empty names, which settings leave for attributes that are not
// configured.
func nonEmpty(names ...string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}
