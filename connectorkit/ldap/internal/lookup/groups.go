package lookup

import (
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// anyGroup matches what a sync may have read as a group, also where the configured filter has
// changed.
func (w *Finder) anyGroup() string {
	_, whole := settings.Filters(w.Settings, w.Flavor)
	return anyOf(settings.ClassFilter(w.GroupClasses, w.Flavor.GroupClasses), whole)
}

// Group is a group, without its members.
type Group struct {
	// ID is the key; DN is spelled as the directory does.
	ID, DN string
	Name   string
	// SID is empty except on Active Directory.
	SID     string
	Classes map[string]bool // lower case
}

// findGroup looks for a group by its key. nil: it is not there.
func (w *Finder) findGroup(t v1.ProvisionTarget) (*Group, error) {
	if strings.Contains(t.NativeRef, "=") {
		list, err := w.SearchGroups(t.NativeRef, goldap.ScopeBaseObject, w.KeyFilter(t.RemoteID))
		if err != nil || len(list) > 0 {
			return list[t.RemoteID], err
		}
	}
	list, err := w.SearchGroups(w.GroupBaseDN, goldap.ScopeWholeSubtree, w.KeyFilter(t.RemoteID))
	return list[t.RemoteID], err
}

// SearchGroups reads groups, by key.
func (w *Finder) SearchGroups(base string, scope int, keys string) (map[string]*Group, error) {
	list := map[string]*Group{}
	gather := w.groupCollector(list)
	req := wire.Request{
		Base: base, Scope: scope, Filter: "(&" + keys + w.anyGroup() + ")", TimeLimit: w.TimeLimit,
		Attributes: groupAttributes(w.IdAttribute),
	}
	_, err := w.Conn.Search(req, func(e *wire.Entry) error { gather(e); return nil })
	switch {
	case ldaperr.IsResult(err, goldap.LDAPResultNoSuchObject), ldaperr.IsResult(err, goldap.LDAPResultInvalidDNSyntax):
		return nil, nil
	case err != nil:
		return nil, w.SearchError(w.Ctx, "group", err)
	}
	return list, nil
}

// groupAttributes are the attributes that a Group is made of. Members are not among them: a group
// may have hundreds of thousands.
func groupAttributes(key string) []string { return []string{key, "objectClass", "cn", "objectSid"} }

// groupCollector puts the groups of a search into a list, by key.
func (w *Finder) groupCollector(list map[string]*Group) func(*wire.Entry) {
	return func(e *wire.Entry) {
		w.Record.Parse(w.Dictionary, e, false)
		if w.Record.Key == "" {
			return
		}
		g := &Group{ID: w.Record.Key, DN: string(e.DN), Classes: map[string]bool{}}
		if name := w.Record.Text(entry.SlotCN); name != nil {
			g.Name = *name
		}
		g.SID, _ = syntax.FormatSID(w.Record.Slots[entry.SlotSID])
		for _, c := range w.Record.Classes {
			g.Classes[strings.ToLower(string(c))] = true
		}
		list[g.ID] = g
	}
}

// LocateGroup looks for a group where the connector reads, and then in all of the directory.
func (w *Finder) LocateGroup(t v1.ProvisionTarget) (*Group, v1.Presence, error) {
	g, err := w.findGroup(t)
	if g != nil || err != nil {
		return g, v1.PresencePresent, err
	}
	outside := map[string]*Group{}
	proven, err := w.searchContexts(
		[]string{w.KeyFilter(t.RemoteID)}, groupAttributes(w.IdAttribute), w.groupCollector(outside),
	)
	switch {
	case err != nil:
		return nil, v1.PresenceUnknown, err
	case outside[t.RemoteID] != nil:
		return outside[t.RemoteID], v1.PresenceNotVisible, nil
	case proven && w.CanSeeContainerOf(t.NativeRef, w.GroupBaseDN):
		return nil, v1.PresenceGone, nil
	}
	return nil, v1.PresenceUnknown, nil
}
