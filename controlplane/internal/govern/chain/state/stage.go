package state

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// Count is how many must agree in a group. All are those who have answered and those who are asked by the rule; who
// was added since nobody answered stands in for one of them.
func (s *Stage) Count(group, needed int, mode string) int {
	if mode != modeAll {
		return needed
	}
	n := 0
	for _, each := range s.Slots {
		if each.Group == group && each.State != SlotSuperseded &&
			(each.State != SlotOpen || each.Via != decision.Escalation) {
			n++
		}
	}
	return max(1, n)
}

// SharedTask is a task that asks people of a stage and is still open.
func (s *Stage) SharedTask() string {
	for _, each := range s.Open() {
		if each.TaskID != nil && each.IdentityID != nil {
			return *each.TaskID
		}
	}
	return ""
}

// Asks says whether somebody is asked in a group already, or has been.
func (s *Stage) Asks(group int, identityID string) bool {
	return slices.ContainsFunc(s.Slots, func(o *Slot) bool {
		return o.Group == group && o.State != SlotSuperseded && o.IdentityID != nil && *o.IdentityID == identityID
	})
}

// EscalationDone is an escalation that happened.
type EscalationDone struct {
	// Time of the escalation.
	At time.Time `json:"at"`
	// Action of the escalation: add or replace approvers; skip, approve or reject the step; use_rule: continue by
	// another approval rule.
	Action string `json:"action"`
	// New approvers, as identity IDs or as role: with the name of a role. Empty if there are none.
	To []string `json:"to" nullable:"false"`
}

// LogEntry is one step of a stage.
type LogEntry struct {
	// Time of the log entry.
	At time.Time `json:"at"`
	// Kind of log entry, such as opened, answered, approved, rejected, reminded, escalated or reassigned.
	Step string `json:"step"`
	// Explanation of the log entry, in plain words.
	Detail string `json:"detail"`
}

// Replace ends the open slots of a group but those of people who stay.
func (s *Stage) Replace(group int, stay []approval.PlanSlot) {
	for _, each := range s.Open() {
		if each.Group == group && !slices.ContainsFunc(stay, each.Is) {
			each.State = SlotSuperseded
		}
	}
}

// Stage is one stage of a flow.
type Stage struct {
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

	Slots []*Slot `db:"-"`
	Was   *Stage  `db:"-"` // as it was read; nil: it is new
}

// Changed says whether a stage has to be written.
func (s *Stage) Changed() bool {
	now := *s
	now.Was, now.Slots = nil, nil
	return s.Was == nil || !reflect.DeepEqual(now, *s.Was)
}

// Open are the slots that have no answer yet.
func (s *Stage) Open() (list []*Slot) {
	for _, each := range s.Slots {
		if each.State == SlotOpen {
			list = append(list, each)
		}
	}
	return list
}

// OpenTasks are the tasks of slots that have no answer yet, each once.
func (s *Stage) OpenTasks() (ids []string) {
	seen := map[string]bool{}
	for _, each := range s.Open() {
		if each.TaskID != nil && !seen[*each.TaskID] {
			seen[*each.TaskID] = true
			ids = append(ids, *each.TaskID)
		}
	}
	return ids
}

// AskedNames names those who are asked by open slots, and how they came to be if not by the rule itself.
func AskedNames(slots []*Slot) string {
	var list []string
	for _, s := range slots {
		if s.State != SlotOpen {
			continue
		}
		name := s.Display
		if name == "" {
			name = s.Key()
		}
		if s.Via != decision.Direct {
			name += " (" + s.Via + ")"
		}
		list = append(list, name)
	}
	if len(list) == 0 {
		return "nobody"
	}
	return strings.Join(list, ", ")
}

// Rejection is why a stage was rejected, in the words of who did.
func Rejection(st *Stage) string {
	var reason string
	for _, s := range st.Slots {
		if s.State == SlotRejected && s.DecidedBy != nil {
			if s.Comment != "" {
				return s.Comment
			}
			reason = fmt.Sprintf("%s rejected it", s.DecidedBy.Display)
		}
	}
	return reason
}
