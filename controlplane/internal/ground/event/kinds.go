package event

import "slices"

// Kind names what happened: resource.past-participle.
type Kind string

// The kinds of the specification.
const (
	IdentityCreated        Kind = "identity.created"
	IdentityUpdated        Kind = "identity.updated"
	IdentityDeactivated    Kind = "identity.deactivated"
	RequestSubmitted       Kind = "request.submitted"
	RequestApproved        Kind = "request.approved"
	RequestRejected        Kind = "request.rejected"
	CertificationCompleted Kind = "certification.completed"
	AgentOnline            Kind = "agent.online"
	AgentOffline           Kind = "agent.offline"
)

// Kinds beyond the specification's nine. Nobody is told of them who has not asked for them by name.
const (
	SyncHeld       Kind = "sync.held"
	OperatorAccess Kind = "tenant.operator_access"
	WritesStopped  Kind = "connector.writes_stopped"
	WritesResumed  Kind = "connector.writes_resumed"
	TaskReminded   Kind = "task.reminded"
)

// Described is a kind with its words for the reader.
type Described struct {
	// Name of the event type, as used in the events of a webhook.
	Kind Kind `json:"type"`
	// Group of event types that this one belongs to.
	Group string `json:"group"`
	// When events of this type occur.
	Description string `json:"description"`
	// Beyond the specification's nine kinds: only sent to who names it.
	OptIn bool `json:"opt_in"`
}

// Catalogue lists every kind. A room that publishes a new kind adds it here.
var Catalogue = []Described{
	{IdentityCreated, "identity", "A person or non-human identity became known, through the API or a sync.", false},
	{IdentityUpdated, "identity", "Fields, manager or state of an identity changed; changed names them.", false},
	{
		IdentityDeactivated,
		"identity",
		"A person was deactivated: manually, on their last day, or because their source system reports them as " +
			"inactive or no longer contains them.",
		false,
	},
	{RequestSubmitted, "access request", "A person requested access.", false},
	{RequestApproved, "access request", "A request was approved by all who had to.", false},
	{RequestRejected, "access request", "A request was rejected, or expired: reason_code says which.", false},
	{CertificationCompleted, "certification", "All decisions of a certification are final.", false},
	{AgentOnline, "agent", "An agent is there.", false},
	{AgentOffline, "agent", "An agent was silent or disconnected for long enough to count as offline.", false},
	{
		OperatorAccess,
		"tenant",
		"An operator of the service works in the tenant, which asked to hear of it by notify_operator_access; told " +
			"once an hour for each.",
		true,
	},
	{
		WritesStopped,
		"connector",
		"Writes to a system stopped because too many changes failed or were made. A person must resume them.",
		true,
	},
	{
		WritesResumed,
		"connector",
		"An administrator resumed writes to a system after its circuit breaker had opened. Waiting changes are sent.",
		true,
	},
	{TaskReminded, "task", "An approval is due soon, and no approver has decided yet.", true},
	{SyncHeld, "sync", "A sync waits for a decision, because it would change more than passes unseen.", true},
}

// Known reports whether there is such a kind.
func Known(k Kind) bool {
	return slices.ContainsFunc(Catalogue, func(d Described) bool { return d.Kind == k })
}
