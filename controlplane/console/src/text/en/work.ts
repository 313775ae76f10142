import { type Count, type Insert, plural } from "../format";

export const workQueue = "Work queue";
export const backgroundWorkOfThisTenant =
  "Background work of this tenant. An item that fails eight times is a dead letter: retry it after you have removed the cause, or delete it.";
export const settings = "Settings";
export const kindsOfWork = "Kinds of work";
export const items = "Items";
export const recurringWork = "Recurring work";
export const periodicWorkOfTheService = "Periodic work of the service, which all tenants share.";
export const noWorkIsWaiting = "No work is waiting";
export const noItemIsWaiting = "No item is waiting, and there are no dead letters.";
export const kind = "Kind";
export const waiting = "Waiting";
export const overdue = "Overdue";
export const deadLetters = "Dead letters";
export const lastError = "Last error";
export const action = "Action";
export const showAllKinds = (n: Count) => plural(n, { one: "Show the one kind", other: "Show all # kinds" });
export const waitingForAnotherAttempt = (n: Count) =>
  plural(n, { one: "# dead letter is waiting for another attempt.", other: "# dead letters are waiting for another attempt." });
export const retryCount = (n: Insert) => `Retry ${n}`;
export const all = "All";
export const state = "State";
export const deadLetter = "dead letter";
export const waitingState = "waiting";
export const subject = "Subject";
export const cause = "Cause";
export const attempts = "Attempts";
export const failed = "Failed";
export const due = "Due";
export const workItems = "Work items";
export const subjectId = "Subject ID";
export const noWorkItems = "No work items";
export const workIsUsuallyDone = "Work is usually done within a second. Items that wait or failed are listed here.";
export const tenantState = "tenant";
export const person = "person";
export const theWorkIsNotDone = "The work is not done, unless the subject changes again. The audit log keeps the error and your reason.";
export const deleteLabel = "Delete";
export const reason = "Reason";
export const csvWorkQueue = "work queue";
export const attemptsOf = (n: Insert) => `${n} of 8`;
export const deadLettersRetried = (n: Count, rest: Insert) =>
  `${plural(n, { one: "# dead letter retried", other: "# dead letters retried" })}${rest}`;
export const deadLettersDeleted = (n: Count, rest: Insert) =>
  `${plural(n, { one: "# dead letter deleted", other: "# dead letters deleted" })}${rest}`;
export const deleteCount = (n: Insert) => `Delete ${n}…`;
export const deleteDeadLetters = (n: Count) => plural(n, { one: "Delete # dead letter?", other: "Delete # dead letters?" });
export const noRecurringWork = "No recurring work";
export const thisServiceHasNoPeriodicWork = "This service has no periodic work.";
export const name = "Name";
export const interval = "Interval";
export const nextRun = "Next run";
export const lastRun = "Last run";
export const failedRuns = "Failed runs";
export const running = "running";
export const soon = "soon";
export const withDeadLetters = "With dead letters";
export const tenant = "Tenant";
export const kinds = "Kinds";
export const backgroundWorkOfAllTenants =
  "Background work of all tenants, in counts. The administrators of a tenant see its items, and retry or delete dead letters.";
export const tenants = "Tenants";
export const workOfTenants = "Work of tenants";
export const csvWorkOfTenants = "work of tenants";
export const noTenantHasItems = "No tenant has items that wait or failed.";
export const waitingCount = (n: Insert) => `${n} waiting`;
export const deadLetterCount = (n: Count) => plural(n, { one: "# dead letter", other: "# dead letters" });
