package group

import (
	"context"
	"encoding/json"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// MaxWaiting is how many members of a group are held while its id has not come.
const MaxWaiting = 50_000

// collector turns the members of one group after the other into grants. It keeps 64 bits of every member of the group
// at hand, so that a member listed twice, or sent again after a break, is handed on once.
type collector struct {
	*syncrun.Run
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

// memberSummary is what is known of the members of one group.
type memberSummary struct {
	// count is how many members the group has, and sum the sum of their hashes: together they show
	// whether two reads have seen the same members, whatever their order.
	count int
	sum   uint64
	// bad are entries that could not be read. A group that has some is not stated as complete.
	bad int
}

// begin starts a group; id is empty until it is known.
func (s *collector) begin(id string, told bool) {
	s.group, s.quiet, s.waiting, s.overflow, s.bad = id, told, nil, false, 0
}

// summary is of the group at hand.
func (s *collector) summary() memberSummary {
	if s.group != s.last {
		return memberSummary{bad: s.bad}
	}
	return memberSummary{count: len(s.sent), sum: s.sum, bad: s.bad}
}

// known takes the id of the group and hands on what waited for it.
func (s *collector) known(ctx context.Context, id string, told bool) error {
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

// members reads the value of the attribute, one entry at a time.
func (s *collector) members(ctx context.Context, in *response.Reader) error {
	_, err := in.Array(func() error {
		v, err := in.Next(response.MaxMember)
		if err != nil {
			return err
		}
		return s.member(ctx, v)
	})
	return err
}

// member takes one entry of members while the answer is read, and hands on a grant. An entry may be
// an object (RFC 7643 section 4.2) or, with some services, the bare id of a user. Where groups of a
// vendor hold users only, an entry without type and $ref is taken for a user. An entry that cannot
// be read is a warning, and the group not complete; only an error of emitting ends the read.
func (s *collector) member(ctx context.Context, v response.Value) error {
	if s.quiet || s.overflow || !s.Want[v1.Grants] {
		return nil
	}
	var m resource.Member
	if v.Problem(response.MaxMember) != "" {
		s.unread("a member of the group " + v.Problem(response.MaxMember))
		return nil
	}
	if err := json.Unmarshal(v.Text, &m); err != nil {
		var bare string
		if json.Unmarshal(v.Text, &bare) != nil {
			s.unread("a member of the group cannot be read")
			return nil
		}
		m = resource.Member{Value: v.Text}
	}
	if m.Type == "" && m.Ref == "" && s.Profile.OnlyUsers {
		m.Type = "User"
	}
	grant, ok := m.Grant(s.group)
	if !ok {
		s.unread("a member of the group has no value")
		return nil
	}
	if s.group != "" {
		return s.send(ctx, grant)
	}
	if s.waiting = append(s.waiting, grant); len(s.waiting) > MaxWaiting {
		s.waiting, s.overflow = nil, true
	}
	return nil
}

// unread takes note of an entry that cannot be read, with a warning.
func (s *collector) unread(message string) {
	s.bad++
	s.SkipRecord(message, s.group, v1.Grants)
}

// send hands on a grant, unless the same one was handed on of this group before: pages may overlap,
// and a request that broke off is made again and brings the members from the first. A full batch is
// emitted at once, so that of a large group only the hashes of its members stay in memory.
func (s *collector) send(ctx context.Context, grant v1.RemoteGrant) error {
	if s.quiet {
		return nil
	}
	if s.group != s.last || s.sent == nil {
		// Not before: a group that comes again after a break finds what was sent of it.
		s.last, s.sent, s.sum = s.group, map[uint64]struct{}{}, 0
	}
	key := checkpoint.Hash(resource.Principal(grant))
	if _, sent := s.sent[key]; sent {
		return nil
	}
	s.sent[key] = struct{}{}
	s.sum += key
	if s.mute {
		return nil
	}
	s.Out.Grants = append(s.Out.Grants, grant)
	return target.Stop(s.EmitBatch(ctx))
}
