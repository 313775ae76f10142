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
		out.Accounts[i].Target = req.Accounts[i]
		if f != nil {
			out.Accounts[i].Account = &f.account
		}
	}
	if len(req.Entitlements) > 0 {
		out.Grants, err = w.readGrants(req.Accounts, list, req.Entitlements)
	}
	return out, err
}

// readAccounts finds accounts in the order of targets; nil where there is none.
func (w *writer) readAccounts(targets []v1.ProvisionTarget) ([]*found, error) {
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
		list, err := w.look(base, goldap.ScopeWholeSubtree, "(&(|"+keys.String()+")"+w.anyPerson()+")")
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			byKey[f.account.ExternalID] = f
		}
	}
	out := make([]*found, len(targets))
	for i, t := range targets {
		if t.RemoteID != "" {
			out[i] = byKey[t.RemoteID]
			continue
		}
		f, err := w.byUsername(t.Username)
		if err != nil {
			return nil, err
		}
		out[i] = f
	}
	return out, nil
}

// readGrants tells which accounts hold which groups. What is not there holds nothing, and nobody holds it.
func (w *writer) readGrants(targets []v1.ProvisionTarget, accounts []*found, entitlements []v1.ProvisionTarget) ([]v1.GrantState, error) {
	var keys strings.Builder
	for _, t := range entitlements {
		keys.WriteString(w.keyFilter(t.RemoteID))
	}
	teams, err := w.teamsAt(w.groupBase, goldap.ScopeWholeSubtree, "(|"+keys.String()+")")
	if err != nil {
		return nil, err
	}
	var attributes []string
	for _, g := range teams {
		attributes = append(attributes, w.memberNamesOf(g)...)
	}
	slices.Sort(attributes)
	attributes = slices.Compact(attributes)
	var out []v1.GrantState
	for i, f := range accounts {
		in := map[string]bool{}
		if f != nil && len(teams) > 0 {
			if in, err = w.teamsOf(f, keys.String(), attributes); err != nil {
				return nil, err
			}
		}
		id := targets[i].RemoteID
		if f != nil {
			id = f.account.ExternalID
		}
		for _, t := range entitlements {
			g := teams[t.RemoteID]
			held := in[t.RemoteID] || g != nil && f != nil && g.sid != "" && g.sid == f.primary
			out = append(out, v1.GrantState{AccountRemoteID: id, EntitlementRemoteID: t.RemoteID, Held: held})
		}
	}
	return out, nil
}

// teamsOf asks which of some groups list an account, by attributes that those groups know.
func (w *writer) teamsOf(f *found, keys string, attributes []string) (map[string]bool, error) {
	var any strings.Builder
	for _, a := range attributes {
		if value, err := memberValue(f, a); err == nil {
			any.WriteString("(" + a + "=" + escapeFilter(value) + ")")
		}
	}
	in := map[string]bool{}
	req := wire.Request{
		Base: w.groupBase, Scope: goldap.ScopeWholeSubtree, Filter: "(&(|" + keys + ")(|" + any.String() + "))",
		Attributes: []string{w.idAttribute}, TimeLimit: w.timeLimit,
	}
	if _, err := w.conn.Search(req, func(e *wire.Entry) error { in[w.keyOf(e)] = true; return nil }); err != nil {
		return nil, w.searchError(w.ctx, "memberships", err)
	}
	return in, nil
}
