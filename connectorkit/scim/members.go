package scim

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// maxWaiting is how many members of a group are held while its id has not come.
const maxWaiting = 50_000

// sink turns the members of one group after the other into grants. It keeps 64 bits of every member of the group at
// hand, so that a member listed twice, or sent again after a break, is handed on once.
type sink struct {
	*reading
	group    string
	quiet    bool // members were handed on by an earlier try
	mute     bool // members are counted only
	last     string
	sent     map[uint64]struct{}
	sum      uint64           // of what was sent, whatever its order
	bad      int              // members that cannot be read
	waiting  []v1.RemoteGrant // until the id comes
	overflow bool
}

// tally is what is known of the members of one group.
type tally struct {
	count int
	sum   uint64
	bad   int
}

// begin starts a group; id is empty until it is known.
func (s *sink) begin(id string, told bool) {
	s.group, s.quiet, s.waiting, s.overflow, s.bad = id, told, nil, false, 0
}

// tally is of the group at hand.
func (s *sink) tally() tally {
	if s.group != s.last {
		return tally{bad: s.bad}
	}
	return tally{count: len(s.sent), sum: s.sum, bad: s.bad}
}

// known takes the id of the group and hands on what waited for it.
func (s *sink) known(ctx context.Context, id string, told bool) error {
	s.group, s.quiet = id, told
	if id == "" {
		return nil
	}
	waiting := s.waiting
	s.waiting = nil
	for _, grant := range waiting {
		grant.EntitlementExternalID = id
		if err := s.send(ctx, grant); err != nil {
			return err
		}
	}
	return nil
}

// member is one entry of members (RFC 7643 section 4.2).
type member struct {
	Value json.RawMessage `json:"value"`
	Ref   string          `json:"$ref"`
	Type  string          `json:"type"`
}

// members reads the value of the attribute, one entry at a time.
func (s *sink) members(ctx context.Context, in *raw) error {
	_, err := in.array(func() error {
		v, err := in.next(maxMember)
		if err != nil {
			return err
		}
		return s.member(ctx, v)
	})
	return err
}

func (s *sink) member(ctx context.Context, v value) error {
	if s.quiet || s.overflow || !s.want[v1.Grants] {
		return nil
	}
	var m member
	if v.trouble(maxMember) != "" {
		s.unread("a member of the group " + v.trouble(maxMember))
		return nil
	}
	if err := json.Unmarshal(v.text, &m); err != nil {
		var bare string
		if json.Unmarshal(v.text, &bare) != nil {
			s.unread("a member of the group cannot be read")
			return nil
		}
		m = member{Value: v.text}
	}
	if m.Type == "" && m.Ref == "" && s.profile.OnlyUsers {
		m.Type = "User"
	}
	grant, ok := m.grant(s.group)
	if !ok {
		s.unread("a member of the group has no value")
		return nil
	}
	if s.group != "" {
		return s.send(ctx, grant)
	}
	if s.waiting = append(s.waiting, grant); len(s.waiting) > maxWaiting {
		s.waiting, s.overflow = nil, true
	}
	return nil
}

func (s *sink) unread(message string) {
	s.bad++
	s.skip(message, s.group, v1.Grants)
}

// grant says who the member is: a user, a group inside the group, or whoever has this id.
func (m member) grant(group string) (v1.RemoteGrant, bool) {
	value := m.value()
	if value == "" {
		value = lastSegment(m.Ref)
	}
	if badID(value) != "" {
		return v1.RemoteGrant{}, false
	}
	grant := v1.RemoteGrant{EntitlementExternalID: group}
	ref := strings.ToLower(m.Ref)
	switch kind := strings.ToLower(m.Type); {
	case kind == "group", kind != "user" && strings.Contains(ref, "groups/"):
		grant.PrincipalEntitlementExternalID = &value
	case kind == "user", strings.Contains(ref, "users/"):
		grant.AccountExternalID = &value
	default:
		grant.PrincipalRef = &v1.Ref{Kind: v1.RefExternalID, Value: value}
	}
	return grant, true
}

// value is the member's id; some targets send numbers.
func (m member) value() string {
	var text string
	if json.Unmarshal(m.Value, &text) == nil {
		return text
	}
	var n json.Number
	if json.Unmarshal(m.Value, &n) == nil {
		return n.String()
	}
	return ""
}

func (s *sink) send(ctx context.Context, grant v1.RemoteGrant) error {
	if s.quiet {
		return nil
	}
	if s.group != s.last || s.sent == nil {
		// Not before: a group that comes again after a break finds what was sent of it.
		s.last, s.sent, s.sum = s.group, map[uint64]struct{}{}, 0
	}
	key := hash64(principal(grant))
	if _, sent := s.sent[key]; sent {
		return nil
	}
	s.sent[key] = struct{}{}
	s.sum += key
	if s.mute {
		return nil
	}
	s.out.Grants = append(s.out.Grants, grant)
	return target.Stop(s.hand(ctx))
}

// principal names who holds a grant, whichever way the target tells it: one list may give a type where another does
// not.
func principal(g v1.RemoteGrant) string {
	switch {
	case g.AccountExternalID != nil:
		return *g.AccountExternalID
	case g.PrincipalEntitlementExternalID != nil:
		return *g.PrincipalEntitlementExternalID
	}
	return g.PrincipalRef.Value
}
