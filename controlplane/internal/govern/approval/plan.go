package approval

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Subject is one thing that is asked for.
type Subject struct {
	BeneficiaryID     string     `json:"beneficiary_id"`
	RequesterID       string     `json:"requester_id,omitempty"` // identity of whoever asks; empty: an integration
	ForAnother        bool       `json:"for_another,omitempty"`  // by a service token that another person created
	Kind              string     `json:"kind"`                   // grant, extend, revoke, return
	Urgency           string     `json:"urgency"`                // normal, emergency
	RoleID            *string    `json:"role_id,omitempty"`
	EntitlementID     *string    `json:"entitlement_id,omitempty"`
	StartsAt          *time.Time `json:"starts_at,omitempty"`
	EndsAt            *time.Time `json:"ends_at,omitempty"`
	Duration          string     `json:"duration,omitempty"` // ISO 8601; empty: without a limit
	Justification     string     `json:"justification,omitempty"`
	ExternalReference string     `json:"external_reference,omitempty"`
	// identities that the requester has chosen, for requester_choice
	Approvers []string `json:"approvers,omitempty"`
}

// Outcomes of a rule.
const (
	Chain       = "chain"
	AutoApprove = "auto_approve"
	AutoReject  = "auto_reject"
)

// Plan is who must agree to one thing.
type Plan struct {
	Rule                     RuleRef      `json:"rule"`
	Outcome                  string       `json:"outcome" enum:"chain,auto_approve,auto_reject"`
	Reason                   string       `json:"reason,omitempty" doc:"Of an automatic outcome."`
	Stages                   []PlanStage  `json:"stages" nullable:"false"`
	Distinct                 bool         `json:"distinct_approvers"`
	SelfApproval             bool         `json:"self_approval"`
	RequireJustification     bool         `json:"require_justification"`
	RequireExternalReference bool         `json:"require_external_reference"`
	RequestTTL               string       `json:"request_ttl" doc:"How long it may stay unanswered."`
	Terms                    GrantTerms   `json:"terms"`
	Emergency                EmergencyWay `json:"emergency"`
	ExpectedAt               *time.Time   `json:"expected_at,omitempty" doc:"When the last stage is due."`
	Blocked                  bool         `json:"blocked" doc:"No approver can be found, not even an administrator."`
	Log                      []Step       `json:"resolution_log" nullable:"false"`
}

// RuleRef is the rule that spoke, and why.
type RuleRef struct {
	ID             string `json:"id,omitempty"` // empty: what comes with the product
	Name           string `json:"name"`
	Version        int    `json:"version"`
	Branch         int    `json:"branch" doc:"The number of its branch, from 0."`
	MatchedBecause string `json:"matched_because"`
}

// GrantTerms bound the access itself.
type GrantTerms struct {
	MaxDuration      string `json:"max_duration,omitempty"`
	DefaultDuration  string `json:"default_duration,omitempty"`
	AllowPermanent   bool   `json:"allow_permanent"`
	Extension        bool   `json:"extension_allowed"`
	ExtensionMax     string `json:"extension_max,omitempty"`
	ExtensionNeedsOK bool   `json:"extension_needs_approval"`
}

// EmergencyWay says whether it can be had at once, and what follows.
type EmergencyWay struct {
	Allowed          bool   `json:"allowed"`
	MaxDuration      string `json:"max_duration,omitempty"`
	PostReviewWithin string `json:"post_review_within,omitempty"`
}

// PlanStage is one step of a chain, resolved.
type PlanStage struct {
	Definition ApprovalStage `json:"definition"`
	Groups     []PlanGroup   `json:"groups" nullable:"false"`
	DueAt      *time.Time    `json:"due_at,omitempty" doc:"Expected, when every stage before takes all its time."`
	Satisfied  string        `json:"satisfied,omitempty" doc:"Why no approval is needed: all approvers of an earlier stage could have agreed."`
	Blocked    bool          `json:"blocked,omitempty" doc:"A group has no approver who can be asked."`
	Log        []Step        `json:"resolution_log,omitempty" doc:"Only for a stage that was resolved again. The value of a whole plan is in the plan."`
}

// PlanGroup are people of whom so many must agree.
type PlanGroup struct {
	Needed int        `json:"needed"`
	Slots  []PlanSlot `json:"slots" nullable:"false"`

	Unavailable []PlanAbsent `json:"unavailable,omitempty" doc:"People that the rule names here and who cannot decide at present."`
}

// PlanSlot is somebody who is asked: a person, or whoever has a role of the tenant.
type PlanSlot struct {
	IdentityID string `json:"identity_id,omitempty"`
	Role       string `json:"role,omitempty"` // admin, …: one of them answers for all
	Display    string `json:"display"`
	Via        string `json:"via" enum:"direct,delegate,fallback,escalation,reassigned"`
	ActingFor  string `json:"acting_for,omitempty"`
	Because    string `json:"because" doc:"Which resolver named them."`
	Agreed     bool   `json:"agreed_by_requesting,omitempty" doc:"The manager asks for this themselves: their own step counts as agreed."`
}

// Step is one thing that was considered.
type Step struct {
	Step   string `json:"step"`
	Detail string `json:"detail"`
}

// ApprovalStage is a step as a rule defines it.
type ApprovalStage struct {
	Name              string             `json:"name"`
	Groups            []ApproverGroup    `json:"groups" required:"false" nullable:"false"`
	RespondWithin     string             `json:"respond_within,omitempty" doc:"In working time."`
	CalendarID        string             `json:"calendar_id,omitempty"`
	Reminders         []string           `json:"reminders" required:"false" nullable:"false" doc:"How long before it is due, in working time."`
	Escalation        []EscalationStep   `json:"escalation" required:"false" nullable:"false"`
	Fallback          []ApproverResolver `json:"fallback" required:"false" nullable:"false"`
	AllowDelegation   *bool              `json:"allow_delegation,omitempty"`
	AllowReassign     *bool              `json:"allow_reassign,omitempty"`
	ReassignAllowList []string           `json:"reassign_allow_list" required:"false" nullable:"false"`
	RequireComment    string             `json:"require_comment,omitempty" enum:"none,reject,approve,both"`
	Wait              *StageWait         `json:"wait,omitempty"`
	DecisionWindow    *DecisionWindow    `json:"decision_window,omitempty"`
}

// ApproverGroup are resolvers, and how many of those they name must agree.
type ApproverGroup struct {
	Approvers []ApproverResolver `json:"approvers" nullable:"false"`
	Mode      string             `json:"mode" required:"false" enum:"any,all,quorum"`
	Quorum    int                `json:"quorum,omitempty"`
}

// ApproverResolver names people.
type ApproverResolver struct {
	Kind       string `json:"kind"`
	Level      int    `json:"level,omitempty"`
	IdentityID string `json:"identity_id,omitempty"`
	RoleID     string `json:"role_id,omitempty"`
	AppRole    string `json:"app_role,omitempty"`
	ScheduleID string `json:"schedule_id,omitempty"`
	Text       string `json:"text,omitempty"`
	From       any    `json:"from,omitempty"`
}

// EscalationStep is what happens when nobody answers.
type EscalationStep struct {
	After  string             `json:"after" doc:"Working time since the stage was opened."`
	Action string             `json:"action" enum:"add,replace,skip,approve,reject,use_rule"`
	To     []ApproverResolver `json:"to" required:"false" nullable:"false"`
	RuleID string             `json:"rule_id,omitempty"`
}

// StageWait is what a stage waits for before anybody is asked.
type StageWait struct {
	Kind      string `json:"kind" enum:"condition,duration,time_of_day,external"`
	Condition any    `json:"condition,omitempty"`
	Duration  string `json:"duration,omitempty"`
	At        string `json:"at,omitempty"`
	Timezone  string `json:"tz,omitempty"`
	Timeout   string `json:"timeout,omitempty"`
	OnTimeout string `json:"on_timeout,omitempty" enum:"continue,reject"`
}

// DecisionWindow is when a stage may be decided.
type DecisionWindow struct {
	Days     []string `json:"days" nullable:"false"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	Timezone string   `json:"tz"`
}

// Resolve finds the rule for each subject and resolves it. It writes nothing. The results are in the order of the
// subjects. A rule that demands what a subject lacks (a justification, a shorter duration) is not refused here: the
// plan says what it demands.
func Resolve(ctx context.Context, tx *pg.Tx, subjects []Subject, at time.Time) ([]Plan, error) {
	b, err := loadBook(ctx, tx)
	if err != nil {
		return nil, err
	}
	cases, err := b.resolve(ctx, tx, subjects, nil, at)
	return plans(cases), err
}

func plans(cases []*asked) []Plan {
	list := make([]Plan, len(cases))
	for i, c := range cases {
		list[i] = c.plan
	}
	return list
}

// ResolveStage resolves the approvers of one stage anew, as the plan has defined it: who has approved in stages before
// is given, for plans that want distinct approvers.
func ResolveStage(
	ctx context.Context,
	tx *pg.Tx,
	s Subject,
	p Plan,
	stage int,
	approved []string,
	at time.Time,
) (PlanStage, error) {
	if stage < 0 || stage >= len(p.Stages) {
		return PlanStage{}, fmt.Errorf("the plan has no stage %d", stage)
	}
	def := p.Stages[stage].Definition
	c, o, err := again(ctx, tx, s, p, def, at)
	if err != nil {
		return PlanStage{}, err
	}
	for _, id := range approved {
		c.sure[id] = 0
	}
	c.stage = stage + 1
	out := PlanStage{Definition: def}
	out.Blocked = o.seats(c, &out)
	if out.Satisfied == "" {
		due := o.clock.due(def, at)
		out.DueAt = &due
	}
	out.Log = c.log
	return out, nil
}

// ResolvePeople resolves what an escalation names, without those who may not decide. Where it names nobody who can,
// administrators are asked, if there are any.
func ResolvePeople(
	ctx context.Context,
	tx *pg.Tx,
	s Subject,
	p Plan,
	to []ApproverResolver,
	via string,
	at time.Time,
) ([]PlanSlot, error) {
	def := ApprovalStage{Groups: []ApproverGroup{{Approvers: to}}}
	c, o, err := again(ctx, tx, s, p, def, at)
	if err != nil {
		return nil, err
	}
	b := &bench{o: o, c: c, delegation: true, slots: []PlanSlot{}}
	for _, r := range to {
		n := o.name(c, r)
		if found, _ := b.seat(n, via, 0); found == 0 && len(n.reserve) > 0 {
			b.seat(named{ids: n.reserve, because: n.because}, via, 0)
		}
	}
	if len(b.slots) == 0 {
		b.seat(named{role: admin, because: "fallback: there is no other approver"}, decision.Fallback, 0)
	}
	return b.slots, nil
}

// again reads what resolving a stage of a plan needs that was made before.
func again(ctx context.Context, tx *pg.Tx, s Subject, p Plan, def ApprovalStage, at time.Time) (*asked, *org, error) {
	b, err := loadBook(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	cases, o, err := b.begin(ctx, tx, []Subject{s}, at)
	if err != nil {
		return nil, nil, err
	}
	c := cases[0]
	c.plan = p
	c.plan.Stages = []PlanStage{{Definition: def}}
	return c, o, o.gather(ctx, tx, cases, at)
}

// Due counts working time from an instant, in a calendar; with an empty id in the tenant's usual one. Each 24 hours are
// a working day, and the rest is hours of work.
func Due(ctx context.Context, tx *pg.Tx, from time.Time, within time.Duration, calendarID string) (time.Time, error) {
	clock, err := Calendars(ctx, tx)
	if err != nil {
		return time.Time{}, err
	}
	return clock.Due(from, within, calendarID), nil
}
