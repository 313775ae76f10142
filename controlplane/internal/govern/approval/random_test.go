package approval

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// company draws an organisation of a few people, some of whom have left or decide for others.
func company(t *rapid.T) (*org, []string) {
	ids := make([]string, rapid.IntRange(2, 9).Draw(t, "people"))
	for i := range ids {
		ids[i] = fmt.Sprintf("p%d", i)
	}
	someone := rapid.SampledFrom(append(slices.Clone(ids), "gone"))
	o := &org{
		above:     map[string][]string{},
		members:   map[string][]string{},
		users:     map[string][]string{},
		duty:      map[string][]string{},
		people:    map[string]person{},
		delegates: map[string]string{},
	}
	for _, id := range ids {
		unable := rapid.SampledFrom([]string{"", "", "", "", "on_leave", "left", "pre_hire", "not_a_person", "no_user",
			"user_disabled"}).
			Draw(t, "unable")
		o.people[id] = person{ID: id, Display: id, Unable: unable}
		o.above[id] = rapid.SliceOfN(someone, 0, 3).Draw(t, "above")
		if rapid.IntRange(0, 3).Draw(t, "delegates") == 0 {
			o.delegates[id] = someone.Draw(t, "delegate")
		}
	}
	o.members["r"] = rapid.SliceOfN(someone, 0, 5).Draw(t, "members")
	o.duty["s"] = rapid.SliceOfN(someone, 0, 3).Draw(t, "duty")
	o.users[admin] = rapid.SliceOfN(rapid.SampledFrom(append(slices.Clone(ids), "")), 0, 2).Draw(t, "admins")
	return o, ids
}

// resolvers draws whom a group names.
func resolvers(t *rapid.T, ids []string, least int) []ApproverResolver {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ApproverResolver {
		return rapid.SampledFrom([]ApproverResolver{
			{
				Kind:  byManager,
				Level: rapid.IntRange(0, 3).Draw(t, "level"),
			},
			{Kind: byResourceOwner},
			{Kind: byConnectorOwner},
			{Kind: byGroup, RoleID: "r"},
			{Kind: byOnCall, ScheduleID: "s"},
			{Kind: byAppRole, AppRole: admin},
			{Kind: byIdentity, IdentityID: rapid.SampledFrom(ids).Draw(t, "who")},
		}).Draw(t, "resolver")
	}), least, 3).Draw(t, "resolvers")
}

// drawn is a request with a chain.
func drawn(t *rapid.T, ids []string) asked {
	c := asked{
		sure: map[string]int{},
		item: item{
			Type:    "role",
			ID:      "x",
			Name:    "x",
			Owners:  rapid.SliceOfN(rapid.SampledFrom(ids), 0, 3).Draw(t, "owners"),
			Backups: rapid.SliceOfN(rapid.SampledFrom(ids), 0, 2).Draw(t, "backups"),
		},
	}
	c.BeneficiaryID = rapid.SampledFrom(ids).Draw(t, "beneficiary")
	c.RequesterID = rapid.SampledFrom(append(slices.Clone(ids), "")).Draw(t, "requester")
	c.ForAnother = rapid.Bool().Draw(t, "by the token of another person")
	c.plan.Distinct = rapid.Bool().Draw(t, "distinct")
	for range rapid.IntRange(1, 3).Draw(t, "stages") {
		s := ApprovalStage{Name: "s", Fallback: resolvers(t, ids, 0)}
		for range rapid.IntRange(1, 2).Draw(t, "groups") {
			g := ApproverGroup{
				Approvers: resolvers(t, ids, 1),
				Mode:      rapid.SampledFrom([]string{modeAny, modeAll, modeQuorum}).Draw(t, "mode"),
			}
			if g.Mode == modeQuorum {
				g.Quorum = rapid.IntRange(1, 4).Draw(t, "quorum")
			}
			s.Groups = append(s.Groups, g)
		}
		s.fill()
		c.plan.Stages = append(c.plan.Stages, PlanStage{Definition: s})
	}
	return c
}

func (c asked) again() *asked {
	c.sure, c.plan.Stages = map[string]int{}, slices.Clone(c.plan.Stages)
	return &c
}

// TestNobodyApprovesTheirOwnAndSomebodyAlwaysDoes holds every plan of a random company against what must be so whatever
// its rules say.
func TestNobodyApprovesTheirOwnAndSomebodyAlwaysDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, ids := company(t)
		template := drawn(t, ids)
		c, twice := template.again(), template.again()
		o.complete(c, time.Unix(0, 0).UTC())
		o.complete(twice, time.Unix(0, 0).UTC())
		if !reflect.DeepEqual(c.plan, twice.plan) {
			t.Fatalf("resolved again it is another plan:\n%+v\n%+v", c.plan, twice.plan)
		}
		blocked, must := false, map[string]bool{}
		for i, s := range c.plan.Stages {
			for _, g := range s.Groups {
				if len(g.Slots) == 0 {
					blocked = true
					if slices.ContainsFunc(o.users[admin], func(id string) bool { return id == "" }) {
						t.Fatalf("stage %d is blocked although there is an administrator: %v", i, c.log)
					}
					continue
				}
				fits(t, o, c, g, must)
			}
		}
		if c.plan.Blocked != blocked {
			t.Fatalf("blocked: %v; want %v", c.plan.Blocked, blocked)
		}
	})
}

// fits holds one group against who may decide. must are those who agree for certain in groups before.
func fits(t *rapid.T, o *org, c *asked, g PlanGroup, must map[string]bool) {
	if g.Needed < 1 || g.Needed > len(g.Slots) {
		t.Fatalf("%d of %d must agree", g.Needed, len(g.Slots))
	}
	seen := map[string]bool{}
	for _, s := range g.Slots {
		who := s.IdentityID + s.Role
		if seen[who] || who == "" {
			t.Fatalf("%q stands in a group twice: %+v", who, g)
		}
		seen[who] = true
		if s.Role != "" {
			if !slices.ContainsFunc(o.users[s.Role], func(id string) bool {
				return id == "" || id != c.BeneficiaryID && id != c.RequesterID && !(c.plan.Distinct && must[id])
			}) {
				t.Fatalf("nobody with the role %s may decide", s.Role)
			}
			continue
		}
		p := o.people[s.IdentityID]
		switch {
		case s.Agreed:
			if c.ForAnother || s.IdentityID != c.RequesterID || s.IdentityID == c.BeneficiaryID ||
				!slices.Contains(o.above[c.BeneficiaryID], s.IdentityID) {
				t.Fatalf("%s agrees by requesting and is not the manager who asks: %v", s.IdentityID, c.log)
			}
		case s.IdentityID == c.BeneficiaryID || s.IdentityID == c.RequesterID:
			t.Fatalf("%s is asked about what they ask for: %v", s.IdentityID, c.log)
		case p.Unable != "":
			t.Fatalf("%s is asked, who is %+v", s.IdentityID, p)
		case c.plan.Distinct && must[s.IdentityID]:
			t.Fatalf("%s must agree twice: %v", s.IdentityID, c.log)
		case s.ActingFor == c.BeneficiaryID || s.ActingFor != "" && s.ActingFor == c.RequesterID:
			t.Fatalf("%s decides for %s, who may not", s.IdentityID, s.ActingFor)
		}
	}
	if g.Needed == len(g.Slots) {
		for _, s := range g.Slots {
			if s.IdentityID != "" {
				must[s.IdentityID] = true
			}
		}
	}
}
