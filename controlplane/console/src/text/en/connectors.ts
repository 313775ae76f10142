import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// actions.tsx
export const pause = "Pause";
export const pauseConnector = "Pause connector";
export const noFurtherSyncRunStartsUntil =
  "No further sync run starts until you resume the connector. A running sync continues to its end.";
export const disable = "Disable";
export const disableConnector = "Disable connector";
export const noSyncRunStartsARunning =
  "No sync run starts, a running sync is canceled, and no change is sent to the system until you resume the connector. Synced data is kept.";
export const resumedMissedSyncRunsAreNot = "Resumed. Missed sync runs are not repeated.";
export const quarantineClearedTheConnectorRunsAgain = "Quarantine cleared. The connector runs again.";
export const accountsWillBeComparedWithThe = (accounts: Count) =>
  `${plural(accounts, { one: "# account", other: "# accounts" })} will be compared with the account template.`;
export const resume = "Resume";
export const clearQuarantine = "Clear quarantine";
export const syncNow = "Sync now";
export const more = "More";
export const moreActions = "More actions";
export const checkForDrift = "Check for drift";
export const pauseEllipsis = "Pause…";
export const disableEllipsis = "Disable…";
export const saved = "Saved.";
export const reason = "Reason";
export const shownWithTheConnectorAndIn = "Shown with the connector and in the audit log.";

// connector.tsx
export const overview = "Overview";
export const runs = "Runs";
export const mapping = "Mapping";
export const settings = "Settings";
export const connectors = "Connectors";
export const throughAnAgent = "through an agent";
export const directConnection = "direct connection";
export const sectionsOfTheConnector = "Sections of the connector";
export const thisConnectorIsADraftIt = "This connector is a draft. It does not sync yet.";
export const continueSetup = "Continue setup";

// healthstate.tsx
export const writesStoppedLower = "writes stopped";

// overview.tsx
export const id = "ID";
export const people = "People";
export const accounts = "Accounts";
export const grants = "Grants";
export const groupsAndRoles = "Groups and roles";
export const pausedBecause = (reason: ReactNode) => rich`Paused: ${reason}`;
export const disabledBecause = (reason: ReactNode) => rich`Disabled: ${reason}`;
export const ofSyncRuns = (percent: Insert) => `${percent} % of sync runs`;
export const accountsAndAccessOnlyTarget = "accounts and access only (target)";
export const lastSyncRuns = "Last sync runs";
export const health = "Health";
export const reading = "Reading";
export const since = "Since";
export const writing = "Writing";
export const lastSuccess = "Last success";
export const nextRun = "Next run";
export const onlyManualRunsLower = "only manual runs";
export const succeededInSevenDays = "Succeeded in seven days";
export const consecutiveFailures = "Consecutive failures";
export const lastTest = "Last test";
export const sourceRole = "Source role";
export const businessId = "Business ID";
export const peopleOnlySource = "people only (source)";
export const peopleAccountsAndAccessLower = "people, accounts and access";
export const beforeTheSettingsWereChanged = "before the settings were changed";
export const thisSystemIsQuarantinedNoRun = "This system is quarantined. No run starts until an administrator clears the quarantine.";
export const theLastSyncRunFailed = "The last sync run failed.";
export const openTheFailedRun = "Open the failed run";
export const reviewHeldChanges = "Review held changes";
export const discardedHeldUntilWithoutADecision = (heldUntil: ReactNode) => rich`(discarded ${heldUntil} without a decision)`;
export const aSyncRunIsHeldSome = (link: ReactNode, heldUntil: ReactNode) =>
  rich`A sync run is held: some of its changes need a decision. ${link} ${heldUntil}`;
export const reviewChanges = "Review changes";
export const viewChanges = "View changes";
export const theSchemaOfTheSourceHas = (undecided: Count, link: ReactNode) =>
  rich`The schema of the source has changed: ${plural(undecided, { one: "# open decision", other: "# open decisions" })}. ${link}`;
export const recordsOfTheLastSync = "Records of the last sync";
export const fromTheLastSyncAnIncremental = "From the last sync, an incremental sync.";
export const fromTheLastSync = "From the last sync.";

// page.tsx
export const name = "Name";
export const state = "State";
export const all = "All";
export const typeLabel = "Type";
export const environment = "Environment";
export const runHeld = "run held";
export const last14Runs = "Last 14 runs";
export const lastSync = "Last sync";
export const failing = "Failing";
export const production = "Production";
export const staging = "Staging";
export const drafts = "Drafts";
export const connectASystem = "Connect a system";
export const sourceAndTargetSystemsOfPeople = "Source and target systems of people, accounts and access.";
export const names = "names";
export const noConnectorsYet = "No connectors yet";
export const connectASystemToSyncPeople = "Connect a system to sync people, accounts and access. Setup takes five steps.";
export const aboveTheSafetyLimitsReviewThe = "Above the safety limits: review the run";

// requests.tsx
export const requestDetails = "Request details";

// set-about.tsx
export const save = "Save";
export const peopleAccountsAndAccess = "People, accounts and access";
export const peopleSource = "People (source)";
export const accountsAndAccessTarget = "Accounts and access (target)";
export const purpose = "Purpose";
export const provides = "Provides";
export const afterAChangeTheNextSync = "After a change, the next sync run holds absent records.";
export const priorityAmongSourcesOfPeople = "Priority among sources of people";
export const ifSeveralSourcesProvideAPerson = "If several sources provide a person, the lowest number wins.";
export const labels = "Labels";
export const onePerLineAsNameValue = "One per line, as name=value. Sector packs find systems by the label tag, such as tag=ehr, clinical.";

// set-connection.tsx
export const savedTestTheConnectionAgainAfter = "Saved. Test the connection again after any change.";
export const moreSettingsAdvanced = (count: Count) => `${plural(count, { one: "# more setting", other: "# more settings" })} (advanced)`;
export const saving = "Saving…";
export const test = "Test";
export const toSaveYourChanges = "to save your changes";
export const testing = "Testing…";
export const testBeforeSaving = "Test before saving";
export const toTestBeforeSavingEnterThese = (needs: Insert) => `To test before saving, enter these secrets again: ${needs}.`;
export const theConnectionWorks = "The connection works.";
export const theConnectionFailed = "The connection failed.";

// set-more.tsx
export const copy = "Copy";
export const deleteVerb = "Delete";
export const theCopyIsADraftEnter = "The copy is a draft. Enter its secrets and test it. You can copy the mappings in step 4.";
export const copyToAnotherEnvironment = "Copy to another environment";
export const createsADraftWithTheseSettings =
  "Creates a draft with these settings and labels. Secrets are not copied. You can copy the mappings in the fourth step.";
export const nameDeleted = (name: Insert) => `${name} deleted.`;
export const deleteThisConnector = "Delete this connector.";
export const strongItsSecretsAreDeletedAt = (strong: ReactNode) =>
  rich`${strong} Its secrets are deleted at once, and all syncs and changes stop. Synced people, accounts and access are kept but no longer updated. To stop temporarily, pause or disable the connector.`;
export const deleteLabel = "Delete…";
export const deleteName = (name: Insert) => `Delete ${name}`;
export const theSecretsAreDeletedAndYou = "The secrets are deleted and you cannot undo this. Synced data is kept but no longer updated.";
export const enterTheNameNameToConfirm = (name: Insert) => `Enter the name ${name} to confirm`;

// set-safety.tsx
export const change = "Change";
export const recordedInTheAuditLog = "Recorded in the audit log.";
export const window = "Window";
export const savedTheLimitsApplyFromThe = "Saved. The limits apply from the next sync run.";
export const changesBelowTheseLimitsAreApplied =
  "Changes below these limits are applied without review. Each limit has a minimum, a share of all records and a maximum. A sync run above a limit is held until you release or discard it.";
export const limits = "Limits";
export const minimum = "Minimum";
export const shareOfAll = "Share of all, %";
export const maximum = "Maximum";
export const shareOfAllInPercent = "share of all in percent";
export const changesOfSeveralRunsInThis = "Changes of several runs in this window count together. One hour to one week.";
export const discardHeldChangesAfter = "Discard held changes after";
export const oneHourTo30Days = "One hour to 30 days.";
export const hold = "Hold";
export const onlyTheKindAboveItsLimit = "only the kind above its limit";
export const theWholeRun = "the whole run";
export const fullSyncsUntilAMissingRecord = "Full syncs until a missing record is removed";
export const consecutiveFullSyncsWithoutTheRecord = "Consecutive full syncs without the record; 1 to 10.";
export const alwaysHoldRunsThatChangeMore = "Always hold runs that change more than half";
export const reasonForHigherLimits = "Reason for higher limits";
export const higherLimitsRequireAReason = "Higher limits require a reason.";

// set-schedule.tsx
export const none = "none";
export const upTo1Minute = "up to 1 minute";
export const upTo5Minutes = "up to 5 minutes";
export const upTo15Minutes = "up to 15 minutes";
export const upTo1Hour = "up to 1 hour";
export const savedTheNextRunsAreShown = "Saved. The next runs are shown on the right.";
export const savedTheConnectorSyncsOnlyWhen = "Saved. The connector syncs only when you start a run.";
export const incrementalSync = "Incremental sync";
export const noSchedule = "no schedule";
export const aCronExpressionMinuteHourDay =
  "A cron expression: minute, hour, day of month, month, day of week, such as */15 6-20 * * mon-fri. At least five minutes apart.";
export const fullSync = "Full sync";
export const forExample02IfBoth = "For example 0 2 * * *. If both schedules are due, a full sync runs.";
export const timeZone = "Time zone";
export const daylightSavingTimeIsApplied = "Daylight saving time is applied.";
export const randomDelay = "Random delay";
export const spreadsTheStartsOfSeveralConnectors = "Spreads the starts of several connectors.";
export const nextRuns = "Next runs";
export const onlyManualRunsSentence = "Only manual runs.";
export const fullSyncLower = "full sync";
export const incrementalSyncLower = "incremental sync";
export const timesSkippedSinceTheLastScheduled = (skipped: Count) =>
  `${plural(skipped, { one: "# time", other: "# times" })} skipped since the last scheduled run. The system may be too slow for this schedule.`;
export const lastScheduledRunAtOutcomeReason = (at: ReactNode, outcome: ReactNode, reason: ReactNode) =>
  rich`Last scheduled run, ${at}: ${outcome} ${reason}`;
export const replacesSeveralSkippedRuns = "(replaces several skipped runs)";

// set-writing.tsx
export const ignore = "Ignore";
export const offReadOnly = "Off: read only";
export const simulateChangesArePlannedNotSent = "Simulate: changes are planned, not sent";
export const manualAPersonMakesEachChange = "Manual: a person makes each change and confirms it";
export const onChangesAreSent = "On: changes are sent";
export const listForReview = "List for review";
export const revoke = "Revoke";
export const list = "List";
export const writeTemplateValues = "Write template values";
export const acceptTheSystemsValues = "Accept the system's values";
export const openProvisioning = "Open provisioning";
export const writingIsOffForThisTenant = (reason: Insert, link: ReactNode) => rich`Writing is off for this tenant: ${reason}. ${link}`;
export const writingIsOffForThisTenantText = (link: ReactNode) => rich`Writing is off for this tenant. ${link}`;
export const theTargetDoesNotSupportIt = "the target does not support it";
export const thisConnectorCannotWriteWhy = (why: ReactNode) => rich`This connector cannot write: ${why}.`;
export const supportedOperationsOperations = (operations: Insert) => `Supported operations: ${operations}.`;
export const savedAffectedPeopleAreEvaluatedAgain = "Saved. Affected people are evaluated again within 15 seconds.";
export const writeMode = "Write mode";
export const nativeChanges = "Native changes";
export const drift = "Drift";
export const compareAccountsWithTheirTemplateAfter = "Compare accounts with their template after each sync";
export const leavers = "Leavers";
export const accountsOfLeaversAreDisabledFirst = "Accounts of leavers are disabled first.";
export const keepMembershipsOfDisabledAccounts = "Keep memberships of disabled accounts";
export const deleteDisabledAccountsAfter = "Delete disabled accounts after";
export const tenantsLifecycleSetting = "tenant's lifecycle setting";
export const circuitBreaker = "Circuit breaker";
export const openAfterConsecutiveFailures = "Open after consecutive failures";
export const orAfterChangesOfOneKind = "Or after changes of one kind";
export const countsChangesThatRemoveOrAlter = "Counts changes that remove or alter.";
export const within = "Within";

// settings.tsx
export const general = "General";
export const connection = "Connection";
export const schedule = "Schedule";
export const safetyLimits = "Safety limits";
export const correlation = "Correlation";
export const copyAndDelete = "Copy and delete";
export const sectionsOfTheSettings = "Sections of the settings";

// stale.tsx
export const someoneElseHasChangedTheseSettings = "Someone else has changed these settings. Your input is still here.";
export const reloadAndKeepMyInput = "Reload and keep my input";

// target.tsx
export const temporaryRetriedAutomatically = "· temporary, retried automatically";
export const hostOf = (host: Insert) => `host: ${host}`;
export const matchedDn = (dn: Insert) => `matched: ${dn}`;
export const subcode = (code: Insert) => `subcode: ${code}`;
export const responseOfTheSystem = "Response of the system";
export const duringPhase = (phase: Insert) => ` · during: ${phase}`;
export const ldapResultResultCodeName = (resultCode: Insert, name: Insert) => `LDAP result ${resultCode} (${name})`;
export const httpStatusReason = (status: Insert, reason: Insert) => `HTTP ${status} ${reason}`;
export const httpStatus = (status: Insert) => `HTTP ${status}`;
export const tlsNameValue = (name: Insert, value: Insert) => `TLS ${name}: ${value}`;

// unmanagedgrants.tsx
export const unmanagedGrantsHaveNotBeenReviewed = (n: Count) =>
  `${plural(n, { one: "# unmanaged grant has", other: "# unmanaged grants have" })} not been reviewed.`;
export const acceptAsFoundEllipsis = "Accept as found…";
export const dryRun = "dry run";
export const grantsAcceptedAsFound = (accepted: Count) => `${plural(accepted, { one: "# grant", other: "# grants" })} accepted as found.`;
export const acceptAsFound = "Accept as found";
export const acceptedGrantsAreNoLongerListed =
  "Accepted grants are no longer listed as unmanaged. They stay as they are in the system, and your comment is shown with them.";
export const acceptGrants = "Accept grants";
export const grantsAreAccepted = (accepted: Count) => `${plural(accepted, { one: "# grant is", other: "# grants are" })} accepted.`;
export const skippedOwnAreYourOwnAnother = (skippedOwn: Insert) => ` ${skippedOwn} are your own; another administrator has to accept them.`;
export const comment = "Comment";
export const theReasonWhyThisAccessIs = "The reason why this access is correct.";

// words.ts
export const productionLower = "production";
export const stagingLower = "staging";
export const testLower = "test";
export const development = "development";
export const other = "other";
export const active = "active";
export const ready = "ready";
export const draft = "draft";
export const degraded = "degraded";
export const quarantined = "quarantined";
export const paused = "paused";
export const disabled = "disabled";
export const scim = "SCIM";
export const ldap = "LDAP";
export const rest = "REST";
export const custom = "Custom";
export const catalog = "Catalog";
export const waitingForAnAgent = "waiting for an agent";
export const checkingSafetyLimits = "checking safety limits";
export const applyingChanges = "applying changes";
export const heldLower = "held";
export const partial = "partial";
export const noRunYet = "No run yet";
export const countSucceeded = (n: Insert) => `${n} succeeded`;
export const countHeldOrPartial = (n: Insert) => `${n} held or partial`;
export const countFailed = (n: Insert) => `${n} failed`;
export const countRunning = (n: Insert) => `${n} running`;
export const countWithoutEffect = (n: Insert) => `${n} without effect`;
export const lastRuns = (count: Count, outcomes: string[]) =>
  `${plural(count, { one: "Last run", other: "Last # runs" })}: ${outcomes.join(", ")}`;
export const peopleWhoWouldBeDeactivated = "people who would be deactivated";
export const accountsThatWouldBeMissingOr = "accounts that would be missing or removed, and their grants";
export const accountsThatWouldBeDisabled = "accounts that would be disabled";
export const grantsThatWouldBeRemoved = "grants that would be removed";
export const groupsAndRolesThatWouldBe = "groups and roles that would be removed";
export const peopleWhoWouldBeCreated = "people who would be created";
export const peopleWithAChangedField = "people with a changed field";
export const peopleWhoseFieldWouldChange = (field: Insert) => `people whose ${field} would change`;
export const msMs = (ms: Insert) => `${ms} ms`;
export const minutesMinRoundS = (minutes: Insert, round: Insert) => `${minutes} min ${round} s`;
export const floorHMinutesMin = (floor: Insert, minutes: Insert) => `${floor} h ${minutes} min`;

// writes.tsx
export const writesResumedTasksAreSent = (waiting: Count) =>
  `Writes resumed: ${plural(waiting, { one: "# task is", other: "# tasks are" })} sent.`;
export const writesStopped = "Writes stopped";
export const tooManyChangesFailed = "too many changes failed";
export const strongSinceCauseProvisioningTasksWait = (strong: ReactNode, since: ReactNode, cause: ReactNode) =>
  rich`${strong} ${since}: ${cause}. Provisioning tasks wait until writes are resumed.`;
export const showTasks = "Show tasks";
export const resumeWrites = "Resume writes";
export const resumeWritesOf = (name: Insert) => `Resume writes of ${name}`;
