package emergency

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// KindReview is the kind of the tasks that review emergency access.
const KindReview = "emergency_review"

// defaultReviewPeriod is within which time emergency access is reviewed where the rule does not say.
const defaultReviewPeriod = span.Day

// Reviews asks for reviews of emergency access and takes their answers. All fields are needed.
type Reviews struct {
	DB  *pg.DB
	Log *slog.Logger
	Now func() time.Time
}

// Review is an item whose access was granted at once. Within is the period for its review, as its plan states it.
type Review struct {
	Request *accessrequest.AccessRequest
	Item    *accessrequest.AccessRequestItem
	Within  string // as the plan says
}

// AskReviewers notes a review at each item and creates its decision task.
func AskReviewers(ctx context.Context, tx *pg.Tx, b *change.Set, reviews []Review) error {
	var questions []decision.New
	for _, v := range reviews {
		due := b.Now.Add(defaultReviewPeriod)
		if d := term.Duration(v.Within); d > 0 {
			due = b.Now.Add(d)
		}
		v.Item.Review = &accessrequest.EmergencyReview{
			TaskID: accessrequest.NewID(),
			State:  "open",
			DueAt:  due,
			Told:   []string{},
		}
		people, err := overseers(ctx, tx, v.Item)
		if err != nil {
			return err
		}
		q := reviewQuestion(v.Request, v.Item, people)
		for _, slot := range slotsOf(v.Item) {
			v.Item.Review.Told = append(v.Item.Review.Told, slot.Display)
		}
		slices.Sort(v.Item.Review.Told)
		v.Item.Review.Told = slices.Compact(v.Item.Review.Told)
		questions = append(questions, q)
	}
	if len(questions) == 0 {
		return nil
	}
	_, err := decision.Ask(ctx, tx, questions)
	return err
}

// seat is somebody who would have been asked.
type seat struct{ identity, role, Display string }

// slotsOf are all whom the item's plan would have asked.
func slotsOf(item *accessrequest.AccessRequestItem) []seat {
	var all []seat
	for _, stage := range item.Plan.Stages {
		for _, group := range stage.Groups {
			for _, slot := range group.Slots {
				all = append(all, seat{slot.IdentityID, slot.Role, slot.Display})
			}
		}
	}
	return all
}

// overseers are the person's manager and the owners of the thing.
func overseers(ctx context.Context, tx *pg.Tx, item *accessrequest.AccessRequestItem) ([]string, error) {
	const sql = `
		select x.id::text
		  from (select i.manager_id as id from identity i where i.id = $1
		         union
		        select unnest(r.owner_ids) from role r where r.id = $2
		         union
		        select unnest(e.owner_ids) from entitlement e where e.id = $3) x
		 where x.id is not null
		   and unable_to_decide(x.id) = ''
		 order by 1`
	return pg.All[string](ctx, tx, "find who oversees access", sql, item.BeneficiaryID, item.RoleID, item.EntitlementID)
}

// reviewQuestion asks about access that was given at once. Administrators are asked too when there is nobody else, or
// nobody has answered.
func reviewQuestion(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem,
	people []string) decision.New {
	q := decision.New{
		ID:      item.Review.TaskID,
		Kind:    KindReview,
		Key:     item.ID,
		Subject: decision.Ref{Type: "access_request_item", ID: item.ID, Display: item.Display},
		Source:  decision.Ref{Type: "access_request", ID: r.ID, Display: r.Number},
		Title:   fmt.Sprintf("Emergency access of %s to %s", r.RequestedFor.Display, item.Display),
		Summary: fmt.Sprintf(
			"%s was given to %s at once, without approval, because: %s. Confirm that it was right, or have it ended.",
			item.Display,
			r.RequestedFor.Display,
			strings.TrimRight(strings.TrimSpace(r.Justification), "."),
		),
		Actions: []decision.Action{
			{Key: "confirm", Label: "It was right", Style: "positive", Requires: []string{}},
			{Key: "revoke", Label: "End the access", Style: "negative", Requires: []string{"comment"}}},
		NotFor:   r.Parties(item),
		Priority: "high",
		DueAt:    &item.Review.DueAt,
		Context: map[string]any{
			"request_id":         r.ID,
			"item_id":            item.ID,
			"number":             r.Number,
			"justification":      r.Justification,
			"external_reference": r.ExternalReference,
			"requested_by":       r.RequestedBy,
			"requested_for":      r.RequestedFor,
			"what":               item.Display,
			"duration":           item.Duration,
			"ends_at":            item.EndsAt,
			"limits":             item.Limits,
		},
		Links: []decision.Ref{{Type: "access_request", ID: r.ID, Display: r.Number}},
	}
	if item.RiskLevel != nil {
		q.RiskLevel = *item.RiskLevel
	}
	for _, slot := range slotsOf(item) {
		if slot.identity != "" {
			people = append(people, slot.identity)
		} else if slot.role != "" {
			q.Roles = append(q.Roles, slot.role)
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(people))) {
		q.Assignees = append(q.Assignees, decision.Assignee{IdentityID: id})
	}
	if item.Review.Escalate {
		q.Roles, q.Priority = append(q.Roles, string(viewer.Admin)), "urgent"
	}
	slices.Sort(q.Roles)
	q.Roles = slices.Compact(q.Roles)
	return q
}

// Answer records what reviewers decided. A revocation ends the access.
func (s *Reviews) Answer(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	ids := make([]string, len(answered))
	for i, a := range answered {
		ids[i] = a.Task.Subject.ID
	}
	if err := change.LockFulfilments(ctx, tx, ids); err != nil {
		return nil, err
	}
	b, err := change.OpenItems(ctx, tx, ids, s.Now())
	if err != nil {
		return nil, err
	}
	for _, a := range answered {
		r, item := b.Item(a.Task.Subject.ID)
		if r == nil || item.Review == nil {
			return nil, fmt.Errorf("the review %s is about no emergency access", a.Task.ID)
		}
		d := a.Decision
		item.Review.By, item.Review.At, item.Review.Comment = &d.By, &d.At, d.Comment
		if d.Action == "revoke" {
			item.Review.State = "revoked"
			why := "ended by the review of emergency access: " + d.Comment
			if item.IsLive() {
				b.EndAccess(why, item.ID)
			}
		} else {
			item.Review.State = "confirmed"
		}
		b.Note(r, item, "reviewed", item.Display+": "+item.Review.State+term.Prefixed(": ", d.Comment))
		b.Audit(r, accessrequest.AuditReviewed, item, cmp.Or(d.Comment, item.Review.State))
	}
	return make([]error, len(answered)), b.Apply(ctx, tx)
}
