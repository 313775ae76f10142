package request

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// KindReview is the kind of the tasks that review emergency access.
const KindReview = "emergency_review"

// usualReview is within which time emergency access is reviewed where the rule does not say.
const usualReview = span.Day

// Answers are the kinds of task that this room asks itself.
func (s *Service) Answers() map[string]decision.Answer {
	return map[string]decision.Answer{KindReview: s.answerReview}
}

// review is an item that was given at once, on its way to those who would have been asked before.
type review struct {
	of   *AccessRequest
	item *AccessRequestItem
	wish *wish
}

// due is when administrators are asked too; nil: they are, or nobody need be.
func (r *EmergencyReview) due() *time.Time {
	if r == nil || r.State != "open" || r.Escalate {
		return nil
	}
	return &r.DueAt
}

// askForReviews tells those who were passed over, and asks them what they say to it.
func (s *Service) askForReviews(ctx context.Context, tx *pg.Tx, b *book, reviews []review) error {
	var questions []decision.New
	for _, v := range reviews {
		due := b.now.Add(usualReview)
		if d := length(v.wish.plan.Emergency.PostReviewWithin); d > 0 {
			due = b.now.Add(d)
		}
		v.item.Review = &EmergencyReview{TaskID: newID(), State: "open", DueAt: due, Told: []string{}}
		people, err := overseers(ctx, tx, v.item)
		if err != nil {
			return err
		}
		q := v.of.reviewQuestion(v.item, people)
		for _, slot := range slotsOf(v.item) {
			v.item.Review.Told = append(v.item.Review.Told, slot.Display)
		}
		slices.Sort(v.item.Review.Told)
		v.item.Review.Told = slices.Compact(v.item.Review.Told)
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
func slotsOf(item *AccessRequestItem) []seat {
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
func overseers(ctx context.Context, tx *pg.Tx, item *AccessRequestItem) ([]string, error) {
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
	rows, err := tx.Query(ctx, sql, item.BeneficiaryID, item.RoleID, item.EntitlementID)
	if err != nil {
		return nil, fmt.Errorf("find who oversees access: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find who oversees access: %w", err)
	}
	return ids, nil
}

// reviewQuestion asks about access that was given at once. Administrators are asked too when there is nobody else, or
// nobody has answered.
func (r *AccessRequest) reviewQuestion(item *AccessRequestItem, people []string) decision.New {
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
		NotFor:   r.askers(item),
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

// askers never decide about the item: the person it is for, and the requester by each of their ids.
func (r *AccessRequest) askers(item *AccessRequestItem) []string {
	out := append([]string{item.BeneficiaryID}, r.RequestedBy.Parties()...)
	for _, id := range []*string{r.RequesterID, r.ActorID} {
		if id != nil {
			out = append(out, *id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// answerReview is told what reviewers say.
func (s *Service) answerReview(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	ids := make([]string, len(answered))
	for i, a := range answered {
		ids[i] = a.Task.Subject.ID
	}
	if err := lockGiven(ctx, tx, ids); err != nil {
		return nil, err
	}
	b, err := openItems(ctx, tx, ids, s.Now())
	if err != nil {
		return nil, err
	}
	for _, a := range answered {
		r, item := b.item(a.Task.Subject.ID)
		if r == nil || item.Review == nil {
			return nil, fmt.Errorf("the review %s is about no emergency access", a.Task.ID)
		}
		d := a.Decision
		item.Review.By, item.Review.At, item.Review.Comment = &d.By, &d.At, d.Comment
		if d.Action == "revoke" {
			item.Review.State = "revoked"
			why := "ended by the review of emergency access: " + d.Comment
			if item.live() {
				b.endings[why] = append(b.endings[why], item.ID)
			}
		} else {
			item.Review.State = "confirmed"
		}
		b.note(r, item, "reviewed", item.Display+": "+item.Review.State+orBlank(": ", d.Comment))
		b.audit(r, actReviewed, item, cmpText(d.Comment, item.Review.State))
	}
	return make([]error, len(answered)), b.close(ctx, tx)
}

// lockGiven locks what was given by items before their requests are, as fulfilment does.
func lockGiven(ctx context.Context, tx *pg.Tx, itemIDs []string) error {
	const sql = `select from fulfilment f where f.item_id = any($1::text[]::uuid[]) order by f.item_id for update`
	if _, err := tx.Exec(ctx, sql, itemIDs); err != nil {
		return fmt.Errorf("lock what was given: %w", err)
	}
	return nil
}

func orBlank(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
