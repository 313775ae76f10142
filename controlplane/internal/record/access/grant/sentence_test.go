package grant

import (
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// What a rule approved was approved by no person, and its reason says so.
func TestAutomaticApprovalsAreSaidAsSuch(t *testing.T) {
	r := GrantReason{Kind: ledger.Request, Effect: ledger.Allow, State: ledger.Active}
	if got := r.Sentence(); !strings.Contains(got, "approved automatically by an approval rule") {
		t.Errorf("without approvers: %q", got)
	}
	r.ApprovedBy = []entitlement.NamedParty{{Display: "Ada Boss"}}
	if got := r.Sentence(); !strings.Contains(got, "approved by Ada Boss") {
		t.Errorf("with an approver: %q", got)
	}
}

// A reason that people write often ends with a full stop, and its sentence ends with one.
func TestAReasonEndsWithOneFullStop(t *testing.T) {
	ended, why := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), "it was revoked: They write no more."
	r := GrantReason{Kind: ledger.Request, Effect: ledger.Allow, State: ledger.Ended, EndedAt: &ended, EndReason: &why}
	if got := r.Sentence(); !strings.HasSuffix(got, "because it was revoked: They write no more.") {
		t.Errorf("got %q", got)
	}
}
