import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// changes.tsx
export const peopleLower = "people";
export const accountsLower = "accounts";
export const groupsAndRolesLower = "groups and roles";
export const grantsLower = "grants";
export const nestedGroupsLower = "nested groups";
export const change = "Change";
export const object = "Object";
export const name = "Name";
export const difference = "Difference";
export const location = "Location";
export const state = "State";
export const all = "All";
export const added = "Added";
export const changed = "Changed";
export const removed = "Removed";
export const held = "Held";
export const kind = "Kind";
export const namesAndKeys = "names and keys";
export const changes = "Changes";
export const noHeldChanges = "No held changes";
export const releaseChanges = (count: Count) => `Release ${plural(count, { one: "# change", other: "# changes" })}…`;
export const exportTheFilteredListAsCsv = "Export the filtered list as CSV";
export const csv = "CSV";
export const nothing = "nothing";
export const noChanges = "No changes";
export const theSystemContainsWhatWasSynced = "The system contains what was synced before.";
export const noChangesApplied = "No changes applied";
export const thisSyncRunHasNotCompleted = "This sync run has not completed, so it changed nothing.";

// groups.tsx
export const noDifferencesFromThePreviousSync = "No differences from the previous sync";
export const departments = "Departments";
export const branches = "Branches";
export const managers = "Managers";
export const fields = "Fields";
export const nHeld = (n: Insert) => `${n} held`;
export const none = "none";
export const examples = "Examples:";
export const groupOrRole = "group or role";
export const nestedGroup = "nested group";

// heldrun.tsx
export const reason = "Reason";
export const nAndN2MoreRecentlyOf = (n: Insert, n2: Insert, n3: Insert, n4: Insert) =>
  `${n} and ${n2} more recently, of ${n3} in total. The limit is ${n4}.`;
export const nOfN2InTotalThe = (n: Insert, n2: Insert, n3: Insert) => `${n}, of ${n2} in total. The limit is ${n3}.`;
export const nOfN2WouldBeRemoved = (n: Insert, n2: Insert) => `${n} of ${n2} would be removed. A change of half or more is always held.`;
export const nAreAbsentAndTheConnectors = (n: Insert) =>
  `${n} are absent, and the connector's settings were changed before this run. Absences are not applied in this case.`;
export const changesHeld = (held: Count) => `${plural(held, { one: "# change", other: "# changes" })} held`;
export const theOtherChangesOfTheRun = (heldUntil: ReactNode) =>
  rich`The other changes of the run were applied. Held changes are discarded ${heldUntil} unless you release them.`;
export const release = "Release…";
export const discardEllipsis = "Discard…";
export const heldChanges = "Held changes";
export const pattern = "Pattern";
export const noPattern = "no pattern";
export const ifTheChangeOfSettingsWas =
  "If the change of settings was intended, release these changes. If not, correct the settings and sync again; the next run replaces this one.";
export const discardedTheHeldChangesAreNot = "Discarded. The held changes are not applied.";
export const discardChanges = (held: Count) => `Discard ${plural(held, { one: "# change", other: "# changes" })}`;
export const discard = "Discard";
export const theHeldChangesAreNotApplied =
  "The held changes are not applied. The next sync reads the system again. If the source still returns the same data, the changes are held again.";
export const recordedInTheAuditLog = "Recorded in the audit log.";

// kinds.ts
export const people = "People";
export const accounts = "Accounts";
export const entitlements = "Entitlements";
export const grants = "Grants";
export const peopleCount = (n: Count) => plural(n, { one: "# person", other: "# people" });

// live.tsx
export const groupsAndRoles = "Groups and roles";
export const syncInProgress = "Sync in progress";
export const youCanLeaveThisPageThe = "You can leave this page. The sync continues.";
export const theConnectionWasLostReconnectingThe = "The connection was lost. Reconnecting. The sync continues.";
export const theSystemLimitsTheRequestRate = (rateWaitUntil: ReactNode) =>
  rich`The system limits the request rate. The sync continues ${rateWaitUntil}.`;
export const ofAboutN = (n: ReactNode) => rich`of about ${n}`;
export const phaseMessageNChunksWritten = (phase: ReactNode, message: Insert, n: ReactNode) =>
  rich`${phase}: ${message} · ${n} chunks written`;
export const phaseNChunksWritten = (phase: ReactNode, n: ReactNode) => rich`${phase} · ${n} chunks written`;
export const progressMessages = "Progress messages";
export const noMessagesYet = "No messages yet.";
export const read = "read";
export const notStarted = "not started";

// release.tsx
export const changesReleasedNStillHeld = (released: Count, n: Insert) =>
  `${plural(released, { one: "# change", other: "# changes" })} released; ${n} still held.`;
export const changesReleased = (released: Count) => `${plural(released, { one: "# change", other: "# changes" })} released.`;
export const releaseHeldChanges = "Release held changes";
export const eachChangeIsCheckedAgainWhen = "Each change is checked again when it is applied. Outdated changes are skipped.";
export const applyChanges = (count: Count) => `Apply ${plural(count, { one: "# change", other: "# changes" })}`;
export const changesWouldBeAppliedNStay = (count: Count, n: ReactNode) =>
  rich`${plural(count, { one: "# change", other: "# changes" })} would be applied; ${n} stay held.`;
export const kindsOfChange = "Kinds of change";
export const departmentsEmptyAll = "Departments (empty: all)";
export const branchesIncludingEntriesBelowEmptyAll = "Branches, including entries below (empty: all)";

// report.tsx
export const nestedGroups = "Nested groups";
export const newLabel = "New";
export const missingOnce = "Missing once";
export const restored = "Restored";
export const unchanged = "Unchanged";
export const rejected = "Rejected";
export const skipped = "Skipped";
export const unresolvedReferences = "Unresolved references";
export const changesByKind = "Changes by kind";

// run.tsx
export const connectors = "Connectors";
export const id = "ID";
export const result = "Result";
export const syncRun = "Sync run";
export const previewOfAnIncrementalSyncStarted = (createdAt: ReactNode) => rich`Preview of an incremental sync, started ${createdAt}`;
export const previewOfAFullSyncStarted = (createdAt: ReactNode) => rich`Preview of a full sync, started ${createdAt}`;
export const anIncrementalSyncStartedCreatedAt = (createdAt: ReactNode) => rich`an incremental sync, started ${createdAt}`;
export const aFullSyncStartedCreatedAt = (createdAt: ReactNode) => rich`a full sync, started ${createdAt}`;
export const theRunIsBeingCanceledChanges = "The run is being canceled. Changes that were applied stay.";
export const cancelRun = "Cancel run";
export const syncAgain = "Sync again";
export const groups = "Groups";
export const rejectedRecords = "Rejected records";
export const thisRunWasAPreviewNothing = "This run was a preview. Nothing was saved.";
export const sectionsOfTheRun = "Sections of the run";
export const details = "Details";
export const warnings = (count: Count) => plural(count, { one: "# warning", other: "# warnings" });
export const firstSyncOfThisConnector = "first sync of this connector";
export const settingsOrMappingsWereChanged = "settings or mappings were changed";
export const theLastFullSyncIsMore = "the last full sync is more than seven days old";
export const incrementalSyncsOfThisSystemDo =
  "incremental syncs of this system do not show removed memberships, and the last full sync was more than a day ago";
export const aMembershipHasBeenMissingFor = "a membership has been missing for a day and could not be confirmed as removed";
export const theSystemDoesNotSupportIncremental = "the system does not support incremental syncs";
export const aFullSyncWasRequested = "a full sync was requested";
export const startedBy = "Started by";
export const started = "Started";
export const notYet = "not yet";
export const ended = "Ended";
export const duration = "Duration";
export const mode = "Mode";
export const reasonForFullSync = "Reason for full sync";
export const completeSync = "Complete sync";
export const executed = "Executed";
export const itsHost = "its host";
export const byTheAgentOnHostname = (hostname: Insert) => `by the agent on ${hostname}`;
export const byTheService = "by the service";
export const recordLimit = "Record limit";
export const recordsLower = (maxRecords: Count) => plural(maxRecords, { one: "# record", other: "# records" });
export const continues = "Continues";
export const chunks = "Chunks";
export const nOfUpToRecords = (n: Insert, chunkSize: Count) =>
  `${n} of up to ${plural(chunkSize, { one: "# record", other: "# records" })}`;
export const takenOver = "Taken over";
export const timesRecordsReadTwice = (resumes: Count, reread: Count) =>
  `${plural(resumes, { one: "# time", other: "# times" })}, ${plural(reread, { one: "# record", other: "# records" })} read twice`;
export const callback = "Callback";

// runerrors.tsx
export const field = "Field";
export const record = "Record";
export const wholeRecord = "whole record";
export const code = "Code";
export const temporary = "Temporary";
export const noRejectedRecords = "No rejected records";
export const allRecordsAndValuesOfThis = "All records and values of this sync were valid.";

// runs.tsx
export const runs = "Runs";
export const preview = ", preview";
export const failed = "Failed";
export const noSyncRunsYet = "No sync runs yet";
export const aSyncRunReadsTheSystem = "A sync run reads the system and stores what has changed. Start one with Sync now.";

// runstrip.tsx
export const noneYet = "none yet";

// syncnow.tsx
export const syncNow = "Sync now";
export const incrementalSync = "Incremental sync";
export const fullSync = "Full sync";
export const previewOfAFullSync = "Preview of a full sync";
export const previewOfAnIncrementalSync = "Preview of an incremental sync";
export const thePageOfTheRunOpens = "The page of the run opens. You can leave it; the sync continues.";
export const start = "Start";
export const showsTheChangesAndHeldChanges = "Shows the changes and held changes of a run. Nothing is saved.";
export const ifTheSystemDoesNotSupport = "If the system does not support incremental syncs, a full sync runs. The run shows the reason.";
export const onlyAFullSyncDetectsRemoved = "Only a full sync detects removed records.";
export const noLimit = "no limit";
export const aRunWithALimitDoes = "A run with a limit does not remove records.";
export const recordsPerWrite = "Records per write";
export const rangeOfRecordsPerWrite = "From 1 to 10,000.";

// timeline.tsx
export const full = "full";
export const theLongestTook = (summary: Insert, duration: Insert) => `${summary}. The longest took ${duration}.`;
export const noSyncRunsYetSentence = "No sync runs yet.";
export const theHeightShowsTheDurationUp = (lasted: ReactNode) =>
  rich`The height shows the duration, up to ${lasted}. Failed runs have full height.`;
export const lastSyncRunsAsATable = "Last sync runs as a table";
export const incremental = "incremental";
