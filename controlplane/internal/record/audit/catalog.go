package audit

import "strings"

// Category groups actions.
type Category string

// Categories of the catalog.
const (
	Authentication Category = "authentication"
	Authorization  Category = "authorization"
	Identity       Category = "identity"
	Account        Category = "account"
	Entitlement    Category = "entitlement"
	Grant          Category = "grant"
	Connector      Category = "connector"
	Sync           Category = "sync"
	Request        Category = "request"
	Certification  Category = "certification"
	Policy         Category = "policy"
	Violation      Category = "violation"
	Mining         Category = "mining"
	RoleModel      Category = "role"
	Pack           Category = "pack"
	ProofOfConcept Category = "poc"
	Agent          Category = "agent"
	Webhook        Category = "webhook"
	Token          Category = "token"
	Settings       Category = "settings"
	TenantItself   Category = "tenant"
	Export         Category = "export"
)

// Action is a line of the catalog.
type Action struct {
	// Name of the action, as entries of the log have it: a subject and a verb, such as
	// grant.created.
	Name string `json:"action"`
	// Category that the action belongs to.
	Category Category `json:"category"`
	// When an entry with this action is written.
	Meaning string `json:"meaning"`
}

// domains are the categories of actions by the part before the dot, where a single action does not say otherwise.
var domains = map[string]Category{
	"auth":                Authentication,
	"user":                Account,
	"sign_in_rule":        Account,
	"identity":            Identity,
	"account":             Account,
	"accounts":            Account,
	"entitlement":         Entitlement,
	"grant":               Grant,
	"connector":           Connector,
	"provisioning":        Account,
	"sync_run":            Sync,
	"agent":               Agent,
	"tenant":              TenantItself,
	"audit":               Export,
	"audit_stream":        Settings,
	"webhook":             Webhook,
	"api_token":           Token,
	"key":                 Settings,
	"role":                RoleModel,
	"access_request":      Request,
	"certification":       Certification,
	"policy":              Policy,
	"duty":                Policy,
	"mitigating_control":  Policy,
	"mitigation":          Violation,
	"separation_policy":   Policy,
	"violation":           Violation,
	"requirement_gap":     Violation,
	"policy_review":       Policy,
	"sector_pack":         Pack,
	"approval_rule":       Policy,
	"decision_task":       Request,
	"decision_delegation": Request,
	"work_item":           Settings,

	"notification_settings": Settings,
	"mail_message":          Settings,
	"mail_address":          Settings,
	"notification_template": Settings,
}

// exceptions are actions whose category is not that of their domain.
var exceptions = map[string]Category{
	"audit.trimmed":              Settings,
	"audit.retention_updated":    Settings,
	"audit.verified":             Export,
	"audit.key_rotated":          Settings,
	"tenant.cross_access":        Authorization,
	"auth.wrong_address":         Authorization,
	"sync_run.changes_exported":  Export,
	"identity.exported":          Export,
	"role.exported":              Export,
	"separation_policy.exported": Export,
	"policy.table_exported":      Export,
}

// CategoryOf is the category of an action.
func CategoryOf(action string) Category {
	if c, ok := exceptions[action]; ok {
		return c
	}
	domain, _, _ := strings.Cut(action, ".")
	if c, ok := domains[domain]; ok {
		return c
	}
	return Settings
}

// Catalog lists every action that the product records, in the order of their names' meaning: by domain.
func Catalog() []Action {
	out := make([]Action, len(catalog))
	for i, line := range catalog {
		out[i] = Action{Name: line[0], Category: CategoryOf(line[0]), Meaning: line[1]}
	}
	return out
}

// catalog is every action with what it means. A test holds it against the code.
var catalog = [][2]string{
	{"auth.login", "A user signed in, or a sign-in with a known account failed."},
	{"auth.logout", "A user ended a session."},
	{"auth.logout_all", "A user ended all of their own sessions."},
	{"auth.link_issued", "A one-time link to set a first password was created."},
	{"auth.reset_requested", "A link to reset the password of a user was requested, and sent to the user."},
	{"auth.refresh_reuse_detected", "A refresh token was used a second time. The session was ended."},
	{"auth.password_changed", "A user changed their password."},
	{"auth.session_ended", "A session was ended."},
	{"auth.mfa_begun", "A user started to set up a second factor."},
	{"auth.mfa_enabled", "A user enabled a second factor."},
	{"auth.mfa_disabled", "A user disabled their second factor."},
	{"auth.mfa_reset", "An administrator reset the second factor of a user."},
	{"auth.recovery_used", "A recovery code was used instead of the second factor."},
	{"auth.sso_linked", "A user was linked to an account of an identity provider."},
	{"auth.roles_mapped", "The roles of a user were set from their groups at an identity provider."},
	{"auth.provider_created", "An identity provider was created."},
	{"auth.provider_updated", "An identity provider was updated."},
	{"auth.provider_deleted", "An identity provider was deleted."},
	{"user.created", "A user was created."},
	{"user.invited", "A user was invited."},
	{"user.updated", "A user was updated."},
	{"user.disabled", "A user was disabled."},
	{"user.enabled", "A user was enabled."},
	{"user.deleted", "A user was deleted."},
	{"sign_in_rule.created", "A sign-in rule was created."},
	{"sign_in_rule.updated", "A sign-in rule was updated."},
	{"sign_in_rule.deleted", "A sign-in rule was deleted. Its users lost sign-in."},
	{"sign_in_rule.held", "A sign-in rule was held: more people would have lost sign-in than its limit allows."},
	{"sign_in_rule.accepted", "An administrator accepted what a held sign-in rule takes."},
	{"user.sessions_revoked", "An administrator ended all sessions of a user."},

	{"api_token.created", "A service token was created."},
	{"api_token.updated", "A service token was updated."},
	{"api_token.rotated", "A service token was rotated. The old one works until its overlap ends."},
	{"api_token.disabled", "A service token was disabled, by an administrator or because it was unused."},
	{"api_token.enabled", "A service token was enabled."},
	{"api_token.revoked", "A service token was revoked."},
	{"api_token.refused", "A service token was used from a network that it does not allow."},

	{"webhook.created", "A webhook was created."},
	{"webhook.updated", "A webhook was updated."},
	{"webhook.deleted", "A webhook was deleted."},
	{"webhook.enabled", "A webhook was enabled."},
	{"webhook.disabled", "A webhook was disabled."},
	{"webhook.disabled_auto", "A webhook was disabled because its endpoint did not answer."},
	{"webhook.failing", "The endpoint of a webhook does not answer."},
	{"webhook.secret_rotated", "The secret of a webhook was rotated. The old one works until its overlap ends."},
	{"webhook.tested", "A test event was sent to a webhook."},
	{"webhook.redelivered", "An event was sent to a webhook again."},
	{"webhook.replayed", "The events of a period were sent to a webhook again."},

	{"tenant.created", "The tenant was created."},
	{"tenant.bootstrapped", "An operator created a tenant with its first administrator."},
	{"tenant.updated", "The name, region or settings of a tenant were updated."},
	{"tenant.limits_changed", "An operator changed the rate limits of a tenant."},
	{"tenant.suspended", "An operator suspended a tenant. Its users and tokens are refused."},
	{"tenant.resumed", "An operator resumed a suspended tenant."},
	{"tenant.closed", "An operator closed a tenant. It is erased when its grace period ends."},
	{"tenant.reopened", "An operator reopened a closing tenant."},
	{
		"tenant.erased",
		"All data of a closed tenant was deleted, its keys first. The entry counts the rows of each table.",
	},
	{
		"tenant.cross_access",
		"An operator made a request in another tenant, or a user without the right tried to. Both tenants' logs have " +
			"the entry.",
	},
	{"auth.wrong_address", "A token was used at the address of another tenant."},
	{
		"tenant.restored",
		"The deployment was restored from a backup. This log has no entries between the backup and the restore.",
	},
	{"key.rotated", "The data key of the tenant was replaced, and all secrets under it were sealed again."},
	{"tenant.advanced", "The tenant reached its next stage."},
	{"tenant.orphans_updated", "The settings for orphan accounts were updated."},

	{"identity.created", "An identity was created."},
	{"identity.updated", "An identity's attributes were updated. After a sync, one entry counts all of them."},
	{"identity.deactivated", "An identity was deactivated. After a sync, one entry counts all of them."},
	{"identity.archived", "An identity was archived."},
	{"identity.imported", "Identities were imported. The entry counts the outcomes; each identity has its own entry."},
	{"identity.exported", "Identities were exported."},
	{"identity.merged", "Two records of the same person were merged. Both records have the entry."},
	{"identity.minimised", "Personal data of an archived identity was deleted after its retention period."},
	{"identity.missing", "Identities were missing in a full sync of their source."},
	{"identity.removed", "Identities were removed after they had been absent from their source."},
	{"identity_schema.updated", "The custom attribute schema was updated."},
	{"lifecycle.updated", "The lifecycle settings were updated."},
	{"identity.reappeared", "Identities that had been missing were found again."},

	{"account.linked", "The owner of an account was assigned."},
	{"account.drift_resolved", "The drift of an account was resolved."},
	{"account.unlinked", "The owner of an account was unassigned."},
	{"account.candidates_rejected", "All suggested owners of an account were rejected."},
	{"account.kept", "An account without an active owner was kept as it is until a date."},
	{"account.updated", "An account was updated."},
	{"account.ignored", "An account was accepted without an owner."},
	{"account.correlation_reset", "The decision about the owner of an account was reset."},
	{"account.missing", "Accounts were missing in a full sync of their system."},
	{"account.removed", "Accounts were removed after they had been absent from their system."},
	{"account.reappeared", "Accounts that had been missing were found again."},
	{"accounts.bulk_linked", "The owners of many accounts were assigned at once."},
	{"accounts.correlated", "Accounts were correlated with identities."},

	{"entitlement.updated", "The description, owner or risk of an entitlement was updated."},
	{"entitlement.missing", "Entitlements were missing in a full sync of their system."},
	{"entitlement.removed", "Entitlements were removed after they had been absent from their system."},
	{"entitlement.reappeared", "Entitlements that had been missing were found again."},
	{"grant.missing", "Grants were missing in a full sync of their system."},
	{"grant.removed", "Grants were ended after they had been absent from their system."},
	{"grant.reappeared", "Grants that had been missing were found again."},
	{"grant.returned", "Grants that Grantwright had revoked were found again in their system."},
	{"grant.ordered", "An administrator assigned an entitlement."},
	{"grant.revoke_ordered", "An administrator revoked a grant, or one reason of it."},
	{"grant.accepted_as_found", "Unmanaged grants were accepted as found."},
	{"grant.kept", "A grant that was restored in its system was kept as it is until a date."},
	{"grant.extended", "The end of a grant was changed."},
	{"role.created", "A role was created."},
	{"role.updated", "A role was updated."},
	{"role.retired", "A role was retired."},
	{"role.draft_changed", "The draft of a published role was updated."},
	{"role.draft_dropped", "The draft of a published role was deleted."},
	{"role.publication_planned", "The impact of publishing or retiring a role was previewed."},
	{"role.proposed", "The publication of a role was submitted for approval."},
	{"role.proposal_withdrawn", "The publication of a role was withdrawn from approval."},
	{"role.proposal_rejected", "The publication of a role was rejected."},
	{"role.published", "A role, or its draft, was published."},
	{"role.deprecated", "A role was closed for new members."},
	{"role.exported", "Roles were exported."},
	{"role.imported", "Roles were imported, or an import was previewed."},
	{"role.detached", "A role that had been imported is now managed in the tenant."},
	{"role.assigned", "A role was assigned to an identity."},
	{"role.assignment_extended", "The end of a role assignment was changed."},
	{"role.unassigned", "A role assignment was ended."},
	{"policy.created", "A policy was created."},
	{"policy.updated", "A policy was updated."},
	{"policy.enabled", "A policy was enabled."},
	{"policy.disabled", "A policy was disabled."},
	{"policy.mode_changed", "A policy was activated, or set to dry run."},
	{"policy.table_imported", "The decision table of a policy was replaced by a file."},
	{"policy.table_exported", "The decision table of a policy was exported."},
	{"policy.deleted", "A policy was deleted. Its reasons end."},
	{"policy.simulated", "A policy was simulated."},
	{"policy.breaker_tripped", "A policy would have changed more than its limit, and was stopped."},
	{"duty.created", "A duty was created."},
	{"duty.updated", "A duty was updated."},
	{"duty.deleted", "A duty was deleted."},
	{"separation_policy.created", "A separation-of-duties policy was created."},
	{"separation_policy.updated", "A separation-of-duties policy was updated."},
	{"separation_policy.enabled", "A separation-of-duties policy was enabled."},
	{"separation_policy.disabled", "A separation-of-duties policy was disabled."},
	{"separation_policy.mode_changed", "The mode of a separation-of-duties policy was changed."},
	{"separation_policy.deleted", "A separation-of-duties policy was deleted."},
	{"mitigating_control.created", "A mitigating control was created."},
	{"mitigating_control.updated", "A mitigating control was updated."},
	{"mitigating_control.enabled", "A mitigating control was enabled."},
	{"mitigating_control.disabled", "A mitigating control was disabled."},
	{"mitigating_control.deleted", "A mitigating control was deleted."},
	{"mitigation.proposed", "A mitigating control was proposed for a violation."},
	{"mitigation.approved", "A mitigation was approved."},
	{"mitigation.refused", "A mitigation was refused."},
	{"mitigation.withdrawn", "A mitigation was withdrawn."},
	{"mitigation.replaced", "A mitigation was replaced by another one of the same violation."},
	{"mitigation.evidence_asked", "The owner of a mitigation was asked for evidence."},
	{"mitigation.evidence_provided", "Evidence of a mitigation was provided."},
	{"mitigation.evidence_accepted", "Evidence of a mitigation was accepted."},
	{"mitigation.evidence_rejected", "Evidence of a mitigation was rejected."},
	{"mitigation.evidence_overdue", "Evidence of a mitigation became overdue."},
	{"mitigation.evidence_reminded", "The owner of a mitigation was reminded of evidence that is due."},
	{"mitigation.ending", "It was announced that a mitigation ends soon."},
	{"mitigation.end_agreed", "A person decided that a mitigation ends without a renewal."},
	{"mitigation.escalated", "A mitigation has ended, and the decision about its violation was escalated."},
	{"mitigation.lapsed", "A mitigation lapsed: evidence was missing, or the severity of the violation was raised."},
	{"mitigation.expired", "The duration of a mitigation is over."},
	{"mitigation.resolved", "A mitigation ended because its violation was remediated."},
	{"violation.mitigated", "A mitigation covers a violation."},
	{"separation_policy.exported", "Duties and separation-of-duties policies were exported."},
	{"separation_policy.imported", "Duties and separation-of-duties policies were imported."},
	{"policy_review.opened", "A policy no longer gives access that a person has, and a decision is asked for."},
	{"policy_review.kept", "Access that a policy no longer gives is kept until a date."},
	{"policy_review.ended", "Access that a policy no longer gives was ended by a decision."},
	{"policy_review.closed", "A person meets a policy again, or no longer has its access, so no decision is needed."},
	{"requirement_gap.opened", "An evaluation found that a person lacks what an access policy requires."},
	{"requirement_gap.reopened", "An evaluation found a requirement gap again that was closed or exempted."},
	{"requirement_gap.closed", "A requirement gap was closed: nothing is missing, or nothing is required any more."},
	{"requirement_gap.exempted", "A person was exempted from a requirement for a limited time."},
	{"requirement_gap.exemption_withdrawn", "An exemption from a requirement was withdrawn."},
	{"requirement_gap.exemption_lapsed", "An exemption from a requirement ended."},
	{"violation.found", "An evaluation found a violation of a separation-of-duties policy."},
	{"violation.reopened", "An evaluation found a violation again that was settled."},
	{"violation.remediated", "An evaluation no longer found a violation."},
	{"violation.remediation_ordered", "Access was revoked to end a violation."},
	{"violation.revocation_asked", "A policy that revokes access could not revoke it, and a decision is asked for."},
	{"violation.revocation_recorded", "A policy in shadow mode recorded which access it would revoke."},
	{"violation.marked_false_positive", "A violation was marked as a false positive."},
	{"violation.false_positive_withdrawn", "The mark of a violation as a false positive was withdrawn."},
	{"separation_simulation.started", "A simulation of a separation-of-duties policy or of a duty was started."},
	{"separation_simulation.cancelled", "A simulation of a separation-of-duties policy or of a duty was cancelled."},
	{"violation.scan_started", "A scan of all people for violations was started."},
	{"violation.scan_cancelled", "A scan of all people for violations was cancelled."},
	{"violation.assigned", "A violation was assigned to a person, or its assignee was removed."},
	{"approval_rule.created", "An approval rule was created."},
	{"approval_rule.updated", "An approval rule was updated. Submitted requests keep their version."},
	{"approval_rule.enabled", "An approval rule was enabled."},
	{"approval_rule.disabled", "An approval rule was disabled."},
	{"approval_rule.deleted", "An approval rule was deleted."},
	{"approval_rule.simulated", "The approvers of a request were simulated."},
	{"calendar.created", "A work calendar was created."},
	{"calendar.updated", "A work calendar was updated."},
	{"calendar.deleted", "A work calendar was deleted."},
	{"on_call_schedule.created", "An on-call schedule was created."},
	{"on_call_schedule.updated", "An on-call schedule was updated."},
	{"on_call_schedule.deleted", "An on-call schedule was deleted."},
	{"policy.breaker_reset", "The changes of a stopped policy were accepted, and it was resumed."},
	{
		"access_request.submitted",
		"An access request was submitted: for access, for an extension, or for the end of access.",
	},
	{"access_request.approved", "All items of a request were decided, and at least one was approved."},
	{
		"access_request.rejected",
		"All items of a request were decided, and none was approved. With reason_code expired, no approver answered " +
			"in time.",
	},
	{"access_request.cancelled", "A request was cancelled."},
	{"access_request.item_approved", "An item of a request was approved, by an approver or by a rule."},
	{"access_request.item_rejected", "An item of a request was rejected, by an approver or by a rule."},
	{"access_request.item_withdrawn", "An item of a request was withdrawn."},
	{"access_request.commented", "A comment was added to a request."},
	{"access_request.emergency_granted", "Emergency access was granted before its approval."},
	{"access_request.emergency_reviewed", "Emergency access was reviewed: confirmed, or ended."},
	{"access_request.review_escalated", "Emergency access was not reviewed in time. Administrators are asked."},
	{"access_request.extended", "The end of requested access was changed."},
	{"access_request.returned", "Requested access was returned before its end."},
	{"access_request.item_fulfilled", "A target system was observed to have the approved access."},
	{"access_request.item_failed", "A target system did not accept the approved access."},
	{"access_request.item_closed", "Requested access has ended, and the target system no longer has it."},
	{"access_request.rule_replayed", "An approval rule was replayed with past requests."},
	{"access_request.escalated", "A request was not answered in time, and its rule escalated it."},
	{"access_request.expired", "An item of a request was not answered before it expired."},
	{
		"access_request.agreed_by_requesting",
		"A manager requested access for a direct report, which counts as the manager's approval.",
	},
	{"access_request.reresolved", "The organization changed, and a request has other approvers."},
	{"access_request.blocked", "A request has no approver who can decide."},
	{"access_request.unblocked", "A request that had no approver has one again."},
	{
		"access_request.wait_timed_out",
		"A condition that a request waited for was not met in time, and its rule rejects it.",
	},
	{"access_request.approval_withdrawn", "An approver withdrew an approval."},
	{"sector_pack.uploaded", "A sector pack was uploaded."},
	{"sector_pack.installed", "A sector pack was installed."},
	{"sector_pack.upgraded", "A sector pack was upgraded, or its parameters were changed."},
	{"sector_pack.bound", "Entitlements that a sector pack waited for were found, and its objects assign them."},
	{"sector_pack.conflict_resolved", "A conflict between a sector pack and the tenant's changes was resolved."},
	{"sector_pack.uninstalled", "A sector pack was uninstalled."},
	{"identity.policies_evaluated", "The policies were evaluated for one identity on request."},

	{"provisioning.ordered", "A change of an account in its target system was requested."},
	{"provisioning.done", "A change was applied in a target system."},
	{"provisioning.failed", "A change could not be applied in a target system."},
	{
		"provisioning.escalated",
		"The account of a leaver is still enabled because its provisioning task has not succeeded for hours.",
	},
	{"provisioning.simulated", "A change was planned completely, and not sent."},
	{
		"provisioning.cancelled",
		"A change was cancelled before it was sent, by a user or because it was no longer needed.",
	},
	{"provisioning.held", "A separation-of-duties policy held a grant before it was made in the target system."},
	{"provisioning.hold_overridden", "A held grant was allowed although it violates a separation-of-duties policy."},
	{"provisioning.resumed", "A held grant goes on, because nothing holds it any more or it was allowed."},
	{"provisioning.completed", "A user completed a change in a target system by hand."},
	{"provisioning.retried", "Failed provisioning tasks were retried."},
	{"provisioning.switched", "Writing to all target systems was switched on or off."},

	{"connector.created", "A connector was created."},
	{"connector.updated", "The settings of a connector were updated."},
	{
		"connector.credentials_released",
		"An administrator released the stored credentials of connectors to another address or agent.",
	},
	{"connector.deleted", "A connector was deleted."},
	{"connector.restored", "A deleted connector was restored."},
	{"connector.purged", "The data of a connector was erased 30 days after its deletion."},
	{"connector.tested", "A connection was tested."},
	{"connector.discovered", "The schema of a target system was discovered."},
	{"connector.sampled", "Sample records of a target system were read to preview mappings."},
	{"connector.schema_changed", "A discovery found other fields than the ones that are mapped."},
	{"connector.schema_decided", "A schema difference was decided."},
	{"connector.mappings_changed", "The field mappings of a connector were updated."},
	{"connector.schedule_changed", "The schedule of a connector was updated."},
	{"connector.provisioning_changed", "The provisioning settings of a connector were updated."},
	{"connector.provisioning_previewed", "The account of an identity was previewed against its target system."},
	{"connector.drift_checked", "The accounts of a connector were checked for drift."},
	{"connector.paused", "A connector was paused. No sync run starts."},
	{"connector.resumed", "A paused or disabled connector was resumed."},
	{"connector.disabled", "A connector was disabled, and its active sync run was stopped."},
	{
		"connector.quarantined",
		"A connector was quarantined: its target system refused the sign-in repeatedly, or two processes ended in " +
			"one of its sync runs. No run starts until an administrator clears it.",
	},
	{"connector.quarantine_cleared", "The quarantine of a connector was cleared."},
	{"connector.correlation_updated", "The correlation settings of a connector were updated."},
	{
		"connector.breaker_opened",
		"The circuit breaker of a connector opened: too many changes failed, or too many were made. Nothing is sent " +
			"until an administrator resumes writes.",
	},
	{"connector.breaker_reset", "Writes of a connector were resumed after its circuit breaker had opened."},
	{"connector.safety_changed", "The safety limits of a connector were updated."},

	{"sync_run.started", "A sync run was started."},
	{"sync_run.cancel_requested", "The cancellation of a sync run was requested."},
	{"sync_run.held", "A sync run was held because it would exceed the safety limits."},
	{"sync_run.released", "A held sync run was released."},
	{"sync_run.discarded", "A held sync run was discarded."},
	{"sync_run.superseded", "A held sync run was replaced by a newer one."},
	{"sync_run.expired", "A held sync run expired without a decision and was discarded."},
	{"sync_run.succeeded", "A sync run succeeded."},
	{"sync_run.partial", "A sync run ended with record errors, or without having read all records."},
	{"sync_run.failed", "A sync run failed."},
	{"sync_run.cancelled", "A sync run was cancelled."},
	{"sync_run.previewed", "A sync run previewed its changes."},
	{"sync_run.changes_exported", "The changes of a sync run were exported."},

	{"agent.created", "An agent was invited."},
	{"agent.enrollment_issued", "An agent was invited again."},
	{
		"agent.credentials_released",
		"An administrator released the stored credentials of connectors to an agent or its group.",
	},
	{"agent.registered", "An agent was enrolled on its host."},
	{"agent.updated", "The settings of an agent were updated."},
	{"agent.online", "An agent connected."},
	{"agent.offline", "An agent was offline for longer than expected."},
	{"agent.draining", "An agent is being drained and gets no new tasks."},
	{"agent.resumed", "A draining agent was resumed."},
	{"agent.disabled", "An agent was disabled."},
	{"agent.enabled", "An agent was enabled."},
	{"agent.quarantine_cleared", "The quarantine of an agent was cleared."},
	{"agent.clone_detected", "Two hosts used the identity of one agent. It was quarantined."},
	{"agent.identity_mismatch", "An agent presented the identity of another agent and was refused."},
	{"agent.revoked", "An agent was revoked."},
	{"agent.deleted", "An agent was deleted."},

	{
		"decision_task.decided",
		"A decision task was decided. With apply_at, the decision takes effect then unless it is undone.",
	},
	{"decision_task.undone", "A decision was undone before it took effect."},
	{"decision_task.claimed", "A decision task was claimed. Only the claimant can decide it."},
	{"decision_task.released", "A claimed decision task was released."},
	{"decision_task.reassigned", "A decision task was reassigned."},
	{"decision_task.escalated", "A decision task was escalated to the managers of its assignees."},
	{"decision_task.commented", "A comment was added to a decision task."},
	{"decision_delegation.created", "A delegation was created."},
	{"decision_delegation.updated", "A delegation was updated."},
	{"decision_delegation.revoked", "A delegation was revoked."},

	{"audit.read", "The audit log was read. Each reader causes at most one entry a minute."},
	{"audit.exported", "The audit log was exported."},
	{"audit.verified", "The audit log was verified."},
	{"audit.checkpoints_read", "Signed checkpoints were read."},
	{"audit.retention_updated", "The retention of the audit log was updated."},
	{"audit.trimmed", "Entries older than the retention were deleted up to a signed checkpoint."},
	{"audit.key_rotated", "Checkpoints are signed with a new key. The entry names it and is signed with the old key."},
	{"audit_stream.created", "An audit stream was created."},
	{"audit_stream.updated", "An audit stream was updated."},
	{"audit_stream.deleted", "An audit stream was deleted."},
	{"audit_stream.tested", "An audit stream was tested."},
	{"work_item.retried", "An administrator retried dead letters of the work queue."},
	{"work_item.deleted", "An administrator deleted a dead letter of the work queue. Its work was not done."},
	{"notification_settings.updated", "An administrator changed how notifications are sent by mail."},
	{"notification_settings.tested", "An administrator sent a test message."},
	{"mail_message.resent", "An administrator sent a message of the delivery log again."},
	{"notification_template.updated", "An administrator changed the subject or the text of a notification."},
	{"notification_template.reset", "An administrator reset a notification to its default subject and text."},
	{"mail_address.unmarked", "An administrator removed the mark of an address that a mail server had rejected."},
	{"mail_address.kept", "An administrator decided that nothing is sent to an address that a mail server rejected."},
	{"user.notifications_updated", "A user changed how they receive notifications."},
}
