package scim

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Read tells how a few users are now, and which of the named entitlements each of them holds. What the target does not
// tell is left out.
func (k *Connector) Read(ctx context.Context, req v1.ReadRequest) (v1.ReadResponse, error) {
	if len(req.Accounts) > v1.MaxRead || len(req.Entitlements) > v1.MaxRead {
		return v1.ReadResponse{}, badAsk(
			"too_many",
			fmt.Sprintf("at most %d accounts and entitlements are read at once", v1.MaxRead),
			"",
		)
	}
	s, err := k.open(ctx, req.AuthConfig, nil)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	defer s.close()
	p, err := k.declaredOnce(ctx, s, req.AuthConfig)
	if err != nil {
		return v1.ReadResponse{}, err
	}
	out := v1.ReadResponse{Accounts: []v1.ReadAccount{}}
	var there []record
	for _, t := range req.Accounts {
		rec, err := s.locate(ctx, p, t)
		if target.Forbidden(err) {
			out.Accounts = append(out.Accounts, v1.ReadAccount{Target: t, Presence: v1.PresenceUnknown})
			continue
		}
		if err != nil {
			return v1.ReadResponse{}, err
		}
		one := v1.ReadAccount{Target: t, Presence: presence(t, rec)}
		if rec != nil {
			one.Account = account(rec)
			there = append(there, rec)
		}
		out.Accounts = append(out.Accounts, one)
	}
	for _, e := range req.Entitlements {
		if out.Grants, err = s.grants(ctx, out.Grants, k.crowd(s, p, req.AuthConfig, e.RemoteID), there); err != nil {
			return v1.ReadResponse{}, err
		}
	}
	return out, nil
}

// grants adds which of the users hold a right. A group with all of them in question is read once.
func (s *session) grants(
	ctx context.Context,
	out []v1.GrantState,
	g *crowdLook,
	users []record,
) ([]v1.GrantState, error) {
	right := g.group
	state := func(rec record, held bool) v1.GrantState {
		return v1.GrantState{AccountRemoteID: rec.text("id"), EntitlementRemoteID: right, Held: held}
	}
	if attribute, _ := rightAttribute(right); attribute != "" {
		for _, rec := range users {
			out = append(out, state(rec, carries(rec, right)))
		}
		return out, nil
	}
	if s.write.MemberFilter == "" && s.memberStrategy != membersByUser && len(users) > 1 {
		wanted := map[string]bool{}
		for _, rec := range users {
			wanted[rec.text("id")] = true
		}
		found, err := g.members(ctx, wanted)
		switch {
		case gone(err), isNoGroup(err):
			for _, rec := range users {
				out = append(out, state(rec, false))
			}
			return out, nil
		case err != nil:
			return out, err
		case found.told && !found.partly && s.memberStrategy != membersFilter:
			for _, rec := range users {
				out = append(out, state(rec, found.held[rec.text("id")]))
			}
			return out, nil
		}
	}
	for _, rec := range users {
		now, err := g.holds(ctx, rec.text("id"), true)
		switch {
		case isNoGroup(err):
			out = append(out, state(rec, false))
		case err != nil:
			return out, err
		case now.known:
			out = append(out, state(rec, now.held))
		}
	}
	return out, nil
}
