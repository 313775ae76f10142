package resolution

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/organization"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
)

// company draws an organisation of a few people, some of whom have left or decide for others.
func company(t *rapid.T) (*resolver, []string) {
	ids := make([]string, rapid.IntRange(2, 9).Draw(t, "people"))
	for i := range ids {
		ids[i] = fmt.Sprintf("p%d", i)
	}
	someone := rapid.SampledFrom(append(slices.Clone(ids), "gone"))
	o := &resolver{Organization: organization.Organization{
		Above:     map[string][]string{},
		Members:   map[string][]string{},
		Users:     map[string][]string{},
		Duty:      map[string][]string{},
		People:    map[string]organization.Person{},
		Delegates: map[string]string{},
	}}
	for _, id := range ids {
		unable := rapid.SampledFrom([]string{"", "", "", "", "on_leave", "left", "pre_hire", "not_a_person", "no_user",
			"user_disabled"}).
			Draw(t, "unable")
		o.People[id] = organization.Person{ID: id, Display: id, Unable: unable}
		o.Above[id] = rapid.SliceOfN(someone, 0, 3).Draw(t, "above")
		if rapid.IntRange(0, 3).Draw(t, "delegates") == 0 {
			o.Delegates[id] = someone.Draw(t, "delegate")
		}
	}
	o.Members["r"] = rapid.SliceOfN(someone, 0, 5).Draw(t, "members")
	o.Duty["s"] = rapid.SliceOfN(someone, 0, 3).Draw(t, "duty")
	o.Users[approval.Admin] = rapid.SliceOfN(rapid.SampledFrom(append(slices.Clone(ids), "")), 0, 2).Draw(t, "admins")
	return o, ids
}

// resolvers draws whom a group names.
func resolvers(t *rapid.T, ids []string, least int) []approval.ApproverResolver {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) approval.ApproverResolver {
		return rapid.SampledFrom([]approval.ApproverResolver{
			{
				Kind:  approval.ByManager,
				Level: rapid.IntRange(0, 3).Draw(t, "level"),
			},
			{Kind: approval.ByResourceOwner},
			{Kind: approval.ByConnectorOwner},
			{Kind: approval.ByGroup, RoleID: "r"},
			{Kind: approval.ByOnCall, ScheduleID: "s"},
			{Kind: approval.ByAppRole, AppRole: approval.Admin},
			{Kind: approval.ByIdentity, IdentityID: rapid.SampledFrom(ids).Draw(t, "who")},
		}).Draw(t, "resolver")
	}), least, 3).Draw(t, "resolvers")
}

// drawn is a request with a chain.
func drawn(t *rapid.T, ids []string) Case {
	c := Case{
		sure: map[string]int{},
		Item: resource.Item{
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
	c.Plan.Distinct = rapid.Bool().Draw(t, "distinct")
	for range rapid.IntRange(1, 3).Draw(t, "stages") {
		s := approval.ApprovalStage{Name: "s", Fallback: resolvers(t, ids, 0)}
		for range rapid.IntRange(1, 2).Draw(t, "groups") {
			g := approval.ApproverGroup{
				Approvers: resolvers(t, ids, 1),
				Mode: rapid.SampledFrom([]string{approval.ModeAny, approval.ModeAll, approval.ModeQuorum}).
					Draw(t, "mode"),
			}
			if g.Mode == approval.ModeQuorum {
				g.Quorum = rapid.IntRange(1, 4).Draw(t, "quorum")
			}
			s.Groups = append(s.Groups, g)
		}
		s.Fill()
		c.Plan.Stages = append(c.Plan.Stages, approval.PlanStage{Definition: s})
	}
	return c
}

func (c Case) again() *Case {
	c.sure, c.Plan.Stages = map[string]int{}, slices.Clone(c.Plan.Stages)
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
		if !reflect.DeepEqual(c.Plan, twice.Plan) {
			t.Fatalf("resolved again it is another plan:\n%+v\n%+v", c.Plan, twice.Plan)
		}
		blocked, must := false, map[string]bool{}
		for i, s := range c.Plan.Stages {
			for _, g := range s.Groups {
				if len(g.Slots) == 0 {
					blocked = true
					if slices.ContainsFunc(o.Users[approval.Admin], func(id string) bool { return id == "" }) {
						t.Fatalf("stage %d is blocked although there is an administrator: %v", i, c.log)
					}
					continue
				}
				fits(t, o, c, g, must)
			}
		}
		if c.Plan.Blocked != blocked {
			t.Fatalf("blocked: %v; want %v", c.Plan.Blocked, blocked)
		}
	})
}

// fits holds one group against who may decide. must are those who agree for certain in groups before.
func fits(t *rapid.T, o *resolver, c *Case, g approval.PlanGroup, must map[string]bool) {
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
			if !slices.ContainsFunc(o.Users[s.Role], func(id string) bool {
				return id == "" || id != c.BeneficiaryID && id != c.RequesterID && !(c.Plan.Distinct && must[id])
			}) {
				t.Fatalf("nobody with the role %s may decide", s.Role)
			}
			continue
		}
		p := o.People[s.IdentityID]
		switch {
		case s.Agreed:
			if c.ForAnother || s.IdentityID != c.RequesterID || s.IdentityID == c.BeneficiaryID ||
				!slices.Contains(o.Above[c.BeneficiaryID], s.IdentityID) {
				t.Fatalf("%s agrees by requesting and is not the manager who asks: %v", s.IdentityID, c.log)
			}
		case s.IdentityID == c.BeneficiaryID || s.IdentityID == c.RequesterID:
			t.Fatalf("%s is asked about what they ask for: %v", s.IdentityID, c.log)
		case p.Unable != "":
			t.Fatalf("%s is asked, who is %+v", s.IdentityID, p)
		case c.Plan.Distinct && must[s.IdentityID]:
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
