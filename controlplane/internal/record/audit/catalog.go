package audit

import "strings"

// Category groups actions.
type Category string

// Categories of the catalogue.
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

// Action is a line of the catalogue.
type Action struct {
	Name     string   `json:"action"`
	Category Category `json:"category"`
	Meaning  string   `json:"meaning"`
}

// domains are the categories of actions by the part before the dot, where a single action does not say otherwise.
var domains = map[string]Category{
	"auth": Authentication, "user": Account, "identity": Identity, "account": Account, "accounts": Account, "entitlement": Entitlement,
	"grant": Grant, "connector": Connector, "provisioning": Account, "sync_run": Sync, "agent": Agent, "tenant": TenantItself, "audit": Export, "audit_stream": Settings,
	"webhook": Webhook, "api_token": Token, "key": Settings, "role": RoleModel, "access_request": Request, "certification": Certification, "policy": Policy, "sector_pack": Pack,
	"approval_rule": Policy,
	"decision_task": Request, "decision_delegation": Request,
}

// exceptions are actions whose category is not that of their domain.
var exceptions = map[string]Category{
	"audit.chain_started": Settings, "audit.trimmed": Settings, "audit.retention_updated": Settings, "audit.verified": Export, "audit.key_rotated": Settings,
	"tenant.cross_access": Authorization, "auth.wrong_address": Authorization, "sync_run.changes_exported": Export, "identity.exported": Export, "role.exported": Export,
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
	{"auth.login", "Somebody signed in, or failed to with a known account."},
	{"auth.logout", "Somebody ended a session."},
	{"auth.logout_all", "Somebody ended all sessions of theirs."},
	{"auth.link_issued", "A one-time link to set a first password was made."},
	{"auth.refresh_reuse_detected", "A refresh token was used a second time; the session was ended."},
	{"auth.password_changed", "Somebody changed their password."},
	{"auth.session_ended", "A session was ended."},
	{"auth.mfa_begun", "Somebody began to set up a second factor."},
	{"auth.mfa_enabled", "Somebody uses a second factor from now on."},
	{"auth.mfa_disabled", "Somebody gave up their second factor."},
	{"auth.mfa_reset", "An administrator took away somebody's second factor."},
	{"auth.recovery_used", "A recovery code stood in for the second factor."},
	{"auth.sso_linked", "A user was linked to a person of an outside provider."},
	{"auth.roles_mapped", "A user's roles were set by their groups at an outside provider."},
	{"auth.provider_created", "An outside sign-in provider was added."},
	{"auth.provider_updated", "An outside sign-in provider was changed."},
	{"auth.provider_deleted", "An outside sign-in provider was removed."},
	{"user.created", "A user was made."},
	{"user.invited", "A user was invited."},
	{"user.updated", "A user was changed."},
	{"user.disabled", "A user was switched off."},
	{"user.enabled", "A user was switched on again."},
	{"user.deleted", "A user was deleted."},
	{"user.sessions_revoked", "All sessions of a user were ended by an administrator."},

	{"api_token.created", "A service token was made."},
	{"api_token.updated", "A service token was changed."},
	{"api_token.rotated", "A service token was replaced; the old one works for a while."},
	{"api_token.disabled", "A service token was switched off, by somebody or for not being used."},
	{"api_token.enabled", "A service token was switched on again."},
	{"api_token.revoked", "A service token was revoked for good."},
	{"api_token.refused", "A service token was used from a network that it is not for."},

	{"webhook.created", "A webhook was made."},
	{"webhook.updated", "A webhook was changed."},
	{"webhook.deleted", "A webhook was deleted."},
	{"webhook.enabled", "A webhook was switched on again."},
	{"webhook.disabled", "A webhook was switched off."},
	{"webhook.disabled_auto", "A webhook was switched off because its receiver did not answer."},
	{"webhook.failing", "A webhook's receiver does not answer."},
	{"webhook.secret_rotated", "A webhook was given a new secret; the old one works for a while."},
	{"webhook.tested", "A webhook was tried out."},
	{"webhook.redelivered", "An event was sent to a webhook again."},
	{"webhook.replayed", "The events of a period were sent to a webhook again."},

	{"tenant.created", "The tenant was made."},
	{"tenant.bootstrapped", "An operator made a tenant with its first admin."},
	{"tenant.updated", "A tenant's name, region or settings were changed."},
	{"tenant.limits_changed", "An operator changed what a tenant's tokens may ask."},
	{"tenant.suspended", "An operator suspended a tenant: nobody works in it."},
	{"tenant.resumed", "An operator let a suspended tenant go on."},
	{"tenant.closed", "An operator closed a tenant; it is erased when its grace has ended."},
	{"tenant.reopened", "An operator opened a closing tenant again."},
	{"tenant.erased", "Everything that belonged to a closed tenant was deleted, its keys first; with how many rows of what."},
	{"tenant.cross_access", "An operator made a request in another tenant, reads too, or somebody tried who may not; in both tenants' logs."},
	{"auth.wrong_address", "A token was used at the address of another tenant."},
	{"tenant.restored", "The deployment was restored from a backup: what happened after the backup is not in this log."},
	{"key.rotated", "The tenant's data key was replaced, and everything under it sealed anew."},
	{"tenant.advanced", "The tenant moved on to its next stage."},
	{"tenant.orphans_updated", "What is done about accounts without an owner was changed."},

	{"identity.created", "A person was added."},
	{"identity.updated", "Attributes of a person changed; of many at once with a count, after a sync."},
	{"identity.deactivated", "A person was deactivated; of many at once with a count, after a sync."},
	{"identity.archived", "A person was archived."},
	{"identity.imported", "People were imported; with how many rows became what. Each has an entry of its own."},
	{"identity.exported", "People were exported."},
	{"identity.merged", "Two records of the same person became one; at both of them."},
	{"identity.minimised", "Of a person who was archived long enough ago, personal data that need not be kept was deleted."},
	{"identity.missing", "People were not found in a complete read of their source."},
	{"identity.removed", "People were removed after being absent from their source."},
	{"identity_schema.updated", "What custom attributes of people may be was changed."},
	{"lifecycle.updated", "How long before and after things happen to people was changed."},
	{"identity.reappeared", "People that had been missing are there again."},

	{"account.linked", "An account was given its owner."},
	{"account.drift_resolved", "Somebody decided what becomes of attributes that are other than the template has them."},
	{"account.unlinked", "An account lost its owner."},
	{"account.candidates_rejected", "An account was said to belong to none of those whom rules had found."},
	{"account.kept", "An account without an active owner was left as it is, and nobody is asked about it before a time."},
	{"account.updated", "An account was changed."},
	{"account.ignored", "An account was set aside as nobody's."},
	{"account.correlation_reset", "What had been decided about an account's owner was forgotten."},
	{"account.missing", "Accounts were not found in a complete read of their system."},
	{"account.removed", "Accounts were removed after being absent from their system."},
	{"account.reappeared", "Accounts that had been missing are there again."},
	{"accounts.bulk_linked", "Many accounts were given their owners at once."},
	{"accounts.correlated", "Accounts were matched with people."},

	{"entitlement.updated", "An entitlement's description, owner or risk was changed."},
	{"entitlement.missing", "Entitlements were not found in a complete read of their system."},
	{"entitlement.removed", "Entitlements were removed after being absent from their system."},
	{"entitlement.reappeared", "Entitlements that had been missing are there again."},
	{"grant.missing", "Grants were not found in a complete read of their system."},
	{"grant.removed", "Grants were ended after being absent from their system."},
	{"grant.reappeared", "Grants that had been missing are there again."},
	{"grant.returned", "Grants that we had revoked were found again in their system."},
	{"grant.ordered", "An administrator gave somebody an entitlement."},
	{"grant.revoke_ordered", "An administrator had a grant, or a reason of it, ended."},
	{"grant.kept", "A grant that came back in its system by itself was left as it is, and nobody is asked about it before a time."},
	{"grant.extended", "The end of a grant was moved."},
	{"role.created", "A role was created."},
	{"role.updated", "A role was changed."},
	{"role.retired", "A role was taken out of use."},
	{"role.draft_changed", "The draft of a role in use was changed."},
	{"role.draft_dropped", "The draft of a role in use was thrown away."},
	{"role.publication_planned", "Somebody looked at what would come of publishing or retiring a role."},
	{"role.proposed", "Somebody else was asked to agree that a role is published."},
	{"role.proposal_withdrawn", "The proposal of a role was taken back."},
	{"role.proposal_rejected", "Somebody did not agree that a role is published."},
	{"role.published", "A role, or its draft, began to count."},
	{"role.deprecated", "A role was closed for new members."},
	{"role.exported", "The roles were exported as a file."},
	{"role.imported", "Roles were imported from a file, or an import was tried out."},
	{"role.detached", "A role of an imported file became the tenant's own."},
	{"role.assigned", "Somebody was given a role by a decision."},
	{"role.assignment_extended", "The end of an assignment of a role was moved."},
	{"role.unassigned", "An assignment of a role was ended."},
	{"policy.created", "A policy was made."},
	{"policy.updated", "A policy was changed."},
	{"policy.enabled", "A policy was switched on."},
	{"policy.disabled", "A policy was switched off."},
	{"policy.mode_changed", "A policy was enforced, or has watched only since."},
	{"policy.deleted", "A policy was deleted; what it gave ends."},
	{"policy.simulated", "Somebody looked at what a policy would do."},
	{"policy.breaker_tripped", "A policy would have changed too much, and was stopped."},
	{"approval_rule.created", "A rule of who must agree to requests was made."},
	{"approval_rule.updated", "A rule of who must agree to requests was changed; requests that were submitted keep theirs."},
	{"approval_rule.enabled", "A rule of who must agree to requests was switched on."},
	{"approval_rule.disabled", "A rule of who must agree to requests was switched off."},
	{"approval_rule.deleted", "A rule of who must agree to requests was deleted."},
	{"approval_rule.simulated", "Somebody looked at who would be asked for a request."},
	{"calendar.created", "A calendar of working time was made."},
	{"calendar.updated", "A calendar of working time was changed."},
	{"calendar.deleted", "A calendar of working time was deleted."},
	{"on_call_schedule.created", "A schedule of who is on call was made."},
	{"on_call_schedule.updated", "A schedule of who is on call was changed."},
	{"on_call_schedule.deleted", "A schedule of who is on call was deleted."},
	{"policy.breaker_reset", "Somebody has accepted what a policy does that was stopped."},
	{"access_request.submitted", "Somebody asked for access, for more time, or for the end of access."},
	{"access_request.approved", "Everything of a request was decided, and something approved."},
	{"access_request.rejected", "Everything of a request was decided, and nothing approved; reason_code expired: nobody had answered in time."},
	{"access_request.cancelled", "A request was withdrawn."},
	{"access_request.item_approved", "One thing of a request was approved, by people or by a rule."},
	{"access_request.item_rejected", "One thing of a request was refused, by people or by a rule."},
	{"access_request.item_withdrawn", "One thing of a request was withdrawn."},
	{"access_request.commented", "Somebody commented on a request."},
	{"access_request.emergency_granted", "Somebody was given access at once, in an emergency, before anybody was asked."},
	{"access_request.emergency_reviewed", "Emergency access was reviewed: confirmed, or ended."},
	{"access_request.review_escalated", "Nobody had reviewed emergency access in time, and administrators are asked."},
	{"access_request.extended", "The end of requested access was moved."},
	{"access_request.returned", "Requested access was given back before its time."},
	{"access_request.item_fulfilled", "A target was seen to have what was approved."},
	{"access_request.item_failed", "A target did not take what was approved."},
	{"access_request.item_closed", "Requested access has ended, and is in the target no more."},
	{"access_request.rule_replayed", "Somebody looked at what an approval rule would have said of past requests."},
	{"access_request.escalated", "Nobody had answered a request in time, and its rule escalated it."},
	{"access_request.expired", "Nobody had answered an item of a request until its time was over."},
	{"access_request.reresolved", "The organisation changed, and others are asked about a request."},
	{"access_request.blocked", "Nobody was found who may decide about a request."},
	{"access_request.unblocked", "Somebody can be asked about a request again."},
	{"access_request.wait_timed_out", "What a request waited for did not come in time, and its rule rejects it then."},
	{"access_request.approval_withdrawn", "An approver has taken an approval back in time."},
	{"sector_pack.uploaded", "A sector pack was brought that does not come with the service."},
	{"sector_pack.installed", "A sector pack was installed."},
	{"sector_pack.upgraded", "A sector pack was upgraded, or given other parameters."},
	{"sector_pack.bound", "What a sector pack waited for has come, and its objects give it."},
	{"sector_pack.conflict_resolved", "Somebody decided between a sector pack and what the tenant has made of it."},
	{"sector_pack.uninstalled", "A sector pack was uninstalled."},
	{"identity.policies_evaluated", "The policies were evaluated for one person, by order."},

	{"provisioning.ordered", "Somebody ordered a change of an account in its system."},
	{"provisioning.done", "A change was made in a target system."},
	{"provisioning.failed", "A change could not be made in a target system."},
	{"provisioning.simulated", "A change was planned to the last byte, and not sent."},
	{"provisioning.cancelled", "A change was cancelled before it was sent, by somebody or because it was not wanted any more."},
	{"provisioning.completed", "Somebody made a change in a target system by hand."},
	{"provisioning.retried", "Failed changes were sent again."},
	{"provisioning.switched", "The writing to all target systems was switched off or on."},

	{"connector.created", "A connector was made."},
	{"connector.updated", "A connector's settings were changed."},
	{"connector.deleted", "A connector was deleted."},
	{"connector.tested", "A connection was tried out."},
	{"connector.discovered", "What a target offers was read."},
	{"connector.sampled", "A few records of a target were read to try mappings on."},
	{"connector.schema_changed", "A look at a connector's target showed other fields than the ones that its mappings are about."},
	{"connector.schema_decided", "Somebody decided about changed fields of a connector's target."},
	{"connector.mappings_changed", "What is done with the fields of a connector was changed."},
	{"connector.schedule_changed", "When a connector is read by itself was changed."},
	{"connector.provisioning_changed", "How a connector writes was changed."},
	{"connector.provisioning_previewed", "A connector planned somebody's account against its target."},
	{"connector.drift_checked", "Somebody had a connector's accounts compared with their template."},
	{"connector.paused", "A connector was paused: no run of it starts."},
	{"connector.resumed", "A paused or disabled connector was let go on."},
	{"connector.disabled", "A connector was switched off, and its active run stopped."},
	{"connector.quarantined", "A connector's target refused the sign-in again and again; nothing is tried until somebody clears it."},
	{"connector.quarantine_cleared", "A quarantined connector may be tried again."},
	{"connector.correlation_updated", "How accounts of a connector find their owners was changed."},
	{"connector.breaker_opened", "Too many changes of a connector had failed, or were being made; nothing is sent until somebody has looked."},
	{"connector.breaker_reset", "A connector's changes go on after its breaker had opened."},
	{"connector.safety_changed", "The limits that hold back large changes were changed."},

	{"sync_run.started", "A sync was started."},
	{"sync_run.cancel_requested", "A sync was asked to stop."},
	{"sync_run.held", "A sync holds back changes until somebody decides."},
	{"sync_run.released", "Held changes were released."},
	{"sync_run.discarded", "Held changes were refused."},
	{"sync_run.superseded", "Held changes were replaced by those of a newer sync."},
	{"sync_run.expired", "Nobody decided about held changes in time; they were dropped."},
	{"sync_run.succeeded", "A sync ended well."},
	{"sync_run.partial", "A sync ended with records set aside, or without having read everything."},
	{"sync_run.failed", "A sync failed."},
	{"sync_run.cancelled", "A sync was stopped."},
	{"sync_run.previewed", "A sync told what would change."},
	{"sync_run.changes_exported", "The changes of a sync were exported."},

	{"agent.created", "An agent was invited."},
	{"agent.enrollment_issued", "An agent was invited again."},
	{"agent.registered", "An agent enrolled on its host."},
	{"agent.updated", "An agent's settings were changed."},
	{"agent.online", "An agent connected."},
	{"agent.offline", "An agent has been gone for longer than expected."},
	{"agent.draining", "An agent gets no new tasks."},
	{"agent.resumed", "A draining agent gets tasks again."},
	{"agent.disabled", "An agent was switched off."},
	{"agent.enabled", "An agent was switched on again."},
	{"agent.quarantine_cleared", "A quarantined agent was let in again."},
	{"agent.clone_detected", "Two hosts used one agent's identity; it was quarantined."},
	{"agent.identity_mismatch", "An agent said it was another; it was refused."},
	{"agent.revoked", "An agent was revoked for good."},
	{"agent.deleted", "An agent was deleted."},

	{"decision_task.decided", "Somebody decided a task of the inbox; with apply_at the decision takes effect then, unless it is undone."},
	{"decision_task.undone", "Somebody took back a decision before it took effect."},
	{"decision_task.claimed", "Somebody took a task for themselves, so that nobody else decides it meanwhile."},
	{"decision_task.released", "A claimed task was given back to all who decide it."},
	{"decision_task.reassigned", "A task was given to others."},
	{"decision_task.escalated", "Those above were asked beside those who decide a task."},
	{"decision_task.commented", "Somebody said something about a task."},
	{"decision_delegation.created", "Somebody decides for somebody else from then on."},
	{"decision_delegation.updated", "A delegation of decisions was changed."},
	{"decision_delegation.revoked", "A delegation of decisions was ended before its time."},

	{"audit.read", "The audit log was looked at; at most one entry a minute for each reader."},
	{"audit.exported", "The audit log was exported."},
	{"audit.verified", "The audit log was verified."},
	{"audit.checkpoints_read", "The signed checkpoints were read."},
	{"audit.chain_started", "Entries of a release without hashes were chained as they were found."},
	{"audit.retention_updated", "How long the audit log is kept was changed."},
	{"audit.trimmed", "Entries older than the retention were dropped up to a signed checkpoint."},
	{"audit.key_rotated", "Checkpoints are signed under a new key from now on; this names it, and the old key signs this."},
	{"audit_stream.created", "A stream of the audit log was made."},
	{"audit_stream.updated", "A stream of the audit log was changed."},
	{"audit_stream.deleted", "A stream of the audit log was deleted."},
	{"audit_stream.tested", "A stream of the audit log was tried out."},
}
