package readback

import (
	"context"
	"fmt"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/membership"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Reader reads single records.
type Reader struct{ *membership.Writer }

// Read returns the current state of a few accounts, and which of the entitlements they hold. It reads accounts by key
// in one search, and for memberships in one for each account, however large the groups are.
func Read(ctx context.Context, env connectorkit.Env, req v1.ReadRequest) (v1.ReadResponse, error) {
	if len(req.Accounts) > v1.MaxRead || len(req.Entitlements) > v1.MaxRead {
		return v1.ReadResponse{}, ldaperr.NotSent(
			v1.ClassConfig, "too_many_targets",
			fmt.Sprintf("a read names at most %d accounts and as many entitlements", v1.MaxRead), "",
		)
	}
	change, err := change.Open(ctx, env, v1.ProvisionRequest{AuthConfig: req.AuthConfig})
	if err != nil {
		return v1.ReadResponse{}, err
	}
	defer change.Conn.Close()
	w := &Reader{&membership.Writer{Change: change}}
	list, err := w.readAccounts(req.Accounts)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	out := v1.ReadResponse{Accounts: make([]v1.ReadAccount, len(list))}
	for i, f := range list {
		out.Accounts[i] = v1.ReadAccount{Target: req.Accounts[i], Presence: f.presence}
		if f.Account != nil {
			out.Accounts[i].Account = &f.Record
		}
	}
	if len(req.Entitlements) > 0 {
		out.Grants, err = w.readGrants(req.Accounts, list, req.Entitlements)
	}
	return out, err
}

// lookedUp is what is known of an account; found is nil where it was not seen.
type lookedUp struct {
	*lookup.Account
	presence v1.Presence
}

// readAccounts finds accounts in the order of targets.
func (w *Reader) readAccounts(targets []v1.ProvisionTarget) ([]lookedUp, error) {
	byKey, err := w.byKeys(targets)
	if err != nil {
		return nil, err
	}
	out := make([]lookedUp, len(targets))
	var missing []string
	for i, t := range targets {
		if f := byKey[t.RemoteID]; f != nil {
			out[i] = lookedUp{f, v1.PresencePresent}
			continue
		}
		if t.RemoteID != "" {
			missing = append(missing, w.KeyFilter(t.RemoteID))
			continue
		}
		f, err := w.ByUsername(t.Username)
		if err != nil {
			return nil, err
		}
		out[i] = lookedUp{f, v1.PresenceUnknown}
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
func (w *Reader) byKeys(targets []v1.ProvisionTarget) (map[string]*lookup.Account, error) {
	var keys strings.Builder
	for _, t := range targets {
		if t.RemoteID != "" {
			keys.WriteString(w.KeyFilter(t.RemoteID))
		}
	}
	byKey := map[string]*lookup.Account{}
	for _, base := range w.Bases() {
		if keys.Len() == 0 {
			break
		}
		list, err := w.Search(base, goldap.ScopeWholeSubtree, "(|"+keys.String()+")")
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			byKey[f.Record.ExternalID] = f
		}
	}
	return byKey, nil
}

// readMissing looks in all of the directory for the accounts that were not found where the connector reads.
func (w *Reader) readMissing(targets []v1.ProvisionTarget, out []lookedUp, keys []string) error {
	outside, proven, err := w.SearchContexts(keys)
	if err != nil {
		return err
	}
	for i, t := range targets {
		if out[i].Account != nil || t.RemoteID == "" {
			continue
		}
		switch f := outside[t.RemoteID]; {
		case f != nil:
			out[i] = lookedUp{f, v1.PresenceNotVisible}
		case proven && w.CanSeeContainerOf(t.NativeRef, w.UserBaseDN):
			out[i].presence = v1.PresenceGone
		default:
			out[i].presence = v1.PresenceUnknown
		}
	}
	return nil
}
