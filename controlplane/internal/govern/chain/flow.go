package chain

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// States of a chain beside the results of which they bear the names.
const (
	running   = "running"
	cancelled = "cancelled"
)

// States of a stage.
const (
	stageWaiting   = "waiting"
	stageOpen      = "open"
	stageApproved  = "approved"
	stageRejected  = "rejected"
	stageSkipped   = "skipped"
	stageExpired   = "expired"
	stageCancelled = "cancelled"
)

// States of a slot.
const (
	slotOpen       = "open"
	slotApproved   = "approved"
	slotRejected   = "rejected"
	slotSuperseded = "superseded"
)

// shown is what approvers are shown of a matter, beside what is looked up when they are asked.
type shown struct {
	What        decision.Ref   `json:"what"`
	Who         decision.Ref   `json:"who"`
	RequestedBy decision.Actor `json:"requested_by"`
	Context     map[string]any `json:"context,omitempty"`
	RiskLevel   string         `json:"risk_level,omitempty"`
}

// flow is one chain in somebody's hands: it is read, changed in memory and written back by work.
type flow struct {
	ItemID    string           `db:"item_id"`
	RequestID string           `db:"request_id"`
	Number    string           `db:"number"`
	Subject   approval.Subject `db:"subject"`
	Plan      approval.Plan    `db:"plan"`
	Shown     shown            `db:"shown"`
	State     string           `db:"state"`
	Stage     int              `db:"stage"` // the one that is open, or waits to be
	StartsAt  *time.Time       `db:"starts_at"`
	EndsAt    *time.Time       `db:"ends_at"`
	ExpiresAt time.Time        `db:"expires_at"`
	LookAt    time.Time        `db:"look_at"`
	Turned    bool             `db:"turned"`
	LeftTasks []string         `db:"left_tasks"`
	ClosedAt  *time.Time       `db:"closed_at"`

	steps []*step
	isNew bool
	plans bool // the plan is another one: it has to be written

	touchedAt time.Time
}

// step is one stage of a flow.
type step struct {
	ItemID      string           `db:"item_id"`
	Stage       int              `db:"stage"`
	State       string           `db:"state"`
	Needed      []int32          `db:"needed"`
	WaitSince   *time.Time       `db:"wait_since"`
	WaitUntil   *time.Time       `db:"wait_until"`
	WaitTask    *string          `db:"wait_task"`
	Waited      bool             `db:"waited"`
	OpenedAt    *time.Time       `db:"opened_at"`
	DueAt       *time.Time       `db:"due_at"`
	ClosedAt    *time.Time       `db:"closed_at"`
	RemindAt    []time.Time      `db:"remind_at"`
	Reminded    int              `db:"reminded"`
	EscalateAt  []time.Time      `db:"escalate_at"`
	Escalated   int              `db:"escalated"`
	Escalations []EscalationDone `db:"escalations"`

	slots []*slot
	was   *step // as it was read; nil: it is new
}

// slot is somebody who is asked.
type slot struct {
	ID         string          `db:"id"`
	ItemID     string          `db:"item_id"`
	Stage      int             `db:"stage"`
	Group      int             `db:"group_index"`
	IdentityID *string         `db:"identity_id"`
	Role       string          `db:"role"`
	Display    string          `db:"display"`
	Via        string          `db:"via"`
	ActingFor  *string         `db:"acting_for"`
	Because    string          `db:"because"`
	TaskID     *string         `db:"task_id"`
	State      string          `db:"state"`
	DecidedAt  *time.Time      `db:"decided_at"`
	DecidedBy  *decision.Actor `db:"decided_by"`
	Comment    string          `db:"comment"`

	was *slot // as it was read; nil: it is new
}

// changed says whether a stage has to be written.
func (s *step) changed() bool {
	now := *s
	now.was, now.slots = nil, nil
	return s.was == nil || !reflect.DeepEqual(now, *s.was)
}

// changed says whether a slot has to be written.
func (s *slot) changed() bool {
	now := *s
	now.was = nil
	return s.was == nil || now != *s.was
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// live says whether somebody's answer is still waited for.
func (f *flow) live() bool { return f.State == running || f.State == Blocked }

// now is the stage that is open or waits to be; nil when there is none.
func (f *flow) now() *step {
	if f.Stage < len(f.steps) {
		return f.steps[f.Stage]
	}
	return nil
}

// definition is how a stage is defined.
func (f *flow) definition(stage int) approval.ApprovalStage {
	if stage < len(f.Plan.Stages) {
		return f.Plan.Stages[stage].Definition
	}
	return approval.ApprovalStage{}
}

// key is what a task of the chain asks. It names the task itself, so that no other is ever brought up to date by
// mistake: there is one for each slot because whoever holds the chain's row lock asks.
func (f *flow) key(stage int, taskID string) string {
	return fmt.Sprintf("%s:%d:%s", f.ItemID, stage, taskID)
}

// newSlot makes a slot of what was resolved.
func (f *flow) newSlot(stage, group int, p approval.PlanSlot) *slot {
	s := &slot{
		ID:      newID(),
		ItemID:  f.ItemID,
		Stage:   stage,
		Group:   group,
		Role:    p.Role,
		Display: p.Display,
		Via:     p.Via,
		Because: p.Because,
		State:   slotOpen,
	}
	if p.IdentityID != "" {
		s.IdentityID = &p.IdentityID
	}
	if p.ActingFor != "" {
		s.ActingFor = &p.ActingFor
	}
	if s.Via == "" {
		s.Via = decision.Direct
	}
	return s
}

// seated is newSlot, answered at once where the person agreed by requesting.
func (w *work) seated(f *flow, stage, group int, p approval.PlanSlot) *slot {
	s := f.newSlot(stage, group, p)
	if !p.Agreed {
		return s
	}
	by := f.Shown.RequestedBy
	by.IdentityID = p.IdentityID
	s.State, s.DecidedAt, s.DecidedBy = slotApproved, &w.now, &by
	w.log(f, stage, "agreed_by_requesting", "%s (%s) agreed by requesting", p.Display, p.Because)
	w.audit(f, didAgree, "", map[string]any{"agreed": p.Display, "because": p.Because})
	return s
}

// byRequesting reports whether the request was the answer: no task ever asked for it.
func (s *slot) byRequesting() bool { return s.State == slotApproved && s.TaskID == nil }

// who is the same for two slots that ask the same person, or the same role.
func (s *slot) who() string {
	if s.IdentityID != nil {
		return *s.IdentityID
	}
	return "role:" + s.Role
}

// same reports whether two decisions were made by one person. For whom they acted does not matter here.
func same(a, b decision.Actor) bool {
	a.ActingFor, b.ActingFor = nil, nil
	return viewer.SamePerson(a.Parties(), b.Parties())
}

// open are the slots that have no answer yet.
func (s *step) open() (list []*slot) {
	for _, each := range s.slots {
		if each.State == slotOpen {
			list = append(list, each)
		}
	}
	return list
}

// openTasks are the tasks of slots that have no answer yet, each once.
func (s *step) openTasks() (ids []string) {
	seen := map[string]bool{}
	for _, each := range s.open() {
		if each.TaskID != nil && !seen[*each.TaskID] {
			seen[*each.TaskID] = true
			ids = append(ids, *each.TaskID)
		}
	}
	return ids
}

// approvers are those who agreed in stages other than one; their identities, where they have any.
func (f *flow) approvers(but int) (ids []string) {
	seen := map[string]bool{}
	for _, st := range f.steps {
		for _, s := range st.slots {
			if st.Stage == but || s.State != slotApproved || s.DecidedBy == nil || s.DecidedBy.IdentityID == "" ||
				seen[s.DecidedBy.IdentityID] {
				continue
			}
			seen[s.DecidedBy.IdentityID] = true
			ids = append(ids, s.DecidedBy.IdentityID)
		}
	}
	return ids
}

// excluded are the people who never decide about the matter.
func (f *flow) excluded() []string {
	if f.Plan.SelfApproval {
		return nil
	}
	ids := []string{f.Subject.BeneficiaryID}
	if r := f.Subject.RequesterID; r != "" && r != f.Subject.BeneficiaryID {
		ids = append(ids, r)
	}
	return ids
}

// notFor are those whom the inbox never lets decide: the people who are excluded, and the requester by each of their
// ids.
func (f *flow) notFor() []string {
	ids := f.excluded()
	if len(ids) == 0 {
		return nil
	}
	for _, id := range f.Shown.RequestedBy.Parties() {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
