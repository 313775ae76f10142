package request

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// AccessRequestForesight is what would become of a request.
type AccessRequestForesight struct {
	Items      []ForeseenItem `json:"items" nullable:"false"`
	ExpectedAt *time.Time     `json:"expected_at" doc:"The time by which all approvers should have answered, if each uses all of their time. Null: no approval is needed."`
}

// AccessRequestPreview is what would become of a request, and what stands against it.
type AccessRequestPreview struct {
	AccessRequestForesight
	Submittable bool                   `json:"submittable" doc:"Nothing stands against it."`
	Problems    []AccessRequestProblem `json:"problems" nullable:"false" doc:"Everything that a submission would be refused for."`
}

// AccessRequestProblem is something that stands against a request.
type AccessRequestProblem struct {
	Status  int            `json:"status" example:"409" doc:"What a submission would be answered."`
	Code    string         `json:"code" example:"already_held"`
	Detail  string         `json:"detail"`
	Pointer string         `json:"pointer,omitempty" example:"#/requested_resources/0"`
	More    map[string]any `json:"more,omitempty" doc:"What belongs to it: until, request_id, number, limit, …"`
}

// ForeseenItem is what would become of one thing.
type ForeseenItem struct {
	ItemID        string            `json:"item_id,omitempty" doc:"Once it was submitted."`
	RoleID        string            `json:"role_id,omitempty"`
	EntitlementID string            `json:"entitlement_id,omitempty"`
	Display       string            `json:"display"`
	Rule          AccessRequestRule `json:"rule"`
	Reason        string            `json:"reason,omitempty" doc:"Of an automatic outcome."`
	Stages        []ForeseenStage   `json:"stages" nullable:"false"`
	Blocked       bool              `json:"blocked" doc:"No approver can be asked at present. Administrators would be notified."`
	ExpectedAt    *time.Time        `json:"expected_at"`
	Duration      string            `json:"duration,omitempty" doc:"How long it would last, where that is limited."`
	StartsAt      *time.Time        `json:"starts_at"`
	EndsAt        *time.Time        `json:"ends_at"`
	Limits        []string          `json:"limits_applied" nullable:"false"`
	RespondWithin string            `json:"request_ttl,omitempty" doc:"How long it may stay unanswered."`
	EmergencyOpen bool              `json:"emergency_allowed" doc:"It can be had at once, with urgency emergency."`
	AlreadyHeld   *HeldAlready      `json:"already_held"`
	DuplicateOf   *AskedAlready     `json:"duplicate_of"`
}

// HeldAlready says that somebody has a thing.
type HeldAlready struct {
	Until *time.Time `json:"until" doc:"Null: without an end."`
	By    string     `json:"by" doc:"How they come to have it."`
}

// AskedAlready is a request that asks for the same.
type AskedAlready struct {
	RequestID string `json:"request_id"`
	Number    string `json:"number"`
	Status    string `json:"status"`
}

// ForeseenStage is a step of a chain, with the people who would be asked.
type ForeseenStage struct {
	Name      string          `json:"name"`
	Groups    []ForeseenGroup `json:"groups" nullable:"false" doc:"All of them must agree."`
	DueAt     *time.Time      `json:"due_at"`
	Satisfied string          `json:"satisfied,omitempty" doc:"Why no approval is needed."`
}

// ForeseenGroup are people of whom so many must agree.
type ForeseenGroup struct {
	Needed    int                `json:"needed"`
	Approvers []ForeseenApprover `json:"approvers" nullable:"false"`

	Unavailable []approval.PlanAbsent `json:"unavailable" nullable:"false" doc:"People whom the rule names and who cannot decide at present."`
}

// ForeseenApprover is somebody who would be asked.
type ForeseenApprover struct {
	IdentityID string `json:"identity_id,omitempty"`
	Role       string `json:"role,omitempty" doc:"Everyone with this role of the tenant."`
	Display    string `json:"display"`
	Via        string `json:"via" example:"direct" doc:"direct, delegate, fallback."`
	ActingFor  string `json:"acting_for,omitempty"`
	Because    string `json:"because"`
	Fallback   bool   `json:"fallback" doc:"Asked because no other approver was found."`
	Agreed     bool   `json:"agreed_by_requesting" doc:"The requester is this manager. The step counts as agreed, and no one is asked."`
}

// Preview says what would become of a request. It writes nothing, and refuses nothing that it can tell of instead.
func (s *Service) Preview(
	ctx context.Context,
	v viewer.Viewer,
	in NewAccessRequest,
) (out AccessRequestPreview, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d := draw(tx, in, "#")
		if err := examine(ctx, tx, []*draft{d}, false, s.Now()); err != nil {
			return err
		}
		for _, f := range d.faults {
			if f.Kind == fault.NotFound || f.Code == "not_allowed_to_ask_for" {
				return f // about people whom one may not ask for, there is nothing to foresee
			}
		}
		out = AccessRequestPreview{
			AccessRequestForesight: d.foresee(),
			Submittable:            len(d.faults) == 0,
			Problems:               d.problems(),
		}
		for i := range out.Items {
			out.Items[i].ItemID = "" // it has none before it is submitted
		}
		return nil
	})
	return out, err
}

// foresee is what would become of a draft.
func (d *draft) foresee() AccessRequestForesight {
	out := AccessRequestForesight{Items: []ForeseenItem{}}
	for _, w := range d.wishes {
		item := w.foresee(d.in)
		out.Items = append(out.Items, item)
		if item.ExpectedAt != nil && (out.ExpectedAt == nil || item.ExpectedAt.After(*out.ExpectedAt)) {
			out.ExpectedAt = item.ExpectedAt
		}
	}
	return out
}

func (w *wish) foresee(in NewAccessRequest) ForeseenItem {
	p := w.plan
	f := ForeseenItem{
		ItemID:        w.id,
		RoleID:        w.in.RoleID,
		EntitlementID: w.in.EntitlementID,
		Display:       w.thing.Display,
		Reason:        p.Reason,
		Stages:        []ForeseenStage{},
		Blocked:       p.Blocked,
		StartsAt:      w.starts,
		EndsAt:        w.ends,
		Limits:        w.limits,
		EmergencyOpen: p.Emergency.Allowed,
		Rule: AccessRequestRule{
			ID:             p.Rule.ID,
			Name:           p.Rule.Name,
			Version:        p.Rule.Version,
			RuleIndex:      p.Rule.Branch,
			MatchedBecause: p.Rule.MatchedBecause,
			Outcome:        p.Outcome,
		},
	}
	if f.Limits == nil {
		f.Limits = []string{}
	}
	if w.duration > 0 {
		f.Duration = span.Format(w.duration)
	}
	if w.held != nil && w.denied == nil {
		f.AlreadyHeld = &HeldAlready{w.held.Until, w.held.By}
	}
	if w.duplicate != nil {
		f.DuplicateOf = &AskedAlready{w.duplicate.RequestID, w.duplicate.Number, w.duplicate.Status}
	}
	if p.Outcome != approval.Chain {
		return f
	}
	for _, s := range p.Stages {
		f.Stages = append(f.Stages, foreseen(s))
	}
	f.RespondWithin = span.Format(w.ttl())
	if w.way(in) == approval.Chain {
		f.ExpectedAt = p.ExpectedAt
	}
	return f
}

func foreseen(s approval.PlanStage) ForeseenStage {
	out := ForeseenStage{Name: s.Definition.Name, Groups: []ForeseenGroup{}, DueAt: s.DueAt, Satisfied: s.Satisfied}
	for _, g := range s.Groups {
		group := ForeseenGroup{
			Needed:      g.Needed,
			Approvers:   []ForeseenApprover{},
			Unavailable: slices.Concat([]approval.PlanAbsent{}, g.Unavailable),
		}
		for _, slot := range g.Slots {
			group.Approvers = append(
				group.Approvers,
				ForeseenApprover{
					IdentityID: slot.IdentityID,
					Role:       slot.Role,
					Display:    slot.Display,
					Via:        slot.Via,
					ActingFor:  slot.ActingFor,
					Because:    slot.Because,
					Fallback:   slot.Via == "fallback",
					Agreed:     slot.Agreed,
				},
			)
		}
		out.Groups = append(out.Groups, group)
	}
	return out
}

// statuses are what refusals of each kind are answered.
var statuses = map[fault.Kind]int{fault.Forbidden: 403, fault.NotFound: 404, fault.Conflict: 409, fault.Invalid: 422}

// problems are everything that stands against a draft, one by one.
func (d *draft) problems() []AccessRequestProblem {
	out := []AccessRequestProblem{}
	for _, f := range d.faults {
		if len(f.Fields) == 0 {
			out = append(
				out,
				AccessRequestProblem{Status: statuses[f.Kind], Code: f.Code, Detail: f.Message, More: f.Extra},
			)
		}
		for _, field := range f.Fields {
			p := AccessRequestProblem{
				Status:  statuses[f.Kind],
				Code:    f.Code,
				Detail:  f.Message,
				Pointer: field.Pointer,
				More:    f.Extra,
			}
			if f.Kind == fault.Invalid {
				p.Code, p.Detail = field.Code, field.Detail
			}
			out = append(out, p)
		}
	}
	return out
}
