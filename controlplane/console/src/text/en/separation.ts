import type { ReactNode } from "react";
import { type Count, conjunction, type Insert, plural, rich } from "../format";

// conflict.tsx
export const sideByPastAccess = "Access that has ended";
export const noAccessOfYours = "No access that you own.";
export const noAccessOnThisSide = "The person does not perform this duty.";
export const required = "required, and missing";
export const pendingLower = "pending";
export const through = (path: ReactNode) => rich`through ${path}`;
export const sourceOf = (kind: Insert, name: ReactNode) => rich`${kind}: ${name}`;
export const sinceAt = (at: ReactNode) => rich`since ${at}`;
export const dutiesList = (names: string[]) => `Duties: ${conjunction(names)}`;
export const moreAccess = (n: Count) => plural(n, { one: "Show # more", other: "Show # more" });
export const sides = "Sides";

// cures.tsx
export const removeAnyOneOfThese = "Remove any one of these";
export const removeThis = "Remove this";
export const cureOf = (names: string[]) => conjunction(names);
export const eachOfTheseEndsTheViolation = (n: Count) =>
  plural(n, {
    one: "Removing this access ends the violation. No smaller way exists.",
    other: "Each of these is enough to end the violation. No smaller way exists.",
  });
export const eachOfTheseEndsUnproven = "Each of these is enough to end the violation. A smaller way may exist.";
export const noRemovalEndsTheViolation = "No removal of access ends this violation. Grant the missing duty, or change the policy.";
export const accessToRevoke = "Access to revoke";
export const notGrantedYet = "Not granted yet, so it cannot be revoked here.";
export const revokeEllipsis = "Revoke…";
export const revokeNames = (names: Insert) => `Revoke ${names}`;

// remediate.tsx
export const revokeAccess = "Revoke access";
export const revoke = "Revoke";
export const accessFromPerson = (person: ReactNode) => rich`From ${person}, by the ordinary revocation.`;
export const reason = "Reason";
export const shownInTheAccessHistory = "Shown in the access history.";
export const blockUntil = "Block until";
export const requiredIfAPolicyWouldGrant = "Required if a policy would grant the access again.";
export const revocationWasOrdered =
  "The revocation was ordered. The violation stays open until an evaluation proves that the access is gone.";
export const endsOf = (name: ReactNode) => rich`${name} ends.`;
export const staysOf = (name: ReactNode) => rich`${name} stays: other reasons keep it.`;
export const wouldReturnThrough = (reasons: string[]) => `A policy would grant it again: ${conjunction(reasons)}.`;
export const theViolationEnds = "The violation ends.";

// scan.tsx
export const scanNow = "Scan now";
export const cancelScan = "Cancel the scan";
export const scanStarted = "The scan has started.";
export const scanCancelled = "The scan was cancelled. Recorded violations stay.";
export const scanWaits = "A scan is about to start.";
export const scanOfPeople = "Scan of all people";
export const evaluatedOf = (done: Insert, total: Insert) => `Evaluated ${done} of ${total} people.`;
export const peopleEvaluated = "people evaluated";
export const peopleWaiting = "people waiting";
export const foundSoFar = (found: Count) => plural(found, { one: "# violation found so far.", other: "# violations found so far." });
export const lastScanAt = (at: ReactNode, people: Count, found: Count, remediated: Count) =>
  rich`Last scan ${at}: ${plural(people, { one: "# person", other: "# people" })}, ${plural(found, { one: "# new violation", other: "# new violations" })}, ${plural(remediated, { one: "# remediated", other: "# remediated" })}.`;
export const scanWasCancelledAt = (at: ReactNode) => rich`The last scan was cancelled ${at}.`;
export const noScanYet = "No scan has run yet.";
export const scanCauses: Record<string, string> = {
  request: "Requested by an administrator.",
  change: "Started by a change of policies or duties.",
  night: "Nightly scan.",
};

// mitigate.tsx
export const control = "Control";
export const selectAControl = "Select a control";
export const noControlApplies = "No enabled control can be applied to this violation.";
export const days = "Days";
export const durationHint = "The time from the approval to the end. Empty: the longest that is allowed.";
export const longestDuration = (d: Insert) => `The time from the approval to the end. The control allows ${d}.`;
export const mitigationProposed = "The mitigation was proposed. Another person approves it.";
export const proposeAMitigation = "Propose a mitigation";
export const mitigationLead = "A control compensates for the violation for a limited time. Another person approves this.";
export const propose = "Propose";
export const proposeWithTheRequest = "Propose a mitigation";
export const proposeWithTheRequestHint = "A control compensates for the violation. Another person approves it before the access is given.";
export const justification = "Justification";
export const justificationHint = "Why the violation is acceptable for the time.";
export const mitigationWithdrawn = "The mitigation was ended.";
export const endTheMitigation = "End the mitigation";
export const endTheMitigationLead = "The violation is open again, and its owners decide.";
export const endIt = "End";
export const downloadFile = (name: Insert) => `Download ${name}`;
export const uploadEvidenceEllipsis = "Upload a file…";
export const provideEvidenceEllipsis = "Provide evidence…";
export const address = "Address";
export const addressHint = "Of a record or report, with http or https.";
export const mitigationOwner = "Owner";
export const mitigationOwnerHint = "Carries out the control and provides evidence. If empty: the first owner of the control.";
export const controlWithoutOwner = "Carries out the control and provides evidence. The control has no owner, so choose a person.";
export const uploadEvidence = "Upload evidence";
export const evidenceProvided = "The evidence was provided. Another person reviews it.";
export const provide = "Provide";
export const file = "File";
export const fileHint = "Up to 5 MiB.";
export const whatItShows = "What it shows";

// settle.tsx
export const markAsFalsePositive = "Mark as false positive";
export const falsePositiveLead =
  "The mark applies to this version of the policy and to this access. Another version, or more access on a side, reopens the violation.";
export const mark = "Mark";
export const markedAsFalsePositive = "Marked as a false positive.";
export const assign = "Assign";
export const assignTheViolation = "Assign the violation";
export const assigneeDecides = "The assignee decides about the violation instead of the owners of the policy.";
export const person = "Person";
export const assignedTo = (name: Insert) => `Assigned to ${name}.`;
export const removeTheAssignee = "Remove the assignee";
export const noLongerAssigned = "No longer assigned.";

// violation.tsx
export const violation = "Violation";
export const falsePositiveEllipsis = "False positive…";
export const mitigateEllipsis = "Mitigate…";
export const endMitigationEllipsis = "End mitigation…";
export const mitigation = "Mitigation";
export const mitigationStates: Record<string, string> = {
  proposed: "proposed",
  active: "active",
  evidence_due: "evidence due",
  evidence_overdue: "evidence overdue",
  lapsed: "lapsed",
  expired: "expired",
  withdrawn: "ended by a person",
  refused: "refused",
  replaced: "replaced",
  resolved: "resolved",
};
export const assignEllipsis = "Assign…";
export const facts = "Facts";
export const policy = "Policy";
export const idLabel = "ID";
export const related = "Related";
export const assignee = "Assignee";
export const noOne = "no one";
export const detectedBy = "Detected by";
export const detectedBys: Record<string, string> = { change: "a change of access", scan: "a scan" };
export const firstFound = "First found";
export const lastFound = "Last found";
export const reopened = "Reopened";
export const reopenedTimes = (at: ReactNode, n: Count) => rich`${at} (${plural(n, { one: "once", other: "# times" })})`;
export const adviceOfThePolicy = "Advice of the policy";
export const shadowNote = "The policy is in shadow mode: it prevents nothing, and its violations are not decision tasks.";
export const partialNote = "You see only the access that you own. Other access and the ways to end the violation are omitted.";
export const orderedNote = (by: ReactNode, at: ReactNode, names: Insert, reason: ReactNode) =>
  rich`${by} ordered the revocation of ${names} ${at}: ${reason} The violation stays open until an evaluation proves that the access is gone.`;
export const automaticOutcomes: Record<string, string> = {
  revoked: "revoked access",
  recorded: "recorded what it would revoke",
  asked: "left to a decision",
};
export const automaticRecorded = (names: Insert) => rich`If it were enforced, the policy would revoke ${names} automatically.`;
export const automaticCauses: Record<string, string> = {
  not_revocable: "No access can be revoked automatically.",
  required: "No access can be revoked automatically, because other policies require it.",
  limit: "The policy has revoked access for 100 violations within 24 hours, so this one is left to a decision.",
  repeated: "Access was revoked automatically before, and the violation came back. It is left to a decision.",
  accepted: "The violation was accepted before, so no access is revoked automatically.",
};
export const automaticOutcome = "Automatic revocation";
export const markedNote = (by: ReactNode, at: ReactNode, version: Insert, reason: ReactNode) =>
  rich`${by} marked it as a false positive ${at}, for version ${version} of the policy: ${reason}`;
export const mitigatedNote = (control: ReactNode, until: ReactNode) => rich`The control ${control} covers it ${until}.`;
export const untilEnd = (at: ReactNode) => rich`until ${at}`;
export const proposedNote = (control: ReactNode) => rich`A mitigation by the control ${control} is proposed.`;
export const remediatedByAccess = (at: ReactNode) => rich`The access is gone since ${at}.`;
export const remediatedByPolicy = (at: ReactNode) => rich`The policy was changed, disabled or deleted. It was last checked ${at}.`;
export const history = "History";
export const historyOfTheViolation = "What happened to the violation, the newest first.";
export const nothingWasDoneYet = "Nothing has happened yet.";
export const systemActor = "An evaluation";
export const actions: Record<string, string> = {
  "violation.marked_false_positive": "marked it as a false positive",
  "violation.assigned": "changed the assignee",
  "violation.remediation_ordered": "ordered a revocation",
  "violation.revocation_asked": "revoked nothing automatically",
  "violation.revocation_recorded": "recorded what would be revoked",
  "violation.found": "found it",
  "violation.reopened": "found it again",
  "violation.remediated": "no longer found it",
  "violation.mitigated": "applied a mitigation",
};
export const allOfThePolicy = "All violations of the policy";
export const allOfThePerson = "All violations of the person";
export const waysToEndIt = "Ways to end it";

// violations.tsx
export const violations = "Violations";
export const violationsLead = "People who perform duties that a separation-of-duties policy keeps apart, with the smallest ways to end it.";
export const conflict = "Conflict";
export const severity = "Severity";
export const grade = "Grade";
export const state = "State";
export const found = "Found";
export const open = "Open";
export const all = "All";
export const critical = "Critical";
export const mitigated = "Mitigated";
export const falsePositives = "False positives";
export const remediated = "Remediated";
export const mine = "Mine";
export const peopleAndPolicies = "people and policies";
export const noViolations = "No violations";
export const noViolationsLead = "No person performs duties that an evaluated policy keeps apart. Policies in draft mode are not evaluated.";
export const noViolationVisible = "Violations of your reports and of access that you own are listed here.";
export const and = " and ";

// words.ts
export const severities = { critical: "critical", high: "high", medium: "medium", low: "low" };
export const grades = {
  latent: "pending",
  potential: "held",
  exercised_one: "one side used",
  exercised_both: "both sides used",
  inside_role: "in one role",
};
export const states = { open: "open", mitigated: "mitigated", false_positive: "false positive", remediated: "remediated" };
export const kinds = {
  pair: "two sides",
  n_of_m: "n of m sides",
  matrix: "matrix",
  companion: "missing companion",
  history: "within a period",
};
export const modes = { draft: "draft", shadow: "shadow", enforce: "enforced" };
export const effects = {
  block: "blocked",
  exception: "needs an exception",
  warn: "warning",
  record: "recorded only",
  task: "decision task",
};
export const sourceKinds: Record<string, string> = {
  grant: "grant",
  request_item: "request",
  role_assignment: "role assignment",
  role: "role",
  policy: "policy",
  order: "assignment",
  task: "provisioning task",
  added: "requested access",
};

// arcs.tsx
export const conflictsBetweenSides = "Conflicts between sides";
export const conflictsWith = "Conflicts with";
export const side = "Side";
export const pictureOf = (pairs: string[]) => `Conflicts between sides: ${pairs.join("; ")}.`;
export const pairOf = (a: Insert, b: Insert) => `${a} and ${b}`;
export const requiresOf = (a: Insert, b: Insert) => `${a} requires ${b}`;
export const afterOf = (a: Insert, b: Insert) => `${a} within the period after ${b}`;
export const requires = "Requires";
export const isRequiredBy = "Is required by";
export const noConflictsYet = "No conflicts yet.";
export const nothingElse = "nothing";
export const unnamedSide = (n: Insert) => `Side ${n}`;

// definition.tsx
export const appliesFrom = "Evaluated from";
export const appliesUntil = "Evaluated until";
export const onRequest = "Requests";
export const onAssignment = "Assignments without a request";
export const onDetection = "Violations that are found";
export const context = "Counts together";
export const onlySameEnvironment = "access in the same environment";
export const onlySameLegalEntity = "access of the same legal entity";
export const onlySameAttribute = (name: Insert) => `access with the same ${name}`;
export const withoutReadOnly = "without entitlements that only allow reading";
export const allAccessCounts = "all access";
export const rationale = "Rationale";
export const regulations = "Regulations";
export const owners = "Owners";
export const version = "Version";
export const source = "Source";
export const packOf = (name: Insert) => `sector pack ${name}`;
export const kind = "Kind";
export const window = "Period";
export const atLeastNSides = (n: Insert) => `at least ${n} sides`;
export const definition = "Definition";
export const id = "ID";
export const dutiesOfTheSide = "Duties";
export const blindSide = "no one can perform it";

// duties.tsx
export const duties = "Duties";
export const policies = "Policies";
export const blind = "Blind";
export const blindLower = "blind";

// duty.tsx
export const edit = "Edit";
export const deleteLabel = "Delete";
export const more = "More";
export const close = "Close";
export const member = "Member";
export const earlierVersions = "Earlier definitions. Every change is a version.";

// dutyeditor.tsx
export const name = "Name";
export const description = "Description";
export const save = "Save";

// impact.tsx
export const preview = "Preview";
export const previewLead =
  "Violations that the change would cause and end, over the access of all people, current and pending. Nothing is stored.";
export const cancel = "Cancel";
export const previewAgain = "The draft has changed. Preview it again.";
export const newViolations = "New violations";
export const endedViolations = "Ended violations";
export const violationsAfter = "Violations after the change";
export const peopleAffected = "People affected";
export const peopleAffectedOf = (n: Insert, total: Insert) => `${n} of ${total}`;
export const byPolicy = "By policy";
export const before = "Before";
export const after = "After";
export const change = "Change";
export const byDepartment = "By department";
export const department = "Department";
export const withoutADepartment = "without a department";
export const people = "People";
export const nothingChanges = "No violation would appear or end.";
export const thisPolicy = "this policy";
export const policyBecomesBlind = "blind";

// simulation.tsx
export const simulationWaits = "The simulation is about to start.";
export const simulationEnds: Record<string, string> = {
  cancelled: "The simulation was cancelled.",
  time_limit: "The simulation did not end within an hour. Start it again when the service is less busy.",
  definitions_changed: "A duty of the policy was changed or deleted. Open the policy again and repeat the simulation.",
};

// simulationresults.tsx
export const violationsInTheResult = "Violations in the result";
export const noViolationInTheResult = "No violation matches the filters.";
export const downloadNdjson = "Download as NDJSON";
export const rowsOf = (first: Insert, last: Insert, total: Insert) => `${first} to ${last} of ${total}`;
export const changes: Record<string, string> = {
  "new,closed": "new and ended",
  new: "new",
  closed: "ended",
  unchanged: "unchanged",
};
export const changesOfOne: Record<string, string> = { new: "+ new", closed: "− ended", unchanged: "unchanged" };

// newpolicy.tsx
export const newPolicy = "New policy";
export const newPolicyLead = "A policy names the duties that one person must not perform together. A draft is not evaluated.";
export const policySavedAsDraft = (name: Insert) => `${name} saved. Simulate it, then set its mode.`;

// policies.tsx
export const separationOfDuties = "Separation of duties";
export const separationLead =
  "Policies that keep duties apart, the duties with the access that performs them, and the controls that mitigate violations.";
export const sections = "Sections";
export const controls = "Controls";
export const mitigations = "Mitigations";
export const mode = "Mode";
export const effect = "Effect";
export const openViolations = "Open violations";
export const enforced = "Enforced";
export const shadow = "Shadow";
export const drafts = "Drafts";
export const off = "Off";
export const offLower = "off";
export const namesAndDescriptions = "names and descriptions";
export const noPoliciesYet = "No separation-of-duties policies yet";
export const noPoliciesLead = "Create the duties first, then a policy with a duty on each side.";

// policy.tsx
export const simulate = "Simulate";
export const policySaved = (name: Insert) => `${name} saved.`;
export const blindNote = (labels: string[]) =>
  `The policy is blind: no one can perform ${conjunction(labels)}, so it finds no violations. Its duties have no access in a connected system.`;
export const draftNote = "Draft: the policy is not evaluated. Simulate it, then set its mode.";
export const shadowPolicyNote = "Shadow: the policy is evaluated and prevents nothing. Enforce it when its violations are as you expect.";
export const wouldBlock = (n: Count) =>
  plural(n, {
    one: "# request of the last 30 days would have been refused.",
    other: "# requests of the last 30 days would have been refused.",
  });
export const offNote = "Disabled: the policy is not evaluated.";
export const violationsOfIt = (n: Count) => plural(n, { one: "# open violation", other: "# open violations" });
export const showViolations = "Violations of this policy";
export const versionOfPolicy = (kind: Insert, sides: string[], mode: Insert) => `${kind}: ${sides.join(", ")} (${mode})`;
export const figures = "Figures";
export const simulation = "Simulation";
export const simulationLead = "Violations if the policy were evaluated, over the access of all people, current and pending.";
export const simulateAgain = "Simulate again";

// policyactions.tsx
export const enforce = "Enforce";
export const startShadow = "Start shadow mode";
export const backToDraft = "Back to draft";
export const enable = "Enable";
export const disable = "Disable";
export const enforceName = (name: Insert) => `Enforce ${name}?`;
export const enforceLead = "Requests, grants and roles that would violate the policy are treated as its effect says, from now on.";
export const isEnforced = (name: Insert) => `${name} is enforced.`;
export const isInShadow = (name: Insert) => `${name} is in shadow mode.`;
export const isADraft = (name: Insert) => `${name} is a draft.`;
export const isEnabled = (name: Insert) => `${name} is enabled.`;
export const isDisabled = (name: Insert) => `${name} is disabled.`;
export const deleteThisPolicy = "Delete this policy?";
export const deletePolicyLead = "Its open violations are remediated: the policy no longer asks for them. Its versions stay in the history.";
export const policyDeleted = (name: Insert) => `${name} deleted.`;
export const disableThisPolicy = "Disable this policy?";
export const disableLead = "It prevents nothing and finds no violations while it is disabled. Its open violations end.";
export const draftThisPolicy = "Return to draft?";
export const draftLead = "A draft is not evaluated: it prevents nothing, and its open violations end.";

// policyeditor.tsx
export const kindChoices: Record<string, string> = {
  pair: "two sides: both",
  n_of_m: "n of m: at least n sides",
  matrix: "matrix: chosen pairs of sides",
  companion: "companion: the first side without the second",
  history: "history: the first side, and the second within a period",
};
export const howSidesConflict = "Conflict";
export const numberOfSides = "Number of sides";
export const numberOfSidesHint = "A person who performs this many sides violates the policy.";
export const windowHint = "How long the second side counts after it ended.";
export const sideN = (n: Insert) => `Side ${n}`;
export const labelOfSide = "Label";
export const labelHint = "If empty: the name of the first duty.";
export const dutiesOfSideN = (n: Insert) => `Duties of side ${n}`;
export const anyOfTheDuties = "A person performs the side by any of its duties.";
export const addSide = "Add side";
export const removeSideN = (n: Insert) => `Remove side ${n}`;
export const conflictsOfTheMatrix = "Conflicting sides";
export const conflictsOfTheMatrixHint = "Check each pair of sides that one person must not perform together.";
export const aConflictsWithB = (a: Insert, b: Insert) => `${a} conflicts with ${b}`;
export const contextTitle = "Access that counts together";
export const sameEnvironment = "Only in the same environment";
export const sameEnvironmentHint = "Access in production and access in a test system do not conflict.";
export const sameLegalEntity = "Only of the same legal entity";
export const sameLegalEntityHint = "The attribute legal_entity of the entitlements.";
export const sameAttributes = "Further attributes that must agree";
export const sameAttributesHint = "Names of attributes or labels of entitlements, one per line, such as company_code.";
export const excludeReadOnly = "Without entitlements that only allow reading";
export const companionComparesNothing = "A companion policy compares no context.";
export const effectTitle = "Effects";
export const onRequestOfAViolation = "Requests that would violate the policy";
export const onAssignOfAViolation = "Assignments that would violate the policy";
export const onAssignHint = "Access that is assigned directly, by a role or a rule, or by a link of an account.";
export const asForRequests = "as for requests";
export const assignEffects: Record<string, string> = {
  block: "block them",
  exception: "block them, and advise to request the access",
  record: "record them",
};
export const mitigatingControls = "Mitigating controls";
export const mitigatingControlsHint =
  "Only these can be applied to violations of the policy. A request that the policy blocks can propose one of them. Empty: any control, and none in requests.";
export const longestMitigation = "Longest mitigation";
export const longestMitigationHint = "Also of access that is given by an exception. Empty: as the control and the approval rule say.";
export const exceptionRule = "Approval rule of exceptions";
export const exceptionLabel = "Exception";
export const ruleLabel = "Approval rule";
export const allowedBy = (request: ReactNode, people: Insert) => rich`${request}, approved by ${people}`;
export const exemptPeople = "Exempt people from the policy";
export const exemptPeopleHint = "The policy does not apply to the people who meet a condition.";
export const exemptions = "Exempt people";
export const onDetectedViolation = "Violations that are found";
export const detectEffects: Record<string, string> = {
  task: "ask the owners of the policy to decide",
  revoke_lower_risk: "revoke the access with the lower risk",
  record: "record them",
};
export const effectChoices: Record<string, string> = {
  block: "block them",
  exception: "ask for an exception",
  warn: "show a warning to requester and approvers",
  record: "record them",
};
export const remediationLabel = "Advice on how to resolve a violation";
export const rationaleHint = "The reason for the policy, for auditors.";
export const regulationRefs = "Regulations and controls";
export const onePerLineSuch = "One per line, such as SOX 404.";
export const modeOfTheNewPolicy = "Mode";
export const modeChoices: Record<string, string> = { draft: "draft: not evaluated", shadow: "shadow: evaluated, prevents nothing" };
export const validity = "Validity";
export const picture = "Picture of the conflicts";
export const general = "General";

// verdict.tsx
export const wouldViolate = "Policies that would be violated";
export const smallestWayOut = "The smallest way out: do without this";
export const smallestWaysOut = "The smallest way out: do without any one of these";
export const whoWouldViolatePolicy = (who: ReactNode, policy: ReactNode) => rich`${who}: the request would violate ${policy}`;
export const thisWouldViolatePolicy = (policy: ReactNode) => rich`This would violate ${policy}`;
export const verdictEffects: Record<string, string> = {
  block: "refused",
  exception: "needs an exception",
  warn: "warning",
  record: "recorded only",
};
export const exceptionBy = (rule: ReactNode) => rich`The approvers of the rule ${rule} must allow an exception.`;
export const exceptionTerms = "The request needs a justification and an end.";
export const exceptionAtMost = (duration: Insert) =>
  `The request needs a justification and an end, ${duration} after the start at the latest.`;
export const requestInstead = "This access needs an exception, which is requested. It is only assigned if the policy records assignments.";
export const requestAccess = "Request access";
export const exceptedNote = (request: ReactNode, until: ReactNode) => rich`The exception of ${request} covers it ${until}.`;
export const exceptionNoLongerCovers = (request: ReactNode) =>
  rich`The exception of ${request} does not cover it: there is more access on a side, or a higher severity.`;
export const itWillBeRefused = "It will be refused, because the person would perform duties that a policy keeps apart.";
export const leaveOut = "Leave out";
export const leaveOutNames = (names: Insert) => `Leave out ${names}`;
