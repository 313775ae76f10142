package policy_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/review"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// reviewed is the body of a birthright whose access is reviewed before it ends.
func (h *house) reviewed(name, department string, groups ...string) map[string]any {
	body := h.rule(name, about("department", "eq", department), groups...)
	body["lifecycle"] = map[string]any{"on_no_match": "review"}
	return body
}

// reviews are the reviews by their state, with how many reasons wait.
func (h *house) reviews() string {
	h.T.Helper()
	return fmt.Sprint(h.Strings(`select i.first_name || ' ' || r.state || ' ' || cardinality(r.reason_ids)
		from policy_review r join identity i on i.id = r.identity_id order by 1`))
}

// decides decides the open review of a person.
func (h *house) decides(person string, until *time.Time) error {
	h.T.Helper()
	id := h.Strings(`select id::text from policy_review where identity_id = $1`, person)[0]
	return h.DB.As(h.T.Context(), h.Tenant, func(tx *pg.Tx) error {
		return review.Decide(h.T.Context(), tx, id, until, "moved", time.Now())
	})
}

func TestAccessThatDoesNotFollowAnyMoreWaitsForAReview(t *testing.T) {
	h := open(t)
	id := h.enforce(h.reviewed("nurses", "Nursing", h.groups[0], h.groups[1]))
	ann, bob := h.hire("ann", "Nursing"), h.hire("bob", "Nursing")
	h.settle()
	h.patch(ann, map[string]any{"department": "Sales"})
	h.settle()
	h.expect(ann, "active", "[group-0 group-1]")
	if got := h.reviews(); got != "[ann open 2]" {
		t.Fatalf("reviews: %s", got)
	}

	// The person matches again: nothing is to be decided.
	h.patch(ann, map[string]any{"department": "Nursing"})
	h.settle()
	if got := h.reviews(); got != "[ann closed 0]" {
		t.Errorf("reviews of somebody who matches again: %s", got)
	}
	if err := h.decides(ann, nil); err == nil {
		t.Error("a closed review was decided")
	}

	// Ended by a decision, the access comes back with the condition.
	h.patch(ann, map[string]any{"department": "Sales"})
	h.settle()
	if err := h.decides(ann, nil); err != nil {
		t.Fatal(err)
	}
	h.settle()
	h.expect(ann, "active", "[]")
	if got := h.reviews(); got != "[ann closed 0]" {
		t.Errorf("reviews after the end: %s", got)
	}
	h.patch(ann, map[string]any{"department": "Nursing"})
	h.settle()
	h.expect(ann, "active", "[group-0 group-1]")

	// Kept until a day, it ends by itself; matching again takes the end away.
	until := time.Now().Add(48 * time.Hour)
	h.patch(bob, map[string]any{"department": "Sales"})
	h.settle()
	if err := h.decides(bob, &until); err != nil {
		t.Fatal(err)
	}
	h.patch(bob, map[string]any{"title": "Other"})
	h.settle()
	if got := h.reviews(); got != "[ann closed 0 bob kept 0]" {
		t.Errorf("reviews: %s", got)
	}
	ending := `select count(*) from access_reason where identity_id = $1 and state = 'active' and ends_at is not null`
	if n := h.Count(ending, bob); n != 2 {
		t.Errorf("%d reasons have an end; want 2", n)
	}
	h.patch(bob, map[string]any{"department": "Nursing"})
	h.settle()
	if n := h.Count(ending, bob); n != 0 {
		t.Errorf("%d reasons of somebody who matches again end", n)
	}

	// Who leaves loses all at once.
	h.patch(bob, map[string]any{"department": "Sales"})
	h.settle()
	h.Must(200, "admin", "POST", "/identities/"+bob+"/deactivate", map[string]any{"reason": "gone"})
	h.settle()
	h.expect(bob, "active", "[]")
	if got := h.reviews(); got != "[ann closed 0 bob closed 0]" {
		t.Errorf("reviews of a leaver: %s", got)
	}
	audited := fmt.Sprint(h.Strings(`select action || ' ' || count(*) from audit_event
		where action like 'policy_review.%' group by action order by 1`))
	if audited != "[policy_review.closed 3 policy_review.ended 1 policy_review.kept 1 policy_review.opened 4]" {
		t.Errorf("audited: %s", audited)
	}

	// A deleted policy leaves nothing to review.
	h.patch(ann, map[string]any{"department": "Sales"})
	h.settle()
	h.Must(204, "admin", "DELETE", "/policies/access-grant/"+id, nil)
	h.settle()
	h.expect(ann, "active", "[]")
}

func TestAReviewKeepsWhatItsDayHasNotEnded(t *testing.T) {
	h := open(t)
	h.enforce(h.reviewed("nurses", "Nursing", h.groups[0]))
	ann := h.hire("ann", "Nursing")
	h.settle()
	h.patch(ann, map[string]any{"department": "Sales"})
	h.settle()
	until := time.Now().Add(time.Hour)
	if err := h.decides(ann, &until); err != nil {
		t.Fatal(err)
	}
	if err := h.DB.As(t.Context(), h.Tenant, func(tx *pg.Tx) error {
		_, _, err := ledger.Settle(t.Context(), tx, until.Add(time.Minute))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	h.settle()
	h.expect(ann, "active", "[]")
}

func TestAnImpactCountsWhatIsReviewed(t *testing.T) {
	h := open(t)
	id := h.enforce(h.reviewed("nurses", "Nursing", h.groups[0], h.groups[1]))
	ann := h.hire("ann", "Nursing")
	h.hire("bob", "Sales")
	h.settle()
	next := h.reviewed("nurses", "Surgery", h.groups[0], h.groups[1])
	// Of two people one would be reviewed, and nobody gains or loses anything: nothing is to be confirmed.
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+id, map[string]any{"subject": next["subject"]})
	plan := h.Must(200, "admin", "POST", "/policies/access-grant/"+id+"/simulate", nil)
	if plan.Body["people_to_review"] != 1.0 || plan.Body["grants_to_review"] != 2.0 ||
		plan.Body["identities_affected"] != 0.0 || plan.Body["grants_ended"] != 0.0 {
		t.Errorf("simulated: %v", plan.Body)
	}
	sample := plan.Body["sample"].([]any)
	if len(sample) != 1 || len(sample[0].(map[string]any)["to_review"].([]any)) != 2 {
		t.Errorf("sample: %v", sample)
	}
	one := h.Must(200, "admin", "POST", "/identities/"+ann+"/birthrights/evaluate", nil)
	if impact := one.Body["impact"].(map[string]any); len(impact["to_review"].([]any)) != 2 {
		t.Errorf("evaluated alone: %v", impact)
	}
	h.settle()
	stats := h.Must(200, "admin", "GET", "/policies/access-grant/"+id, nil).Body["stats"].(map[string]any)
	if stats["to_review"] != 1.0 {
		t.Errorf("stats: %v", stats)
	}
	h.Refused(422, "validation_failed", "admin", "PATCH", "/policies/access-grant/"+id,
		map[string]any{"effect": "deny", "birthright": false})
}
