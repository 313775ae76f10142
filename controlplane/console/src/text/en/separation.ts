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
export const markedNote = (by: ReactNode, at: ReactNode, version: Insert, reason: ReactNode) =>
  rich`${by} marked it as a false positive ${at}, for version ${version} of the policy: ${reason}`;
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
  "violation.found": "found it",
  "violation.reopened": "found it again",
  "violation.remediated": "no longer found it",
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
export const falsePositives = "False positives";
export const remediated = "Remediated";
export const mine = "Mine";
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
export const states = { open: "open", false_positive: "false positive", remediated: "remediated" };
export const kinds = {
  pair: "two sides",
  n_of_m: "n of m sides",
  matrix: "matrix",
  companion: "missing companion",
  history: "within a period",
};
export const modes = { draft: "draft", shadow: "shadow", enforce: "enforced" };
export const effects = { block: "block the request", warn: "warn", record: "record only" };
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
