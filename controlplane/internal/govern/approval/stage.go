package approval

// ApprovalStage is a step as a rule defines it.
type ApprovalStage struct {
	Name   string          `json:"name"`
	Groups []ApproverGroup `json:"groups" required:"false" nullable:"false"`
	// In working time.
	RespondWithin string `json:"respond_within,omitempty"`
	CalendarID    string `json:"calendar_id,omitempty"`
	// How long before it is due, in working time.
	Reminders         []string           `json:"reminders" required:"false" nullable:"false"`
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
	// Working time since the stage was opened.
	After  string             `json:"after"`
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

// Ways in which a group agrees.
const (
	ModeAny    = "any"
	ModeAll    = "all"
	ModeQuorum = "quorum"
)
