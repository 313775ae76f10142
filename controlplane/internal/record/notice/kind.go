package notice

import "slices"

// Group is a set of kinds that people choose together how to receive.
type Group string

// The groups.
const (
	Tasks      Group = "tasks"      // decisions that a person is asked for
	Requests   Group = "requests"   // access that a person requested, or that was requested for them
	Operations Group = "operations" // what administrators and owners should know of
	Account    Group = "account"    // a person's own sign-in; cannot be switched off
)

// Groups are the groups that people can choose about, in the order in which they are shown.
var Groups = []Group{Tasks, Requests, Operations}

// Kind is one kind of notification.
type Kind struct {
	// Name is the stable name, as in the column kind of the table notification.
	Name string
	// Title is the name for people.
	Title string
	// Group is what people choose about.
	Group Group
	// Who receives it.
	Who string
	// When it is written.
	When string
	// Subject is the subject of a message with one notification of this kind. {title} is the title of its object.
	Subject string
	// Urgent is true of kinds that the choice smart sends at once, whatever the object is.
	Urgent bool
}

// Names of kinds.
const (
	TaskAssigned     = "task.assigned"
	TaskDelegated    = "task.delegated"
	TaskEscalated    = "task.escalated"
	TaskDue          = "task.due"
	TaskOverdue      = "task.overdue"
	TaskRole         = "task.role"
	RequestSubmitted = "request.submitted"
	RequestApproved  = "request.approved"
	RequestRejected  = "request.rejected"
	RequestFulfilled = "request.fulfilled"
	RequestFailed    = "request.failed"
	AccessEnding     = "access.ending"
	UserInvited      = "user.invited"
	SyncFailing      = "sync.failing"
	ViolationFound   = "violation.found"
	ViolationRevoked = "violation.revoked"
	AccessRevoked    = "access.revoked"
	MitigationLapsed = "mitigation.lapsed"
	ProvisioningFail = "provisioning.failed"
	SyncHeld         = "sync.held"
	TokenEnding      = "token.ending"
	PasswordChanged  = "password.changed"
	PasswordReset    = "password.reset"
	AgentOffline     = "agent.offline"
	WebhookDisabled  = "webhook.disabled"
)

// Kinds are all kinds of notifications. docs/notifications.md lists them, and a test compares the two.
var Kinds = []Kind{
	{TaskAssigned, "Decision task assigned", Tasks, "The assignee",
		"A decision task is assigned, or reassigned.", "Decision: {title}", true},
	{TaskDelegated, "Decision task delegated", Tasks, "The delegate", "A delegation passes a decision task on.",
		"Decision on behalf of another person: {title}", true},
	{TaskEscalated, "Decision task escalated", Tasks, "The manager of an assignee",
		"A decision task is escalated.", "Escalated: {title}", true},
	{TaskDue, "Reminder of a decision task", Tasks, "The assignees",
		"An approval rule reminds of a decision task.", "Reminder: {title}", true},
	{TaskOverdue, "Decision task overdue", Tasks, "The assignees",
		"The due time of an open decision task passes.", "Overdue: {title}", true},
	{TaskRole, "Decision task for a role", Tasks, "Users with the role",
		"A decision task of high priority or risk is asked of a role.",
		"Decision: {title}", true},
	{RequestSubmitted, "Access requested for a person", Requests, "The person whose access is requested",
		"Another person requests access for them.",
		"Access was requested for you: {title}", false},
	{RequestApproved, "Access request approved", Requests,
		"The requester, and the person whose access is requested",
		"All approvers of a request have approved it.", "Approved: {title}", true},
	{RequestRejected, "Access request rejected or expired", Requests,
		"The requester, and the person whose access is requested",
		"A request is rejected, or expires.", "Not approved: {title}", true},
	{RequestFulfilled, "Requested access provisioned", Requests,
		"The requester, and the person whose access is requested",
		"The requested access exists in the target system.", "Access is ready: {title}", true},
	{RequestFailed, "Requested access not provisioned", Requests,
		"The requester, and the person whose access is requested",
		"The requested access could not be provisioned.", "Access could not be provisioned: {title}", true},
	{
		AccessEnding,
		"Access ends soon",
		Requests,
		"The person with the access",
		"Requested access, or a role that was assigned to them, ends within seven days.",
		"Access ends soon: {title}",
		true,
	},
	{
		AccessRevoked,
		"Access revoked",
		Requests,
		"The person with the access",
		"A separation-of-duties policy revokes it without a decision.",
		"Access is revoked: {title}",
		true,
	},
	{UserInvited, "User invited", Account, "The user",
		"An administrator invites a user, or creates another sign-in link.",
		"Set your password for {title}", true},
	{PasswordReset, "Password reset requested", Account, "The user",
		"A reset of the password is requested on the sign-in page.", "Reset your password for {title}", true},
	{PasswordChanged, "Password changed", Account, "The user", "The password of the user is replaced by another one.",
		"Your password for {title} was changed", true},
	{ViolationFound, "Violation found", Operations, "The assignee of the violation, or else the owners of the policy",
		"A violation of a policy that is not enforced is found, opens again or is assigned.",
		"Violation: {title}", false},
	{ViolationRevoked, "Access revoked because of a violation", Operations, "The owners of the policy",
		"A policy revokes access without a decision, because of a violation.", "Access revoked: {title}", true},
	{MitigationLapsed, "Mitigation lapsed", Operations, "The owner of the mitigation, and the owners of the policy",
		"A mitigation lapses or expires.", "Mitigation ended: {title}", true},
	{ProvisioningFail, "Provisioning task failed", Operations, "Administrators",
		"A provisioning task fails for good.",
		"Provisioning failed: {title}", true},
	{TokenEnding, "Service token expires soon", Operations, "The user who created the token, and administrators",
		"A service token expires within 14 days.", "Service token expires soon: {title}", true},
	{SyncHeld, "Sync run held", Operations, "Administrators",
		"A sync run is held, because it exceeds the safety limits.",
		"Sync run held: {title}", true},
	{SyncFailing, "Connector quarantined", Operations, "Administrators",
		"A connector is quarantined, because its syncs keep failing.",
		"Connector quarantined: {title}", true},
	{AgentOffline, "Agent offline", Operations, "Administrators", "An agent stays offline beyond its grace period.",
		"Agent offline: {title}", true},
	{WebhookDisabled, "Webhook disabled", Operations, "Administrators",
		"A webhook is disabled, because its deliveries keep failing.",
		"Webhook disabled: {title}", true},
}

// Find finds a kind by name.
func Find(name string) (Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{Name: name}, false
	}
	return Kinds[i], true
}
