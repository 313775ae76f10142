package mapping_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
)

func TestProposalsAreAddedToWhatIsDecidedAndNeverFillAFieldTwice(t *testing.T) {
	decided := []mapping.Mapping{
		{
			Object:     "identity",
			Source:     "login",
			Action:     "map",
			Target:     mapping.Email,
			Overridden: true,
		},
		{Object: "identity", Source: "cn", Action: "ignore"},
	}
	all, added := proposal.Complete(decided, []mapping.Mapping{
		{
			Object:     "identity",
			Source:     "mail",
			Action:     "map",
			Target:     mapping.Email,
			Heuristic:  mapping.Synonym,
			Confidence: 0.9,
		},
		{
			Object: "identity",
			Source: "cn",
			Action: "map",
			Target: mapping.DisplayName,
		},
		{Object: "identity", Source: "title", Action: "map", Target: mapping.Title},
		{Object: "account", Source: "mail", Action: "map", Target: mapping.Email},
	})
	if added != 3 || len(all) != 5 || all[1].Action != "ignore" {
		t.Fatalf("added %d: %+v", added, all)
	}
	if m := all[2]; m.Action != mapping.ActionIgnore || m.Target != "" || m.Note != "email comes from “login”" {
		t.Errorf("a field that is filled already: %+v", m)
	}
	if all[3].Target != mapping.Title || all[4].Object != "account" || all[4].Target != mapping.Email {
		t.Errorf("added: %+v", all[3:])
	}
}
