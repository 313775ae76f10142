package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Sizes of a replay.
const (
	maxReplayed = 5000 // items that are gone through, the newest first
	maxShown    = 100  // of those that differ
	replayChunk = 500
)

// ApprovalReplay asks what a rule would have said of past requests.
type ApprovalReplay struct {
	// A draft, among the rules that there are. Without it, the rules as they are now.
	Rule *rule.ApprovalRuleFields `json:"rule,omitempty"`
	// The rule that the draft replaces. Without a draft, the rule to replay.
	RuleID string `json:"rule_id,omitempty" format:"uuid"`
	// Requests that were submitted from this instant,
	From time.Time `json:"from"`
	// Only before this time. The default is now.
	To *time.Time `json:"to,omitempty"`
}

// ApprovalReplayed is what would differ, were the requests of a period made today.
type ApprovalReplayed struct {
	// Start of the period. Requests that were submitted at this time count.
	From time.Time `json:"from"`
	// End of the period. Requests that were submitted at this time do not count.
	To time.Time `json:"to"`
	// Number of request items that were resolved again, at most 5,000.
	Looked int `json:"items_looked_at"`
	// The period has more: the newest 5,000 were looked at.
	Limited bool `json:"limited"`
	// Of these, those that fall, or fell, under the rule.
	Under int `json:"items_under_rule"`
	// Number of items under the rule with the same outcome, stages and approvers as before.
	Same int `json:"same"`
	// Number of items under the rule with a different outcome, stages or approvers.
	Different int `json:"different"`
	// Number of items with a different outcome, such as auto_approve instead of chain.
	OutcomeDiffers int `json:"outcome_differs"`
	// Other stages, or more or fewer.
	StagesDiffer int `json:"stages_differ"`
	// The same stages with other people; the organisation may have changed since.
	ApproversDiffer int `json:"approvers_differ"`
	// Number of items under the rule for which no approver can be found today.
	WouldBeBlocked int `json:"would_be_blocked"`
	// The first 100 that differ.
	Items []ApprovalReplayedItem `json:"items" nullable:"false"`
}

// ApprovalReplayedItem is one thing that was asked for, as it went and as it would go.
type ApprovalReplayedItem struct {
	// ID of the access request.
	RequestID string `json:"request_id"`
	// Number of the access request, such as REQ-000123.
	Number string `json:"number"`
	// ID of the request item.
	ItemID string `json:"item_id"`
	// Display name of the requested role or entitlement at the time of the request.
	Display string `json:"display"`
	// Person for whom the access was requested.
	For accessrequest.AccessRequestParty `json:"requested_for"`
	// What was decided then.
	Decision *string `json:"decision"`
	// Approval plan at the time of the request.
	Before ApprovalReplayedWay `json:"before"`
	// Approval plan if the request were submitted now.
	After ApprovalReplayedWay `json:"after"`
	// What differs: outcome, stages or approvers.
	Differences []string `json:"differences" nullable:"false"`
}

// ApprovalReplayedWay is a way that a request goes.
type ApprovalReplayedWay struct {
	// ID of the approval rule. Absent for the built-in rule and for a draft that replaces no rule.
	RuleID string `json:"rule_id,omitempty"`
	// Display name of the approval rule.
	RuleName string `json:"rule_name"`
	// Outcome of the rule: chain, auto_approve or auto_reject.
	Outcome string `json:"outcome"`
	// Their names.
	Stages []string `json:"stages" nullable:"false"`
	// Of each stage, by name.
	Asked [][]string `json:"approvers" nullable:"false"`
	// Whether a stage has no approver who can be asked.
	Blocked bool `json:"blocked"`
}

// pastItem is an item of the past.
type pastItem struct {
	ApprovalReplayedItem
	subject approval.Subject
	plan    approval.Plan
}

// New prepares a replay. A replay without a rule or with an empty period is a fault.
func New(r ApprovalReplay, now time.Time) (ApprovalReplayed, error) {
	out := ApprovalReplayed{From: r.From, To: now, Items: []ApprovalReplayedItem{}}
	if r.To != nil {
		out.To = *r.To
	}
	switch {
	case r.Rule == nil && r.RuleID == "":
		return out, fault.New(fault.Invalid, "name the rule").
			With(fault.Field{Pointer: "#/rule", Code: "required", Detail: "a draft, or rule_id, or both"})
	case !out.From.Before(out.To):
		return out, fault.New(fault.Invalid, "the period ends before it begins").
			With(fault.Field{Pointer: "#/to", Code: "invalid", Detail: "an instant after from"})
	}
	return out, nil
}

// Run resolves the requests of the period again and counts the differences. It changes nothing but the audit log.
func (a *ApprovalReplayed) Run(ctx context.Context, tx *pg.Tx, r ApprovalReplay, now time.Time) error {
	past, err := a.past(ctx, tx)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(past, replayChunk) {
		plans, err := r.resolve(ctx, tx, part, now)
		if err != nil {
			return err
		}
		for i, p := range part {
			a.compare(p, plans[i], r)
		}
	}
	if len(past) == 0 { // a draft that is wrong is told, though there was nothing to try it on
		if _, err := r.resolve(ctx, tx, nil, now); err != nil {
			return err
		}
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  accessrequest.AuditReplayed,
			Subject: audit.Subject{Type: "approval_rule", ID: r.RuleID},
			Context: map[string]any{
				"from":      a.From,
				"to":        a.To,
				"items":     a.Looked,
				"different": a.Different,
			},
		},
	)
}

// resolve resolves items of the past.
func (r ApprovalReplay) resolve(ctx context.Context, tx *pg.Tx, part []pastItem,
	now time.Time) ([]approval.Plan, error) {
	subjects := make([]approval.Subject, len(part))
	for i, p := range part {
		subjects[i] = p.subject
	}
	if r.Rule != nil {
		draft := ruleset.Draft{ID: r.RuleID, ApprovalRuleFields: *r.Rule}
		draft.Enabled = true // what is tried is tried as if it were in use
		plans, err := ruleset.ResolveWith(ctx, tx, draft, subjects, now)
		return plans, draftFault(err)
	}
	const known = `select exists (select from approval_rule r where r.id = $1)`
	var is bool
	if err := tx.QueryRow(ctx, known, r.RuleID).Scan(&is); err != nil {
		return nil, fmt.Errorf("find approval rule: %w", err)
	}
	if !is {
		return nil, fault.New(fault.NotFound, "Approval rule %s was not found.", r.RuleID)
	}
	return resolution.Plans(ctx, tx, subjects, now)
}

// draftFault points to where the draft stands in the body.
func draftFault(err error) error {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return err
	}
	for i, field := range f.Fields {
		if rest, is := strings.CutPrefix(field.Pointer, "#/"); is && !strings.HasPrefix(rest, "rule/") {
			f.Fields[i].Pointer = "#/rule/" + rest
		}
	}
	return err
}

// past are the items of the period, the newest first.
func (a *ApprovalReplayed) past(ctx context.Context, tx *pg.Tx) ([]pastItem, error) {
	const sql = `
		select q.id::text, q.number, i.id::text, i.display, i.beneficiary_id::text, b.display_name, i.decision, i.plan,
		       coalesce(q.requester_id::text, ''), i.kind, q.urgency, i.role_id::text, i.entitlement_id::text,
		       i.starts_at, case when i.duration is null then i.ends_at end, coalesce(i.duration, ''), q.justification,
		           coalesce(q.external_reference, ''), q.approvers::text[]
		  from access_request q
		  join access_request_item i on i.request_id = q.id
		  join identity b on b.id = i.beneficiary_id
		 where q.submitted_at >= $1
		   and q.submitted_at < $2
		   and q.kind in ('grant', 'extend')
		   and (exists (select from role r where r.id = i.role_id) or exists (select from entitlement e
		       where e.id = i.entitlement_id))
		 order by q.id desc, i.position
		 limit $3`
	past, err := pg.AllBy(ctx, tx, "read past requests", func(row pgx.CollectableRow) (p pastItem, err error) {
		var serial int64
		s := &p.subject
		err = row.Scan(
			&p.RequestID,
			&serial,
			&p.ItemID,
			&p.Display,
			&s.BeneficiaryID,
			&p.For.Display,
			&p.Decision,
			&p.plan,
			&s.RequesterID,
			&s.Kind,
			&s.Urgency,
			&s.RoleID,
			&s.EntitlementID,
			&s.StartsAt,
			&s.EndsAt,
			&s.Duration,
			&s.Justification,
			&s.ExternalReference,
			&s.Approvers,
		)
		p.Number, p.For.ID = accessrequest.Number(serial), s.BeneficiaryID
		return p, err
	}, sql, a.From, a.To, maxReplayed+1)
	if err != nil {
		return nil, err
	}
	if len(past) > maxReplayed {
		past, a.Limited = past[:maxReplayed], true
	}
	a.Looked = len(past)
	return past, nil
}
