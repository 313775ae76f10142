import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// controls.tsx
export const controls = "Mitigating controls";
export const controlsLead = "Measures that make a violation acceptable for a limited time, such as a second check of each payment.";
export const newControl = "New control";
export const control = "Control";
export const state = "State";
export const usable = "enabled";
export const disabledLower = "disabled";
export const kind = "Kind";
export const evidence = "Evidence";
export const longest = "Longest";
export const appliesTo = "Applies to";
export const inForce = "Active";
export const all = "All";
export const enabled = "Enabled";
export const disabled = "Disabled";
export const severity = "Severity";
export const policy = "Policy";
export const namesAndDescriptions = "names and descriptions";
export const noControlsYet = "No mitigating controls yet";
export const noControlsLead = "Create a control first. Then apply it on the page of a violation.";
export const separationOfDuties = "Separation of duties";
export const updated = "Updated";

// words.ts
export const controlTypes = { preventive: "preventive", detective: "detective", corrective: "corrective" };
export const effectivenesses = { low: "low", medium: "medium", high: "high" };
export const evidenceKinds = { attestation: "text", upload: "file", link: "link", report: "report", automatic_query: "stored query" };
export const everyInterval = (kind: Insert, interval: Insert) => `${kind} every ${interval}`;
export const noEvidence = "none";
export const allViolations = "all violations";
export const policiesCount = (n: Count) => plural(n, { one: "# policy", other: "# policies" });
export const withSeverity = (severities: Insert) => `severity ${severities}`;
export const states: Record<string, string> = {
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
export const endings: Record<string, string> = {
  evidence_missed: "evidence was missing",
  severity_raised: "the severity of the violation was raised",
  expired: "the duration was over",
  withdrawn: "a person ended it",
  refused: "the proposal was refused",
  replaced: "another mitigation replaced it",
  resolved: "the violation was remediated",
};
export const verdicts: Record<string, string> = {
  pending: "not reviewed",
  accepted: "accepted",
  rejected: "rejected",
  unanswered: "unanswered",
};

// controleditor.tsx
export const name = "Name";
export const description = "Description";
export const descriptionHint = "The risk that the control covers, and how.";
export const procedure = "Procedure";
export const procedureHint = "The steps of the control. Owners see them when evidence is due.";
export const kindOfControl = "Kind of control";
export const controlTypeChoices = {
  preventive: "preventive: acts before damage occurs",
  detective: "detective: finds damage",
  corrective: "corrective: repairs damage",
};
export const effectiveness = "Effectiveness";
export const owners = "Owners";
export const ownersHint = "The first owner carries out the control and provides evidence if a mitigation names no one else.";
export const approvers = "Approvers";
export const approversHint = "They approve mitigations and review evidence. If empty: the owners of the violated policy.";
export const policies = "Policies";
export const policiesHint = "The control applies to violations of these policies. If empty: of all policies.";
export const severities = "Severities";
export const severitiesHint = "If none is checked: all.";
export const severityChoices = { low: "low", medium: "medium", high: "high", critical: "critical" };
export const longestDuration = "Longest duration";
export const longestDurationHint = "Longest time from the approval of a mitigation to its end: up to 730 days.";
export const evidenceIsRequired = "Evidence is required";
export const evidenceIsRequiredHint = "Without evidence in time, a mitigation lapses and its violation is open again.";
export const kindOfEvidence = "Kind of evidence";
export const evidenceKindChoices = {
  attestation: "text of the owner",
  upload: "file",
  link: "link to a record in another system",
  report: "report, as a file or a link",
  automatic_query: "answer to a stored query, without people",
};
export const onLapse = "When a mitigation lapses or expires";
export const onLapseChoices = {
  reopen: "the violation is open again",
  revoke: "and the smallest way out is revoked",
  escalate: "and its decision is escalated",
};
export const onLapseHint =
  "What cannot be revoked is escalated. Escalated decisions are urgent and go to the owners of the policy and their managers.";
export const interval = "Interval";
export const intervalHint = "Time between two pieces of evidence: up to 365 days.";
export const grace = "Grace";
export const graceHint = "How late evidence can be before the mitigation lapses: up to 90 days.";
export const defaultDuration = (days: Count) => plural(days, { one: "# day", other: "# days" });
export const save = "Save";
export const controlSaved = (name: Insert) => `${name} saved.`;

// newcontrol.tsx
export const newControlLead = "Define what compensates for a violation, for how long, and which evidence shows it.";

// control.tsx
export const edit = "Edit";
export const enable = "Enable";
export const disable = "Disable";
export const isEnabled = (name: Insert) => `${name} is enabled.`;
export const isDisabled = (name: Insert) => `${name} is disabled.`;
export const disableThisControl = "Disable this control?";
export const disableControlLead = (n: Count) =>
  plural(n, {
    one: "It can no longer be applied. # active mitigation continues.",
    other: "It can no longer be applied. # active mitigations continue.",
  });
export const disableUnusedLead = "It can no longer be applied.";
export const more = "More";
export const deleteLabel = "Delete";
export const close = "Close";
export const deleteThisControl = "Delete this control?";
export const deleteControlLead = "Its versions and its ended mitigations stay in the history.";
export const controlDeleted = (name: Insert) => `${name} deleted.`;
export const controlInUse = "Control in use";
export const controlInUseLead = (n: Count) =>
  plural(n, {
    one: "# active mitigation applies this control, so it cannot be deleted. Disable the control, or end the mitigation first.",
    other: "# active mitigations apply this control, so it cannot be deleted. Disable the control, or end the mitigations first.",
  });
export const disabledNote = "Disabled: the control cannot be applied. Active mitigations continue.";
export const editLead = "A change is a new version. Mitigations keep their period; their next evidence follows the new interval and grace.";
export const facts = "Facts";
export const id = "ID";
export const version = "Version";
export const source = "Source";
export const packOf = (name: Insert) => `sector pack ${name}`;
export const ownersOfThePolicy = "owners of the violated policy";
export const allPolicies = "all";
export const noProcedure = "No procedure.";
export const mitigationsThatUseIt = "Mitigations with this control";
export const notAppliedYet = "Not applied yet";
export const notAppliedLead = "Apply the control on the page of a violation.";
export const earlierVersions = "Earlier definitions. Every change is a version.";
export const versionOfControl = (evidence: Insert, longest: Insert) => `evidence: ${evidence}; longest duration: ${longest}`;

// mitigations.tsx
export const mitigations = "Mitigations";
export const mitigationsLead = "Mitigating controls that are applied to violations, with their evidence and their end.";
export const person = "Person";
export const owner = "Owner";
export const evidenceDue = "Evidence due";
export const ends = "Ends";
export const never = "none";
export const proposed = "Proposed";
export const active = "Active";
export const due = "Due";
export const overdue = "Overdue";
export const lapsed = "Lapsed";
export const mine = "Mine";
export const noMitigations = "No mitigations";
export const noMitigationsLead = "Choose Mitigate on the page of a violation to apply a control.";
export const noMitigationVisible = "Mitigations of your reports and those that you carry out are listed here.";

// mitigation.tsx
export const mitigation = "Mitigation";
export const endEllipsis = "End mitigation…";
export const ofPolicyByPerson = (policy: ReactNode, person: ReactNode) => rich`${policy}, violated by ${person}`;
export const justification = "Justification";
export const proposedNote = "Another person approves or refuses it in the inbox. The violation is open until then.";
export const dueNote = (due: ReactNode, lapses: ReactNode) =>
  rich`Evidence is due ${due}. Its owner provides it in the inbox. Without it, the mitigation lapses ${lapses}.`;
export const overdueNote = (due: ReactNode, lapses: ReactNode) =>
  rich`Evidence was due ${due}. Without it, the mitigation lapses ${lapses}, and the violation is open again.`;
export const endedNote = (at: ReactNode, reason: Insert) => rich`It ended ${at}: ${reason}.`;
export const violation = "Violation";
export const showViolation = "Show the violation";
export const violationsOfThePerson = "Violations of the person";
export const request = "Access request";
export const showRequest = "Show the request";
export const duration = "Duration";
export const proposedBy = "Proposed by";
export const decidedBy = "Decided by";
export const byAt = (by: ReactNode, at: ReactNode) => rich`${by}, ${at}`;
export const comment = "Comment";
export const starts = "Starts";
export const reminded = "Reminded of evidence";
export const endAnnounced = "End announced";
export const endAgreed = "Ends without renewal";
export const decidedAt = (at: ReactNode) => rich`decided ${at}`;
export const renews = "Renewal of";
export const earlierMitigation = "Show the earlier mitigation";
export const lapseEffect = "Effect";
export const lapseEffects: Record<string, string> = {
  reopened: "The violation was reopened.",
  revoked: "The violation was reopened, and the revocation of access was ordered.",
  escalated: "The violation was reopened, and its decision was escalated.",
};
export const nextEvidence = "Next evidence";
export const lapses = "Lapses without evidence";
export const ended = "Ended";
export const historyOfTheMitigation = "What happened to the mitigation, the newest first.";
export const nothingHasHappenedYet = "Nothing has happened yet.";
export const systemActor = "The service";
export const actions: Record<string, string> = {
  "mitigation.proposed": "proposed it",
  "mitigation.approved": "approved it",
  "mitigation.refused": "refused it",
  "mitigation.withdrawn": "ended it",
  "mitigation.replaced": "replaced it by another mitigation",
  "mitigation.evidence_asked": "asked for evidence",
  "mitigation.evidence_provided": "provided evidence",
  "mitigation.evidence_accepted": "accepted evidence",
  "mitigation.evidence_rejected": "rejected evidence",
  "mitigation.evidence_overdue": "recorded that evidence is overdue",
  "mitigation.query_passed": "evaluated the stored query: passed",
  "mitigation.query_failed": "evaluated the stored query: failed",
  "mitigation.query_unanswered": "evaluated the stored query: not answered",
  "mitigation.lapsed": "recorded that it lapsed",
  "mitigation.expired": "ended it after its duration",
  "mitigation.resolved": "ended it with the violation",
};

// evidence.tsx
export const evidenceLead = "What its owner or its stored query has provided, the newest first.";
export const noEvidenceYet = "No evidence was provided yet.";
export const providedBy = (by: ReactNode, at: ReactNode) => rich`${by}, ${at}`;
export const wasDue = (at: ReactNode) => rich`due ${at}`;
export const reviewedBy = (verdict: ReactNode, by: ReactNode, at: ReactNode) => rich`${verdict} by ${by}, ${at}`;
export const downloadFile = (name: Insert) => `Download ${name}`;
export const reviewInTheInbox = "Review in the inbox";

// queryeditor.tsx
export const query = "Stored query";
export const queryLead = "It is evaluated when evidence is due. People are asked if it fails or cannot be answered.";
export const queryAbout = "Looks at";
export const queryAbouts = {
  person: "the person",
  manager: "their manager",
  accounts: "their accounts in systems",
  grants: "their grants in the violation",
  violations: "other violations of the policy",
};
export const systems = "Systems";
export const systemsHint = "Accounts in these systems. The last full sync of each must not be older than the interval.";
export const conditionOfQuery = "Counts those with";
export const noClausesAll = "No clauses: all are counted.";
export const queryExpect = "Expects";
export const queryExpects = { none: "none", some: "at least one", at_most: "at most a number" };
export const atMost = "At most";
export const preview = "Preview";
export const previewing = "Evaluating…";
export const previewLead = "What the query would answer today, for violations that the control applies to.";
export const previewOf = (evaluated: Count, all: Count) =>
  plural(all, { one: `${evaluated} of # violation was evaluated.`, other: `${evaluated} of # violations were evaluated.` });
export const previewCounts = (passed: Count, failed: Count, unanswered: Count) =>
  `Passed: ${passed}. Failed: ${failed}. Not answered: ${unanswered}.`;
export const nothingToPreview = "There is no violation that the control applies to.";
export const previewAnswers = "Answers";
export const outcomes: Record<string, string> = { passed: "passed", failed: "failed", unanswered: "not answered" };
export const expectsAtMost = (n: Count) => `at most ${n}`;
export const queryInWords = (about: Insert, conditions: Insert, expected: Insert) =>
  conditions ? `${about}, where ${conditions}; expected: ${expected}` : `${about}; expected: ${expected}`;
export const andJoin = " and ";
export const orJoin = " or ";
export const noneOf = (conditions: Insert) => `none of (${conditions})`;

// queryresult.tsx
export const foundOf = (found: Count, looked: Count) => `${found} found, ${looked} looked at.`;
export const undecided = (n: Count) => plural(n, { one: "# could not be decided.", other: "# could not be decided." });
export const versionAsked = (n: Count) => `Version ${n} of the control.`;
export const examples = "Examples";
export const hiddenExamples = (n: Count) =>
  plural(n, { one: "# example about a person whom you do not see.", other: "# examples about people whom you do not see." });
export const syncedAt = (system: ReactNode, at: ReactNode) => rich`${system}, last full sync ${at}`;
export const neverSynced = (system: ReactNode) => rich`${system}, no full sync`;
export const sources = "Sources";
