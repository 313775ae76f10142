package mapping_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestWhatAPackOffersTakesThePlaceOfAGuess(t *testing.T) {
	field := func(name string) v1.DiscoveredField { return v1.DiscoveredField{Name: name, Type: "string"} }
	secret := field("workEmail2")
	secret.Secret = true
	proposals := proposal.Suggest([]v1.DiscoveredObject{{Kind: "identity", Fields: []v1.DiscoveredField{
		field("mail"),
		field("orgUnit"),
		field("dept"),
		field("usertype"),
		field("email_address"),
		secret,
		field("title"),
	}}}, nil)
	offered := []mapping.Mapping{
		{Object: "identity", Source: "orgunit", Action: mapping.ActionMap, Target: "department", Note: "a pack"},
		{
			Object:    "identity",
			Source:    "userType",
			Action:    mapping.ActionMap,
			Target:    "employment_type",
			Transform: "value.lower()",
		},
		{Object: "identity", Source: "workEmail2", Action: mapping.ActionMap, Target: "email"},
		{Object: "identity", Source: "absent", Action: mapping.ActionMap, Target: "location"},
		{Object: "identity", Source: "mail", Action: mapping.ActionIgnore},
	}
	got := map[string]mapping.Mapping{}
	for _, m := range proposal.Offer(proposals, offered) {
		got[m.Source] = m
	}
	for source, want := range map[string]struct {
		action string
		target mapping.Field
		rule   mapping.Rule
	}{
		"orgUnit":    {"map", "department", mapping.SectorPack}, // and dept, which is a synonym, gives way
		"dept":       {"ignore", "", ""},
		"usertype":   {"map", "employment_type", mapping.SectorPack},
		"workEmail2": {"ignore", "", ""},
		"mail":       {"ignore", "", mapping.SectorPack},
		"title":      {"map", "title", mapping.Exact},
	} {
		if m := got[source]; m.Action != want.action || m.Target != want.target || m.Heuristic != want.rule {
			t.Errorf("%s = %+v; want %+v", source, m, want)
		}
	}
	if len(got) != len(proposals) {
		t.Errorf("%d mappings; want %d: what nobody has seen is not proposed", len(got), len(proposals))
	}
	if m := got["usertype"]; m.Transform != "value.lower()" || m.Source != "usertype" {
		t.Errorf("%+v", m)
	}
}
