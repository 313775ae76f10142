import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// findings.tsx
export const findings = "Findings";
export const noOpenFindings = "No open findings.";
export const noEarlierCount = "No earlier count";

// findings.words.ts
export const unchangedInDaysDays = (days: Insert) => `Unchanged in ${days} days`;
export const absMoreInDaysDays = (abs: Insert, days: Insert) => `${abs} more in ${days} days`;
export const absFewerInDaysDays = (abs: Insert, days: Insert) => `${abs} fewer in ${days} days`;

// funnel.tsx
export const people = "People";
export const fromSourceSystems = "from source systems";
export const connected = "Connected";
export const withAnAccount = "with an account";
export const fromDirectoryToGovernance = "From directory to governance";
export const systemsAreConnected = "Systems are connected";
export const noSyncHasSucceededYet = "No sync has succeeded yet";
export const connectedOfPeopleHaveAnAccount = (connected: Insert, bootstrapped: Count) =>
  `${connected} of ${plural(bootstrapped, { one: "# person", other: "# people" })} have an account.`;

// page.tsx
export const loading = "Loading…";
export const connectASystem = "Connect a system";
export const decisionTasks = "Decision tasks";
export const overdueOverdue = (overdue: Insert) => `${overdue} overdue`;
export const dueSoonDueWithinADay = (dueSoon: Insert) => `${dueSoon} due within a day`;
export const failingConnectors = "Failing connectors";
export const nameFailingSinceSince = (name: ReactNode, since: ReactNode) => rich`${name}: failing, first failure ${since}`;
export const orphanAccounts = "Orphan accounts";
export const andUncorrelatedUncorrelated = (uncorrelated: Insert) => `and ${uncorrelated} uncorrelated`;
export const failedProvisioningTasks = "Failed provisioning tasks";
export const aPersonMustAct = "a person must act";
export const otherTasksAreCompletedOrWaiting = "other tasks are completed or waiting";
export const peopleInYourTeam = "People in your team";
export const noticeIsLeaving = (notice: Insert) => `${notice} is leaving`;
export const noticeAreLeaving = (notice: Insert) => `${notice} are leaving`;
export const yourOpenRequests = "Your open requests";
export const requestsWaitForApproval = (waiting: Count) =>
  `${plural(waiting, { one: "# request waits", other: "# requests wait" })} for approval`;

// parts.tsx
export const startWithHrTheSourceOf = "Start with HR, the source of people.";
export const runTheFirstSync = "Run the first sync";
export const syncsPeopleAccountsAndAccess = "Syncs people, accounts and access.";
export const checkConnections = "Check connections";
export const throughAnAgentInYourNetwork = "Through an agent in your network, or directly.";
export const installASectorPack = "Install a sector pack";
export const rolesAndPoliciesForYourSector = "Roles and policies for your sector.";
export const inviteUser = "Invite user";
export const haveAtLeastTwoAdministrators = "Have at least two administrators.";
export const firstSteps = "First steps";
export const doneOfCountDone = (done: ReactNode, count: Insert) => rich`${done} of ${count} done`;
export const isDone = "is done";
export const needsAttention = "Needs attention";
export const failingSinceSince = (since: ReactNode) => rich`first failure ${since}`;
export const inTime = "in time";
export const isHeldForReviewDiscardedHeld = (heldUntil: ReactNode) => rich`is held for review. Discarded ${heldUntil}`;
export const seeAllFailingTotal = (failingTotal: Insert) => `See all ${failingTotal}`;
export const allOpen = (open: Insert) => `All ${open}`;
export const noOpenDecisionTasks = "No open decision tasks.";
export const dueDueAt = (dueAt: ReactNode) => rich`due ${dueAt}`;
export const yourRequests = "Your requests";
export const requestAccess = "Request access";
export const noRequestsYet = "No requests yet.";

// timeline.tsx
export const syncsLast24Hours = "Syncs, last 24 hours";
export const chart = "Chart";
export const table = "Table";
export const connectors = "Connectors";
export const noSyncRunsInTheLast = "No sync runs in the last 24 hours.";
export const syncsOfSystemsInTheLast = (count: Count, count2: Count, failed: Insert) =>
  `${plural(count, { one: "# sync", other: "# syncs" })} of ${plural(count2, { one: "# system", other: "# systems" })} in the last 24 hours; ${failed} failed.`;
export const firstSystemsOfCountByName = (rows: Count, count: Insert) =>
  `First ${plural(rows, { one: "# system", other: "# systems" })} of ${count} by name. The table lists all.`;
export const thereAreMoreThanSyncRuns = (count: Count) =>
  `There are more than ${plural(count, { one: "# sync run", other: "# sync runs" })}. The newest are shown.`;
export const systemsWithSyncRuns = "Systems with sync runs";
export const syncsOfTheLast24Hours = "Syncs of the last 24 hours";
export const system = "System";
export const result = "Result";
export const started = "Started";
export const ended = "Ended";
export const waits = "waits";
export const notYet = "not yet";

// words.ts
export const goodEvening = "Good evening";
export const goodMorning = "Good morning";
export const goodAfternoon = "Good afternoon";
export const decisionsWaitForYouOverdueOverdue = (open: Count, overdue: Insert) =>
  `${plural(open, { one: "# decision waits", other: "# decisions wait" })} for you, ${overdue} overdue`;
export const decisionsWaitForYou = (open: Count) => `${plural(open, { one: "# decision waits", other: "# decisions wait" })} for you`;
export const connectorsFail = (failingTotal: Count) => plural(failingTotal, { one: "# connector fails", other: "# connectors fail" });
export const syncsAreHeld = (total: Count) => plural(total, { one: "# sync is held", other: "# syncs are held" });
export const noSystemsAreConnectedYetStart = "No systems are connected yet. Start with the source system of your people.";
export const noOpenTasks = "No open tasks.";
