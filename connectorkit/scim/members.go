package scim

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// maxWaiting is how many members of a group are held while its id has not come.
const maxWaiting = 50_000

// sink turns the members of one group after the other into grants. It keeps 64 bits of every member of the group at hand, so
// that a member listed twice, or sent again after a break, is handed on once.
type sink struct {
	*reading
	seed     maphash.Seed
	group    string
	quiet    bool // members were handed on by an earlier try
	last     string
	sent     map[uint64]struct{}
	waiting  []v1.RemoteGrant // until the id comes
	overflow bool
}

// begin starts a group; id is empty until it is known.
func (s *sink) begin(id string, told bool) {
	s.group, s.quiet, s.waiting, s.overflow = id, told, nil, false
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
func (s *sink) members(ctx context.Context, dec decoder) error {
	open, err := dec.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('[') {
		return rest(dec, open) // null stands for none
	}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		if err := s.member(ctx, raw); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

func (s *sink) member(ctx context.Context, raw json.RawMessage) error {
	if s.quiet || s.overflow || !s.want[v1.Grants] {
		return nil
	}
	var m member
	if err := json.Unmarshal(raw, &m); err != nil {
		var bare string
		if json.Unmarshal(raw, &bare) != nil {
			s.skip("a member of the group cannot be read", s.group, v1.Grants)
			return nil
		}
		m = member{Value: raw}
	}
	grant, ok := m.grant(s.group)
	if !ok {
		s.skip("a member of the group has no value", s.group, v1.Grants)
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
		s.last, s.sent = s.group, map[uint64]struct{}{}
	}
	key := maphash.String(s.seed, principal(grant))
	if _, sent := s.sent[key]; sent {
		return nil
	}
	s.sent[key] = struct{}{}
	s.out.Grants = append(s.out.Grants, grant)
	return target.Stop(s.hand(ctx))
}

func principal(g v1.RemoteGrant) string {
	switch {
	case g.AccountExternalID != nil:
		return "a" + *g.AccountExternalID
	case g.PrincipalEntitlementExternalID != nil:
		return "e" + *g.PrincipalEntitlementExternalID
	}
	return "r" + g.PrincipalRef.Value
}
