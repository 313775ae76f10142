package approval

// ApprovalStage is a step as a rule defines it.
type ApprovalStage struct {
	// Display name of the stage, at most 200 characters.
	Name string `json:"name"`
	// Groups of approvers, 1 to 10. All groups must approve.
	Groups []ApproverGroup `json:"groups" required:"false" nullable:"false"`
	// In working time.
	RespondWithin string `json:"respond_within,omitempty"`
	// ID of the calendar in which the working time of the stage is counted. Absent: the usual calendar.
	CalendarID string `json:"calendar_id,omitempty"`
	// How long before it is due, in working time.
	Reminders []string `json:"reminders" required:"false" nullable:"false"`
	// Steps that are taken one after another while the stage is undecided, at most 20.
	Escalation []EscalationStep `json:"escalation" required:"false" nullable:"false"`
	// Approvers who are asked if others cannot be found or cannot decide. The default is the administrators.
	Fallback []ApproverResolver `json:"fallback" required:"false" nullable:"false"`
	// Whether delegates can decide for the approvers. The default is true.
	AllowDelegation *bool `json:"allow_delegation,omitempty"`
	// Whether an approval can be reassigned to another person. The default is true.
	AllowReassign *bool `json:"allow_reassign,omitempty"`
	// IDs of the identities to whom an approval can be reassigned. Empty: no restriction.
	ReassignAllowList []string `json:"reassign_allow_list" required:"false" nullable:"false"`
	// Decisions that need a comment. The default is reject.
	RequireComment string `json:"require_comment,omitempty" enum:"none,reject,approve,both"`
	// Condition, time or event for which the stage waits before its approvers are asked. Absent: no wait.
	Wait *StageWait `json:"wait,omitempty"`
	// Days and hours in which the stage can be decided. Absent: at any time.
	DecisionWindow *DecisionWindow `json:"decision_window,omitempty"`
}

// ApproverGroup are resolvers, and how many of those they name must agree.
type ApproverGroup struct {
	// Resolvers that name the approvers of the group, 1 to 50.
	Approvers []ApproverResolver `json:"approvers" nullable:"false"`
	// How many approvers of the group must approve. any: one of them. all: each of them. quorum: the number in quorum.
	// The default is any.
	Mode string `json:"mode" required:"false" enum:"any,all,quorum"`
	// Number of approvals that the mode quorum needs. Absent for the other modes.
	Quorum int `json:"quorum,omitempty"`
}

// ApproverResolver names people.
type ApproverResolver struct {
	// Source of the approvers: manager, role_owner, entitlement_owner, connector_owner, resource_owner, sponsor,
	// identity, group, app_role, expression, requester_choice or on_call.
	Kind string `json:"kind"`
	// Level of the manager, for the kind manager. 1 is the direct manager, 5 the highest level. The default is 1.
	Level int `json:"level,omitempty"`
	// ID of the identity that approves, for the kind identity.
	IdentityID string `json:"identity_id,omitempty"`
	// ID of the role whose members approve, for the kind group.
	RoleID string `json:"role_id,omitempty"`
	// Role of the tenant whose users approve, for the kind app_role. One of admin, auditor, manager and resource_owner.
	AppRole string `json:"app_role,omitempty"`
	// ID of the on-call schedule, for the kind on_call. The person on call approves.
	ScheduleID string `json:"schedule_id,omitempty"`
	// Expression that returns an ID, external ID or e-mail address, or a list of them, for the kind expression.
	Text string `json:"text,omitempty"`
	// Condition that approvers chosen by the requester must meet, for the kind requester_choice.
	From any `json:"from,omitempty"`
}

// EscalationStep is what happens when nobody answers.
type EscalationStep struct {
	// Working time since the stage was opened.
	After string `json:"after"`
	// Action of the step. add and replace: other approvers are asked. skip: the stage is skipped. approve: the stage
	// counts as approved. reject: the request item is rejected. use_rule: another rule decides.
	Action string `json:"action" enum:"add,replace,skip,approve,reject,use_rule"`
	// Approvers who are asked, for the actions add and replace. Empty for the other actions.
	To []ApproverResolver `json:"to" required:"false" nullable:"false"`
	// ID of the approval rule that decides instead, for the action use_rule.
	RuleID string `json:"rule_id,omitempty"`
}

// StageWait is what a stage waits for before anybody is asked.
type StageWait struct {
	// What ends the wait. condition: the condition is met. duration: the time has passed. time_of_day: the time of the
	// day is reached. external: a decision task is answered.
	Kind string `json:"kind" enum:"condition,duration,time_of_day,external"`
	// Condition about the person who gets the access, for the kind condition.
	Condition any `json:"condition,omitempty"`
	// Length of the wait as an ISO 8601 duration, for the kind duration.
	Duration string `json:"duration,omitempty"`
	// Time of the day as HH:MM, for the kind time_of_day.
	At string `json:"at,omitempty"`
	// IANA time zone name of the time in at, for the kind time_of_day.
	Timezone string `json:"tz,omitempty"`
	// Longest wait, as an ISO 8601 duration. Required for the kinds condition and external.
	Timeout string `json:"timeout,omitempty"`
	// What happens after the longest wait. continue: the approvers are asked. reject: the request item is rejected. The
	// default is reject.
	OnTimeout string `json:"on_timeout,omitempty" enum:"continue,reject"`
}

// DecisionWindow is when a stage may be decided.
type DecisionWindow struct {
	// Days of the week on which the stage can be decided, such as monday.
	Days []string `json:"days" nullable:"false"`
	// Time of the day from which the stage can be decided, as HH:MM.
	From string `json:"from"`
	// Time of the day until which the stage can be decided, as HH:MM. 24:00 is the end of the day.
	To string `json:"to"`
	// IANA time zone name of the hours in from and to.
	Timezone string `json:"tz"`
}

// Ways in which a group agrees.
const (
	ModeAny    = "any"
	ModeAll    = "all"
	ModeQuorum = "quorum"
)
