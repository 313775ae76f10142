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

// Kinds beyond the specification's nine. Subscribers receive them only if they name them.
const (
	SyncHeld       Kind = "sync.held"
	OperatorAccess Kind = "tenant.operator_access"
	WritesStopped  Kind = "connector.writes_stopped"
	WritesResumed  Kind = "connector.writes_resumed"
	TaskReminded   Kind = "task.reminded"

	MitigationProposed        Kind = "mitigation.proposed"
	MitigationApproved        Kind = "mitigation.approved"
	MitigationRefused         Kind = "mitigation.refused"
	MitigationEvidenceDue     Kind = "mitigation.evidence_due"
	MitigationEvidenceOverdue Kind = "mitigation.evidence_overdue"
	MitigationEnding          Kind = "mitigation.ending"
	MitigationLapsed          Kind = "mitigation.lapsed"
	MitigationEnded           Kind = "mitigation.ended"
)

// Described is a kind with its words for the reader.
type Described struct {
	// Name of the event type, as used in the events of a webhook.
	Kind Kind `json:"type"`
	// Name of the event type for people.
	Title string `json:"title"`
	// Group of event types that this one belongs to.
	Group string `json:"group"`
	// When events of this type occur.
	Description string `json:"description"`
	// Beyond the specification's nine kinds: only sent to who names it.
	OptIn bool `json:"opt_in"`
}

// Catalog lists every kind. A package that publishes a new kind adds it here.
var Catalog = []Described{
	{
		IdentityCreated,
		"Identity created",
		"identity",
		"A person or non-human identity became known, through the API or a sync.",
		false,
	},
	{
		IdentityUpdated,
		"Identity updated",
		"identity",
		"Fields, manager or state of an identity changed; changed names them.",
		false,
	},
	{
		IdentityDeactivated,
		"Identity deactivated",
		"identity",
		"A person was deactivated: manually, on their last day, or because their source system reports them as " +
			"inactive or no longer contains them.",
		false,
	},
	{RequestSubmitted, "Access requested", "access request", "A person requested access.", false},
	{RequestApproved, "Access request approved", "access request", "A request was approved by all who had to.", false},
	{
		RequestRejected,
		"Access request rejected",
		"access request",
		"A request was rejected, or expired: reason_code says which.",
		false,
	},
	{
		CertificationCompleted,
		"Certification completed",
		"certification",
		"All decisions of a certification are final.",
		false,
	},
	{AgentOnline, "Agent online", "agent", "An agent is connected.", false},
	{
		AgentOffline,
		"Agent offline",
		"agent",
		"An agent was silent or disconnected for long enough to count as offline.",
		false,
	},
	{
		OperatorAccess,
		"Operator access",
		"tenant",
		"An operator of the service works in the tenant, with notify_operator_access; once an hour " +
			"for each operator.",
		true,
	},
	{
		WritesStopped,
		"Writes stopped",
		"connector",
		"Writes to a system stopped because too many changes failed or were made. A person must resume them.",
		true,
	},
	{
		WritesResumed,
		"Writes resumed",
		"connector",
		"An administrator resumed writes to a system after its circuit breaker had opened. Waiting changes are sent.",
		true,
	},
	{
		TaskReminded,
		"Decision due soon",
		"task",
		"An approval or evidence is due soon, and no assignee has decided yet.",
		true,
	},
	{MitigationProposed, "Mitigation proposed", "mitigation", "A mitigation of a violation was proposed.", true},
	{
		MitigationApproved,
		"Mitigation approved",
		"mitigation",
		"A mitigation was approved. The violation is mitigated.",
		true,
	},
	{MitigationRefused, "Mitigation refused", "mitigation", "A mitigation was refused.", true},
	{MitigationEvidenceDue, "Evidence due", "mitigation", "The owner of a mitigation was asked for evidence.", true},
	{MitigationEvidenceOverdue, "Evidence overdue", "mitigation", "Evidence of a mitigation is late.", true},
	{MitigationEnding, "Mitigation ends soon", "mitigation", "A mitigation ends soon.", true},
	{
		MitigationLapsed,
		"Mitigation lapsed",
		"mitigation",
		"Evidence of a mitigation was missing, or the severity of its violation was raised. lapse_effect says what " +
			"was done.",
		true,
	},
	{
		MitigationEnded,
		"Mitigation ended",
		"mitigation",
		"A mitigation has ended. ended_reason says why: expired, withdrawn, replaced or resolved.",
		true,
	},
	{
		SyncHeld,
		"Sync run held",
		"sync",
		"A sync waits for a decision, because it would change more than passes unseen.",
		true,
	},
}

// Known reports whether there is such a kind.
func Known(k Kind) bool {
	_, known := Find(k)
	return known
}

// Find returns the description of a kind.
func Find(k Kind) (d Described, known bool) {
	i := slices.IndexFunc(Catalog, func(d Described) bool { return d.Kind == k })
	if i < 0 {
		return Described{Kind: k}, false
	}
	return Catalog[i], true
}
