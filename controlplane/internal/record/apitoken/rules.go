package apitoken

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// grant is what a token is made with.
type grant struct {
	Settings
	idle     time.Duration
	scopes   []string
	role     viewer.Role
	identity *string
	expires  time.Time // whole seconds, as the token can say
}

// granted checks what is asked for and fills in what is usual. longest is when the token must end at the latest.
func (n NewToken) granted(now, longest time.Time) (grant, error) {
	g := grant{role: n.Role, identity: n.BoundIdentityID}
	g.Settings = Settings{
		Name:             n.Name,
		Description:      n.Description,
		AllowedCIDRs:     n.AllowedCIDRs,
		RateLimit:        n.RateLimit,
		IdleDisableAfter: n.IdleDisableAfter,
		Enabled:          true,
	}
	var err error
	if g.scopes, err = checkScopes(n.Scopes); err != nil {
		return g, err
	}
	if g.idle, err = g.Settings.complete(); err != nil {
		return g, err
	}
	if g.identity == nil && (g.role == viewer.Manager || g.role == viewer.ResourceOwner) {
		return g, fault.New(fault.Invalid, "A token with the role %s must be linked to an identity.", g.role).
			With(fault.Field{Pointer: "#/bound_identity_id", Code: "required",
				Detail: "name an identity of the tenant"})
	}
	g.expires, err = expiry(n.ExpiresAt, now, longest)
	return g, err
}

// expiry is the end of a new token: the one asked for, within a year, or the usual one; never later
// than longest.
func expiry(asked *time.Time, now, longest time.Time) (time.Time, error) {
	if asked == nil {
		usual := now.Add(usualLife)
		if longest.Before(usual) {
			usual = longest
		}
		return usual.UTC().Truncate(time.Second), nil
	}
	end := asked.UTC().Truncate(time.Second)
	// A minute is granted to clocks that differ.
	if !end.After(now) || end.After(now.Add(longestLife+time.Minute)) {
		return end, fault.New(fault.Invalid, "expires_at must be within the next 365 days.").
			With(fault.Field{Pointer: "#/expires_at", Code: "invalid", Detail: "an instant within the next 365 days"})
	}
	return end, nil
}

// complete tidies and checks settings, and gives the time after which an unused token is disabled.
func (s *Settings) complete() (time.Duration, error) {
	s.Name = strings.TrimSpace(s.Name)
	if s.Name == "" {
		return 0, fault.New(fault.Invalid, "a token needs a name").
			With(fault.Field{Pointer: "#/name", Code: "required", Detail: "describe the purpose of the token"})
	}
	var err error
	if s.AllowedCIDRs, err = networks(s.AllowedCIDRs); err != nil {
		return 0, err
	}
	if s.RateLimit != nil && s.RateLimit.Burst == 0 {
		s.RateLimit = &TokenRate{RPS: s.RateLimit.RPS, Burst: 2 * s.RateLimit.RPS}
	}
	idle, err := durationOf("idle_disable_after", s.IdleDisableAfter, usualIdle, shortestIdle, longestIdle)
	s.IdleDisableAfter = span.Format(idle)
	return idle, err
}

// networks gives networks in their usual form, in one order, each once. A single address is a network of itself.
func networks(texts []string) ([]string, error) {
	out := []string{}
	for i, text := range texts {
		network, err := netip.ParsePrefix(text)
		if address, alone := netip.ParseAddr(text); alone == nil && address.Zone() == "" {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() {
			return nil, fault.New(fault.Invalid, "a network must be written like 203.0.113.0/24 or 2001:db8::/48").
				With(fault.Field{Pointer: fmt.Sprintf("#/allowed_cidrs/%d", i), Code: "invalid",
					Detail: "an address with the length of its prefix"})
		}
		out = append(out, network.Masked().String())
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// exceeds returns a fault when a token that another one makes could do anything that its maker cannot.
func exceeds(maker Token, made grant) error {
	var wrong []fault.Field
	for i, s := range made.scopes {
		if !slices.Contains(maker.Scopes, s) {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: fmt.Sprintf("#/scopes/%d", i),
					Code:    "exceeds_own_rights",
					Detail:  fmt.Sprintf("this token does not have %s itself", s),
				},
			)
		}
	}
	if made.role != maker.Role && maker.Role != viewer.Admin {
		wrong = append(
			wrong,
			fault.Field{
				Pointer: "#/role",
				Code:    "exceeds_own_rights",
				Detail:  "this token's role is " + string(maker.Role),
			},
		)
	}
	if made.expires.After(maker.end()) {
		wrong = append(
			wrong,
			fault.Field{Pointer: "#/expires_at", Code: "exceeds_own_rights", Detail: "this token ends before"},
		)
	}
	if !within(maker.AllowedCIDRs, made.AllowedCIDRs) {
		wrong = append(
			wrong,
			fault.Field{
				Pointer: "#/allowed_cidrs",
				Code:    "exceeds_own_rights",
				Detail:  "this token is restricted to fewer networks",
			},
		)
	}
	if made.RateLimit != nil {
		wrong = append(
			wrong,
			fault.Field{
				Pointer: "#/rate_limit",
				Code:    "exceeds_own_rights",
				Detail:  "Only a signed-in administrator can change rate limits.",
			},
		)
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Coded(fault.Forbidden, "exceeds_own_rights", "A token cannot create a token with more permissions "+
		"than its own.").
		With(wrong...)
}

// within reports whether each inner network lies in an outer one. No networks mean everywhere.
func within(outer, inner []string) bool {
	if len(outer) == 0 {
		return true
	}
	covered := func(in string) bool {
		small, err := netip.ParsePrefix(in)
		return err == nil && slices.ContainsFunc(outer, func(out string) bool {
			large, err := netip.ParsePrefix(out)
			return err == nil && large.Bits() <= small.Bits() && large.Contains(small.Addr())
		})
	}
	return len(inner) > 0 && !slices.ContainsFunc(inner, func(in string) bool { return !covered(in) })
}

// mayMake says whether v may be the one on whose rights a token stands.
func mayMake(v viewer.Viewer) error {
	if v.Home != "" {
		return fault.New(
			fault.Forbidden,
			"a service token needs an administrator of its own tenant as creator; sign in to that tenant to create one",
		)
	}
	return nil
}

// mayChange says whether v may change a token's settings. Another token may name it better and switch it off, and
// nothing that keeps a token in bounds.
func mayChange(v viewer.Viewer, before, after Settings) error {
	if v.Kind != viewer.Service {
		return nil
	}
	allowed := before
	allowed.Name, allowed.Description, allowed.Enabled = after.Name, after.Description, before.Enabled && after.Enabled
	if !slices.Equal(allowed.AllowedCIDRs, after.AllowedCIDRs) || allowed.IdleDisableAfter != after.IdleDisableAfter ||
		allowed.Enabled != after.Enabled || rateOf(allowed) != rateOf(after) {
		return fault.New(
			fault.Forbidden,
			"Service tokens cannot relax the limits of tokens. This requires a signed-in administrator.",
		)
	}
	return nil
}

// rateOf is the limit of the settings; zero: the usual one.
func rateOf(s Settings) TokenRate {
	if s.RateLimit == nil {
		return TokenRate{}
	}
	return *s.RateLimit
}
