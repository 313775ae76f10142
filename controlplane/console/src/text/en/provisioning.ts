import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// drifted.tsx
export const account = "Account";
export const system = "System";
export const systemLower = "system";
export const differencesInTheSystemInThe = "Differences (− in the system, + in the template)";
export const checked = "Checked";
export const field = "Field";
export const accountsThatDiffer = "Accounts that differ";
export const noDrift = "No drift";
export const accountsAreComparedAfterEachSync = "Accounts are compared after each sync, if the connector has this setting.";
export const templateValuesOfAccountsAreBeing = (good: Count, failureSummary: Insert) =>
  `Template values of ${plural(good, { one: "# account", other: "# accounts" })} are being written${failureSummary}`;
export const theSystemsValuesOfAccountsAre = (good: Count, failureSummary: Insert) =>
  `The system's values of ${plural(good, { one: "# account", other: "# accounts" })} are accepted${failureSummary}`;
export const writeTemplateValues = "Write template values";
export const acceptTheSystemsValues = "Accept the system's values";

// groups.tsx
export const failedLower = "failed";
export const manual = "manual";
export const waiting = "waiting";
export const bySystemAndCause = "By system and cause";
export const urgentUrgent = (urgent: Insert) => `${urgent} urgent`;
export const sinceOldestAt = (oldestAt: ReactNode) => rich`oldest task ${oldestAt}`;
export const tasksRetriedRemainingRemaining = (retried: Count, remaining: Insert) =>
  `${plural(retried, { one: "# task", other: "# tasks" })} retried, ${remaining} remaining.`;
export const tasksRetried = (retried: Count) => `${plural(retried, { one: "# task", other: "# tasks" })} retried.`;
export const retryCount = (count: Insert) => `Retry ${count}`;
export const resumeWrites = "Resume writes";
export const showTasks = "Show tasks";

// page.tsx
export const tasks = "Tasks";
export const drift = "Drift";
export const provisioning = "Provisioning";
export const changesToConnectedSystems = "Changes to connected systems.";
export const sectionsOfProvisioning = "Sections of provisioning";

// pausebutton.tsx
export const turnOffWritingEllipsis = "Turn off writing…";
export const turnOnWritingEllipsis = "Turn on writing…";
export const writingIsOffTasksAreStill = "Writing is off. Tasks are still planned and wait.";
export const writingIsOn = "Writing is on.";
export const turnOffWriting = "Turn off writing";
export const turnOnWriting = "Turn on writing";
export const withinSecondsNoChangeIsSent =
  "Within seconds, no change is sent to any system of this tenant. Requests in progress end; planned tasks wait.";
export const waitingTasksAreSentUrgentOnes = "Waiting tasks are sent, urgent ones first.";
export const turnOff = "Turn off";
export const turnOn = "Turn on";
export const reason = "Reason";
export const shownWithEveryWaitingTaskAnd = "Shown with every waiting task and in the audit log.";

// pausestate.tsx
export const stateOfWriting = "State of writing";
export const writingOn = "Writing on";
export const writingStoppedForSystems = (n: Count) =>
  `Writing on, but ${plural(n, { one: "stopped for # system", other: "stopped for # systems" })}`;
export const writingOff = "Writing off";

// retryfailed.tsx
export const nameCountOrMore = (name: Insert, count: Insert) => `${name} (${count} or more)`;
export const tasksRetriedAccountsSkippedBecauseThe = (retried: Count, skipped: Count) =>
  `${plural(retried, { one: "# task", other: "# tasks" })} retried; ${plural(skipped, { one: "# account", other: "# accounts" })} skipped, because the template still lacks a value.`;
export const retryAllFailedTasks = "Retry all failed tasks";
export const eachTaskIsSentAgainWith =
  "Each task is sent again with all its attempts. Accounts are created again from their template; correct the person or the template first.";
export const retryTasks = "Retry tasks";
export const noFailedTasks = "No failed tasks.";
export const systems = "Systems";

// task.tsx
export const provisioningTask = "Provisioning task";
export const nextAttemptUntil = (until: ReactNode) => rich`Next attempt: ${until}.`;
export const waitingForAPersonSentence = "Waiting for a person.";
export const responseOfTheSystem = "Response of the system";
export const person = "Person";
export const access = "Access";
export const source = "Source";
export const mode = "Mode";
export const planned = "Planned";
export const nextAttempt = "Next attempt";
export const ended = "Ended";
export const verified = "Verified";
export const note = "Note";
export const id = "ID";
export const dependsOn = "Depends on:";
export const valueTaskD = (value: ReactNode, d: Insert) => rich`${value}task ${d}`;
export const sentRequest = "Sent request";
export const plannedRequest = "Planned request";
export const readBack = "read back";
export const verifiedByASync = "verified by a sync";
export const confirmedByAPerson = "confirmed by a person";
export const noNotFoundInTheSystem = "no: not found in the system";
export const notYetDecidedByTheNext = "not yet: decided by the next full sync";
export const notYet = "not yet";
export const retried = "Retried.";
export const canceledWithAllDependentTasks = "Canceled, with all dependent tasks.";
export const recordedAsDoneManually = "Recorded as done manually.";
export const retry = "Retry";
export const markAsDoneEllipsis = "Mark as done…";
export const cancelTaskEllipsis = "Cancel task…";
export const markAsDone = "Mark as done";
export const confirmThisOnlyAfterTheChange = "Confirm this only after the change was made in the system. The next sync verifies it.";
export const changeMade = "Change made";
export const keptWithTheTaskAndIn = "Kept with the task and in the audit log.";
export const cancelTask = "Cancel task";
export const dependentTasksAreCanceledTooHint =
  "Dependent tasks are canceled too. If a reason for the access remains, the next evaluation plans the task again. End the reason to prevent this.";
export const keepTask = "Keep task";

// taskparts.tsx
export const writtenValues = "Written values";
export const withARandomPasswordThatIs = "With a random password that is not shown.";
export const attempts = "Attempts";
export const itsHost = "its host";
export const byTheAgentOnHostname = (hostname: ReactNode) => rich`by the agent on ${hostname}`;
export const outcomeUnknown = "outcome unknown";
export const responseToAttemptN = (n: Insert) => `Response to attempt ${n}`;

// tasks.tsx
export const all = "All";
export const failed = "Failed";
export const waitingForAPerson = "Waiting for a person";
export const inDoubt = "In doubt";
export const inProgress = "In progress";
export const state = "State";
export const change = "Change";
export const advice = "Advice";
export const created = "Created";
export const retryAllFailedTasksEllipsis = "Retry all failed tasks…";
export const provisioningTasks = "Provisioning tasks";
export const noProvisioningTasks = "No provisioning tasks";
export const changesToTargetSystemsAreListed = "Changes to target systems are listed here.";
export const urgent = "urgent";
export const tasksRetriedFailureSummary = (good: Count, failureSummary: Insert) =>
  `${plural(good, { one: "# task", other: "# tasks" })} retried${failureSummary}`;
export const tasksCanceledFailureSummary = (good: Count, failureSummary: Insert) =>
  `${plural(good, { one: "# task", other: "# tasks" })} canceled${failureSummary}`;
export const retryAgain = (again: ReactNode) => rich`Retry ${again}`;
export const cancelEnds = (ends: ReactNode) => rich`Cancel ${ends}…`;
export const cancelTasks = (ends: Count) => `Cancel ${plural(ends, { one: "# task", other: "# tasks" })}`;
export const dependentTasksAreCanceledToo =
  "Dependent tasks are canceled too. If a reason for the access remains, the next evaluation plans the task again.";
export const keepTasks = "Keep tasks";

// words.ts
export const createAccount = "Create account";
export const updateAccount = "Update account";
export const renameAccount = "Rename account";
export const enableAccount = "Enable account";
export const disableAccount = "Disable account";
export const deleteAccount = "Delete account";
export const unlockAccount = "Unlock account";
export const setPassword = "Set password";
export const grantAccess = "Grant access";
export const revokeAccess = "Revoke access";
export const birthright = "birthright";
export const policy = "policy";
export const request = "request";
export const review = "review";
export const violation = "violation";
export const joiningMovingOrLeaving = "joining, moving or leaving";
export const driftLower = "drift";
export const queued = "queued";
export const blocked = "blocked";
export const inProgressLower = "in progress";
export const inDoubtLower = "in doubt";
export const retrying = "retrying";
export const done = "done";
export const waitingForAPersonLower = "waiting for a person";
export const cancelled = "cancelled";
export const simulated = "simulated";
