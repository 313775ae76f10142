package ldap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Read tells how a few accounts are now, and which of the entitlements they hold. It asks for accounts by key in one search, and for
// memberships in one for each account, however large the groups are.
func (c *connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if len(req.Accounts) > v1.MaxRead || len(req.Entitlements) > v1.MaxRead {
		return v1.ReadResponse{}, complaint(v1.ClassConfig, "too_many_targets", fmt.Sprintf("a read names at most %d accounts and as many entitlements", v1.MaxRead), "")
	}
	w, err := c.writer(ctx, v1.ProvisionRequest{AuthConfig: req.AuthConfig})
	if err != nil {
		return v1.ReadResponse{}, err
	}
	defer w.conn.Close()
	list, err := w.readAccounts(req.Accounts)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	out := v1.ReadResponse{Accounts: make([]v1.ReadAccount, len(list))}
	for i, f := range list {
		out.Accounts[i] = v1.ReadAccount{Target: req.Accounts[i], Presence: f.presence}
		if f.found != nil {
			out.Accounts[i].Account = &f.account
		}
	}
	if len(req.Entitlements) > 0 {
		out.Grants, err = w.readGrants(req.Accounts, list, req.Entitlements)
	}
	return out, err
}

// seen is what is known of an account; found is nil where it was not seen.
type seen struct {
	*found
	presence v1.Presence
}

// readAccounts finds accounts in the order of targets.
func (w *writer) readAccounts(targets []v1.ProvisionTarget) ([]seen, error) {
	byKey, err := w.byKeys(targets)
	if err != nil {
		return nil, err
	}
	out := make([]seen, len(targets))
	var missing []string
	for i, t := range targets {
		if f := byKey[t.RemoteID]; f != nil {
			out[i] = seen{f, v1.PresencePresent}
			continue
		}
		if t.RemoteID != "" {
			missing = append(missing, w.keyFilter(t.RemoteID))
			continue
		}
		f, err := w.byUsername(t.Username)
		if err != nil {
			return nil, err
		}
		out[i] = seen{f, v1.PresenceUnknown}
		if f != nil {
			out[i].presence = v1.PresencePresent
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	return out, w.readMissing(targets, out, missing)
}

// byKeys finds accounts by key where the connector reads.
func (w *writer) byKeys(targets []v1.ProvisionTarget) (map[string]*found, error) {
	var keys strings.Builder
	for _, t := range targets {
		if t.RemoteID != "" {
			keys.WriteString(w.keyFilter(t.RemoteID))
		}
	}
	byKey := map[string]*found{}
	for _, base := range w.places() {
		if keys.Len() == 0 {
			break
		}
		list, err := w.look(base, goldap.ScopeWholeSubtree, "(|"+keys.String()+")")
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			byKey[f.account.ExternalID] = f
		}
	}
	return byKey, nil
}

// readMissing looks in all of the directory for the accounts that were not found where the connector reads.
func (w *writer) readMissing(targets []v1.ProvisionTarget, out []seen, keys []string) error {
	outside, proven, err := w.outside(keys)
	if err != nil {
		return err
	}
	for i, t := range targets {
		if out[i].found != nil || t.RemoteID == "" {
			continue
		}
		switch f := outside[t.RemoteID]; {
		case f != nil:
			out[i] = seen{f, v1.PresenceNotVisible}
		case proven && w.seesPlaceOf(t.NativeRef, w.userBase):
			out[i].presence = v1.PresenceGone
		default:
			out[i].presence = v1.PresenceUnknown
		}
	}
	return nil
}

// readGrants tells which accounts hold which groups. A pair about which nothing is known is left out.
func (w *writer) readGrants(targets []v1.ProvisionTarget, accounts []seen, entitlements []v1.ProvisionTarget) ([]v1.GrantState, error) {
	var keys strings.Builder
	for _, t := range entitlements {
		keys.WriteString(w.keyFilter(t.RemoteID))
	}
	teams, err := w.teamsAt(w.groupBase, goldap.ScopeWholeSubtree, "(|"+keys.String()+")")
	if err != nil {
		return nil, err
	}
	elsewhere, err := w.readTeams(entitlements, teams)
	if err != nil {
		return nil, err
	}
	holder := holdings{writer: w, keys: keys.String(), teams: teams, elsewhere: elsewhere, attributes: w.attributesOf(teams)}
	var out []v1.GrantState
	for i, a := range accounts {
		if out, err = holder.of(out, targets[i], a, entitlements); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readTeams says what became of the groups that were not found where the connector reads.
func (w *writer) readTeams(entitlements []v1.ProvisionTarget, teams map[string]*team) (map[string]v1.Presence, error) {
	out := map[string]v1.Presence{}
	for _, t := range entitlements {
		if teams[t.RemoteID] != nil {
			continue
		}
		_, presence, err := w.locateTeam(t)
		if err != nil {
			return nil, err
		}
		out[t.RemoteID] = presence
	}
	return out, nil
}

func (w *writer) attributesOf(teams map[string]*team) []string {
	var attributes []string
	for _, g := range teams {
		attributes = append(attributes, w.memberNamesOf(g)...)
	}
	slices.Sort(attributes)
	return slices.Compact(attributes)
}

// holdings tells which of some groups accounts are in.
type holdings struct {
	*writer
	keys       string
	teams      map[string]*team
	elsewhere  map[string]v1.Presence // of groups that are not among teams
	attributes []string
}

// of adds what one account holds.
func (h *holdings) of(out []v1.GrantState, t v1.ProvisionTarget, a seen, entitlements []v1.ProvisionTarget) ([]v1.GrantState, error) {
	f := a.found
	var err error
	if f == nil {
		f, err = h.lastKnown(t)
	} else {
		f.formerly, err = h.formerDN(t, f.native)
	}
	if err != nil {
		return nil, err
	}
	in := map[string]bool{}
	if len(h.teams) > 0 {
		if in, err = h.teamsOf(f, h.keys, h.attributes); err != nil {
			return nil, err
		}
	}
	for _, right := range entitlements {
		g := h.teams[right.RemoteID]
		held := in[right.RemoteID] || g != nil && g.sid != "" && g.sid == f.primary
		proven := a.found != nil || a.presence == v1.PresenceGone
		if g == nil {
			proven = h.elsewhere[right.RemoteID] == v1.PresenceGone
		}
		if held || proven {
			out = append(out, v1.GrantState{AccountRemoteID: f.account.ExternalID, EntitlementRemoteID: right.RemoteID, Held: held})
		}
	}
	return out, nil
}

// teamsOf asks which of some groups list an account, by attributes that those groups know.
func (w *writer) teamsOf(f *found, keys string, attributes []string) (map[string]bool, error) {
	in := map[string]bool{}
	var any strings.Builder
	for _, a := range attributes {
		for _, value := range memberValues(f, a) {
			any.WriteString("(" + a + "=" + escapeFilter(value) + ")")
		}
	}
	if any.Len() == 0 {
		return in, nil
	}
	req := wire.Request{
		Base: w.groupBase, Scope: goldap.ScopeWholeSubtree, Filter: "(&(|" + keys + ")(|" + any.String() + "))",
		Attributes: []string{w.idAttribute}, TimeLimit: w.timeLimit,
	}
	if _, err := w.conn.Search(req, func(e *wire.Entry) error { in[w.keyOf(e)] = true; return nil }); err != nil {
		return nil, w.searchError(w.ctx, "memberships", err)
	}
	return in, nil
}
