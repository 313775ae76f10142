package callable

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAConnectorCanChangeWhatItsTargetWasSeenToOffer(t *testing.T) {
	all := []v1.ProvisionOp{v1.OpAccountCreate, v1.OpAccountDisable, v1.OpEntitlementGrant}
	for _, tt := range []struct {
		offers, want []v1.ProvisionOp
		why          string
	}{
		{nil, all, ""},
		{all, all, ""},
		{[]v1.ProvisionOp{v1.OpAccountCreate, v1.OpEntitlementGrant, v1.OpAccountRename},
			[]v1.ProvisionOp{v1.OpAccountCreate, v1.OpEntitlementGrant}, "account.disable"},
	} {
		got := Connector{Offers: tt.offers}.Able(connectorkit.Writes{Ops: all})
		if diff := cmp.Diff(
			tt.want,
			got.Ops,
		); diff != "" || (tt.why == "") != (got.Why == "") ||
			!strings.Contains(got.Why, tt.why) {
			t.Errorf("of %v: %s, why %q", tt.offers, diff, got.Why)
		}
	}
}
