package readback

import (
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/membership"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readGrants returns which accounts hold which groups. A pair about which nothing is known is left out.
func (w *Reader) readGrants(
	targets []v1.ProvisionTarget, accounts []lookedUp, entitlements []v1.ProvisionTarget,
) ([]v1.GrantState, error) {
	var keys strings.Builder
	for _, t := range entitlements {
		keys.WriteString(w.KeyFilter(t.RemoteID))
	}
	teams, err := w.SearchGroups(w.GroupBaseDN, goldap.ScopeWholeSubtree, "(|"+keys.String()+")")
	if err != nil {
		return nil, err
	}
	elsewhere, err := w.locateGroups(entitlements, teams)
	if err != nil {
		return nil, err
	}
	holder := grantReader{
		Reader: w, keys: keys.String(), groups: teams, elsewhere: elsewhere, attributes: w.attributesOf(teams),
	}
	var out []v1.GrantState
	for i, a := range accounts {
		if out, err = holder.appendGrants(out, targets[i], a, entitlements); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// locateGroups says what became of the groups that were not found where the connector reads.
func (w *Reader) locateGroups(
	entitlements []v1.ProvisionTarget, teams map[string]*lookup.Group,
) (map[string]v1.Presence, error) {
	out := map[string]v1.Presence{}
	for _, t := range entitlements {
		if teams[t.RemoteID] != nil {
			continue
		}
		_, presence, err := w.LocateGroup(t)
		if err != nil {
			return nil, err
		}
		out[t.RemoteID] = presence
	}
	return out, nil
}

// attributesOf are the attributes in which these groups may list members, each once.
func (w *Reader) attributesOf(teams map[string]*lookup.Group) []string {
	var attributes []string
	for _, g := range teams {
		attributes = append(attributes, w.AttributesOf(g)...)
	}
	slices.Sort(attributes)
	return slices.Compact(attributes)
}

// grantReader finds which of some groups accounts are in.
type grantReader struct {
	*Reader
	keys       string
	groups     map[string]*lookup.Group
	elsewhere  map[string]v1.Presence // of groups that are not among teams
	attributes []string
}

// appendGrants adds what one account holds.
func (h *grantReader) appendGrants(
	out []v1.GrantState, t v1.ProvisionTarget, a lookedUp, entitlements []v1.ProvisionTarget,
) ([]v1.GrantState, error) {
	f := a.Account
	var err error
	if f == nil {
		f, err = h.LastKnown(t)
	} else {
		f.FormerDN, err = h.FormerDN(t, f.NormalDN)
	}
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	if len(h.groups) > 0 {
		if in, err = h.groupsOf(f, h.keys, h.attributes); err != nil {
			return nil, err
		}
	}
	for _, right := range entitlements {
		g := h.groups[right.RemoteID]
		held := in[right.RemoteID] || g != nil && g.SID != "" && g.SID == f.PrimaryGroupSID
		proven := a.Account != nil || a.presence == v1.PresenceGone
		if g == nil {
			proven = h.elsewhere[right.RemoteID] == v1.PresenceGone
		}
		if held || proven {
			out = append(
				out,
				v1.GrantState{AccountRemoteID: f.Record.ExternalID, EntitlementRemoteID: right.RemoteID, Held: held},
			)
		}
	}
	return out, nil
}

// groupsOf asks which of some groups list an account, by attributes that those groups know.
func (w *Reader) groupsOf(f *lookup.Account, keys string, attributes []string) (map[string]bool, error) {
	in := map[string]bool{}
	var any strings.Builder
	for _, a := range attributes {
		for _, value := range membership.MemberValues(f, a) {
			any.WriteString("(" + a + "=" + goldap.EscapeFilter(value) + ")")
		}
	}
	if any.Len() == 0 {
		return in, nil
	}
	req := wire.Request{
		Base: w.GroupBaseDN, Scope: goldap.ScopeWholeSubtree, Filter: "(&(|" + keys + ")(|" + any.String() + "))",
		Attributes: []string{w.IdAttribute}, TimeLimit: w.TimeLimit,
	}
	if _, err := w.Conn.Search(req, func(e *wire.Entry) error { in[w.KeyOf(e)] = true; return nil }); err != nil {
		return nil, w.SearchError(w.Ctx, "memberships", err)
	}
	return in, nil
}
