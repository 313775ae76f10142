package ldap

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// found is an account as it is now.
type found struct {
	dn      string
	native  string
	values  map[string][][]byte // by lower-case name
	status  status
	primary string // SID of its primary group; Active Directory only
	account v1.RemoteAccount

	formerly string // the DN by which groups may still list it, normalized
}

func (e *found) first(name string) string {
	if v := e.values[strings.ToLower(name)]; len(v) > 0 {
		return string(v[0])
	}
	return ""
}

func (e *found) username() string {
	if e.account.Username == nil {
		return ""
	}
	return *e.account.Username
}

// look reads accounts, made into the records that a sync makes of them. What does not exist, or cannot be a place, has none.
func (w *writer) look(base string, scope int, filter string) ([]*found, error) {
	var list []*found
	keyless := 0
	req := wire.Request{Base: base, Scope: scope, Filter: filter, Attributes: w.asked(), TimeLimit: w.timeLimit}
	_, err := w.conn.Search(req, func(e *wire.Entry) error {
		if f := w.taken(e); f != nil {
			list = append(list, f)
		} else {
			keyless++
		}
		return nil
	})
	switch {
	case isCode(err, goldap.LDAPResultNoSuchObject), isCode(err, goldap.LDAPResultInvalidDNSyntax):
		return nil, nil
	case err != nil:
		return nil, w.searchError(w.ctx, "account", err)
	case keyless > 0 && len(list) == 0:
		return nil, complaint(v1.ClassPermission, "no_key", fmt.Sprintf("the entry has no %s, or the login may not read it", w.idAttribute), "Give the login the right to read it, or set id_attribute.")
	}
	return list, nil
}

// asked lists the attributes to read.
func (w *writer) asked() []string {
	list := append(w.dict.request(), w.extra...)
	slices.SortFunc(list, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return slices.CompactFunc(list, strings.EqualFold)
}

// taken copies what an entry holds; nil where it has no key.
func (w *writer) taken(e *wire.Entry) *found {
	w.rec.take(w.dict, e, true)
	if w.rec.id == "" {
		return nil
	}
	f := &found{dn: string(e.DN), values: map[string][][]byte{}}
	f.native = NormalizeDN(f.dn)
	for _, a := range e.Attributes {
		key, _ := splitOptions(string(a.Name))
		copies := make([][]byte, len(a.Values))
		for i, v := range a.Values {
			copies[i] = bytes.Clone(v)
		}
		f.values[strings.ToLower(key)] = copies
	}
	f.status = w.rec.status(w.now)
	w.closedHere(&f.status, f.native)
	f.account = w.account(f.dn, f.native, f.status)
	if w.flavor.activeDir {
		f.primary = w.rec.primaryGroupSID()
	}
	return f
}

// find looks for an account by its key, first where it was last seen, or by user name where no key is known. nil: it is not there.
func (w *writer) find(t v1.ProvisionTarget) (*found, error) {
	if t.RemoteID == "" {
		return w.byUsername(t.Username)
	}
	filter := w.keyFilter(t.RemoteID) // the key proves who it is, whatever class and filter say by now
	if strings.Contains(t.NativeRef, "=") {
		list, err := w.look(t.NativeRef, goldap.ScopeBaseObject, filter)
		if err != nil || len(list) > 0 {
			return one(list), err
		}
	}
	for _, base := range w.places() {
		list, err := w.look(base, goldap.ScopeWholeSubtree, filter)
		if err != nil || len(list) > 0 {
			return one(list), err
		}
	}
	return nil, nil
}

func one(list []*found) *found {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// byUsername finds the one account with a user name.
func (w *writer) byUsername(name string) (*found, error) {
	if name == "" {
		return nil, complaint(v1.ClassConfig, "target_missing", "the change names no account", "Give the account's external_id as remote_id, or its user name.")
	}
	value := escapeFilter(name)
	filter := "(|(uid=" + value + ")(cn=" + value + "))"
	if w.usernameAttribute != "" {
		filter = "(" + w.usernameAttribute + "=" + value + ")"
	}
	var same []*found
	for _, base := range w.places() {
		list, err := w.look(base, goldap.ScopeWholeSubtree, "(&"+filter+w.anyPerson()+")")
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if strings.EqualFold(f.username(), name) {
				same = append(same, f)
			}
		}
	}
	if len(same) > 1 {
		return nil, complaint(v1.ClassConflict, "username_ambiguous", fmt.Sprintf("%d accounts have the user name %s, %s and %s among them", len(same), name, same[0].dn, same[1].dn), "Give the account's external_id, or make the user names unique.")
	}
	return one(same), nil
}

// places are where accounts of ours can lie.
func (w *writer) places() []string {
	list := []string{w.userBase}
	for _, dn := range []string{w.writing.disabledContainer, w.writing.container} {
		if dn != "" && !slices.ContainsFunc(list, func(base string) bool { return isWithin(dn, base) }) {
			list = append(list, dn)
		}
	}
	return list
}

// anyPerson matches what a sync may have read as an account. The configured filter alone would not do: many leave out who is
// disabled, and an account must be found again after that.
func (w *writer) anyPerson() string {
	whole, _ := filters(w.settings, w.flavor)
	class := w.flavor.userFilter
	if class == "" || len(w.userClasses) > 0 {
		class = anyClass(w.userClasses, w.flavor.userClasses)
	}
	return either(class, whole)
}

func (w *writer) anyGroup() string {
	_, whole := filters(w.settings, w.flavor)
	return either(anyClass(w.groupClasses, w.flavor.groupClasses), whole)
}

func either(a, b string) string {
	if a == b {
		return a
	}
	return "(|" + a + b + ")"
}

// keyFilter matches the entry with a key as records carry it.
func (w *writer) keyFilter(id string) string {
	lower := strings.ToLower(w.idAttribute)
	if b, ok := parseGUID(id); ok {
		switch {
		case known[lower].format == asGUID:
			return "(" + w.idAttribute + "=" + escapeBytes(swapped(b)) + ")"
		case w.flavor.name == flavorEDir:
			return "(" + w.idAttribute + "=" + escapeBytes(b) + ")"
		}
	}
	return "(" + w.idAttribute + "=" + escapeFilter(id) + ")"
}

// parseGUID reads the text of a GUID, in the order of its digits.
func parseGUID(s string) ([]byte, bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return nil, false
	}
	b, err := hex.DecodeString(s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:])
	return b, err == nil
}

// swapped is a GUID as Microsoft stores it: the first three groups are little-endian.
func swapped(b []byte) []byte {
	return append([]byte{b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6]}, b[8:]...)
}

// team is a group, without its members.
type team struct {
	id, dn  string
	name    string
	sid     string
	classes map[string]bool // lower case
}

// findTeam looks for a group by its key. nil: it is not there.
func (w *writer) findTeam(t v1.ProvisionTarget) (*team, error) {
	if strings.Contains(t.NativeRef, "=") {
		list, err := w.teamsAt(t.NativeRef, goldap.ScopeBaseObject, w.keyFilter(t.RemoteID))
		if err != nil || len(list) > 0 {
			return list[t.RemoteID], err
		}
	}
	list, err := w.teamsAt(w.groupBase, goldap.ScopeWholeSubtree, w.keyFilter(t.RemoteID))
	return list[t.RemoteID], err
}

// teamsAt reads groups, by key.
func (w *writer) teamsAt(base string, scope int, keys string) (map[string]*team, error) {
	list := map[string]*team{}
	gather := w.gatherTeams(list)
	req := wire.Request{
		Base: base, Scope: scope, Filter: "(&" + keys + w.anyGroup() + ")", TimeLimit: w.timeLimit, Attributes: teamAttributes(w.idAttribute),
	}
	_, err := w.conn.Search(req, func(e *wire.Entry) error { gather(e); return nil })
	switch {
	case isCode(err, goldap.LDAPResultNoSuchObject), isCode(err, goldap.LDAPResultInvalidDNSyntax):
		return nil, nil
	case err != nil:
		return nil, w.searchError(w.ctx, "group", err)
	}
	return list, nil
}

func teamAttributes(key string) []string { return []string{key, "objectClass", "cn", "objectSid"} }

// gatherTeams puts the groups of a search into a list, by key.
func (w *writer) gatherTeams(list map[string]*team) func(*wire.Entry) {
	return func(e *wire.Entry) {
		w.rec.take(w.dict, e, false)
		if w.rec.id == "" {
			return
		}
		g := &team{id: w.rec.id, dn: string(e.DN), classes: map[string]bool{}}
		if name := w.rec.text(slotCN); name != nil {
			g.name = *name
		}
		g.sid, _ = FormatSID(w.rec.slots[slotSID])
		for _, c := range w.rec.classes {
			g.classes[strings.ToLower(string(c))] = true
		}
		list[g.id] = g
	}
}
