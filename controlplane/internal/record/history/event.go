package history

import "time"

// HistoryEvent is something that has happened.
type HistoryEvent struct {
	// ID of the event.
	ID string `json:"id"`
	// Time of the event.
	At time.Time `json:"at"`
	// Kind of the event: record (data of a person), state (status of a person), account, grant, reason (for a grant),
	// role, request. A provisioning event is a change in a target system; an audit event is an action of a user.
	Kind string `json:"kind" enum:"record,state,account,grant,reason,role,request,provisioning,audit"`
	// What it is: person.changed, grant.gained, reason.ended, … of an audit entry its action.
	Event string `json:"event"`
	// It in plain words.
	Text string `json:"text"`
	// Who did it, where that is known.
	Who *HistoryActor `json:"who"`
	// What it is about.
	Refs []HistoryRef `json:"refs" nullable:"false"`
	// What became different.
	Changes []HistoryChange `json:"changes" nullable:"false"`
	// What else belongs to it, such as what a target answered.
	Details map[string]any `json:"details"`
}

// HistoryActor is who did something.
type HistoryActor struct {
	// Type of the actor, such as user, service, agent or system.
	Type string `json:"type"`
	// ID of the actor. Absent if there is none.
	ID string `json:"id,omitempty"`
	// Display name of the actor.
	Display string `json:"display"`
}

// HistoryRef is what an event is about.
type HistoryRef struct {
	// Type of the record: identity, account, entitlement, grant, role, connector, sync_run, access_request,
	// provisioning_task or audit_event.
	Type string `json:"type"`
	// ID of the record.
	ID string `json:"id"`
	// Display name of the record. Absent if there is none, or if you cannot see the record.
	Display string `json:"display,omitempty"`
	// Where it can be read.
	Link string `json:"link,omitempty"`
}

// HistoryChange is a field that became different.
type HistoryChange struct {
	// Name of the field. For custom attributes and labels it begins with attributes. or labels. followed by the key.
	Field string `json:"field"`
	// Value of the field before the change. Null if there was none.
	Before any `json:"before"`
	// Value of the field after the change. Null if there is none.
	After any `json:"after"`
	// It names a record that you cannot see, so its values are omitted.
	Hidden bool `json:"hidden,omitempty"`
}

// after is the position of an event in the timeline's order.
func (e HistoryEvent) after() []string { return []string{e.At.UTC().Format(time.RFC3339Nano), e.ID} }

// row is an event as the database returns it.
type row struct {
	At    time.Time `db:"at"`
	ID    string    `db:"id"`
	Kind  string    `db:"kind"`
	Event string    `db:"event"`
	Data  data      `db:"data"`
}

// data is what the sources say of their events. Each fills what it knows.
type data struct {
	Before map[string]any `json:"before"`
	After  map[string]any `json:"after"`

	IdentityID    *string `json:"identity_id"`
	AccountID     *string `json:"account_id"`
	EntitlementID *string `json:"entitlement_id"`
	GrantID       *string `json:"grant_id"`
	ConnectorID   *string `json:"connector_id"`
	RoleID        *string `json:"role_id"`
	ReasonID      *string `json:"reason_id"`
	RunID         *string `json:"run_id"`
	TaskID        *string `json:"task_id"`
	RequestID     *string `json:"request_id"`

	Directness string         `json:"directness"`
	Ended      string         `json:"ended"`
	Came       bool           `json:"came"`
	AssignedBy string         `json:"assigned_by"`
	Operation  string         `json:"operation"`
	Class      string         `json:"class"`
	Error      map[string]any `json:"error"`
	Advice     string         `json:"advice"`
	Number     int64          `json:"number"`
	Status     string         `json:"status"`
	Decision   string         `json:"decision"`
	Why        string         `json:"why"`
	By         map[string]any `json:"by"`
	Seq        int64          `json:"seq"`
	Entry      string         `json:"entry"`
}
