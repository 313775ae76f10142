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

// correlated.tsx
export const gainAnOwner = "Gain an owner";
export const loseTheirOwner = "Lose their owner";
export const changeOwner = "Change owner";
export const becomeDisputed = "Become disputed";
export const previewOfTheseRules = "Preview of these rules";
export const accountsEvaluatedNUnchangedNothingWas = (lookedAt: Count, n: Insert) =>
  `${plural(lookedAt, { one: "# account", other: "# accounts" })} evaluated, ${n} unchanged. Nothing was saved.`;
export const noChangesSentence = "No changes.";
export const account = "Account";
export const currentOwner = "Current owner";
export const newOwner = "New owner";
export const score = "Score";
export const nobody = "nobody";
export const oneOfCount = (count: Insert) => `one of ${count}`;

// correlation-rules.tsx
export const description = "Description";
export const id = "ID";
export const weight = "Weight";
export const n0To1HowStronglyA = "0 to 1: how strongly a match indicates the owner.";
export const ruleOutThePersonIfThe = "Rule out the person if the values differ";
export const addACondition = "Add a condition";
export const removeRule = "Remove rule";
export const noRulesOnlyTheOwnerThat = "No rules: only the owner that the source reports is used.";
export const addARule = "Add a rule";
export const accountField = "Account field";
export const personField = "Person field";
export const comparison = "Comparison";
export const removeCondition = "Remove condition";

// difftable.tsx
export const keepMapping = (mapping: Insert) => `keep: ${mapping}`;
export const notMapped = "not mapped";
export const itsMappingIsRemoved = "its mapping is removed";
export const mapToTargetFieldWithTransform = (targetField: Insert, transform: Insert) => `map to ${targetField} with ${transform}`;
export const mapToTargetField = (targetField: Insert) => `map to ${targetField}`;
export const fieldsWouldNoLongerBeMapped = (count: Count, fields: Insert) =>
  `${plural(count, { one: "# field", other: "# fields" })} would no longer be mapped: ${fields}`;
export const schemaChanges = "Schema changes";
export const field = "Field";
export const before = "Before";
export const now = "Now";
export const proposal = "Proposal";
export const decision = "Decision";
export const newLabelLower = "new";
export const removedLower = "removed";
export const changedType = "changed type";
export const decisionByBy = (decision: Insert, by: Insert) => `${decision}, by ${by}`;
export const open = "open";
export const undoTheDecisionAboutPath = (path: Insert) => `Undo the decision about ${path}`;
export const undo = "Undo";
export const acceptPath = (path: Insert) => `Accept ${path}`;
export const accept = "Accept";
export const overridePath = (path: Insert) => `Override ${path}`;
export const override = "Override…";
export const ignorePath = (path: Insert) => `Ignore ${path}`;
export const ignore = "Ignore";
export const mappedToTargetField = (targetField: Insert) => `mapped to ${targetField}`;

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

// healthstate.tsx
export const writesStoppedLower = "writes stopped";

// heldrun.tsx
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

// mapadd.tsx
export const mappingSavedTheNextSyncIs = "Mapping saved. The next sync is a full sync.";
export const mapAField = "Map a field";
export const save = "Save";
export const records = "Records";
export const sourceField = "Source field";
export const selectAField = "Select a field";

// mapcopy.tsx
export const mappingsCopiedTheNextSyncIs = (copied: Count) =>
  `${plural(copied, { one: "# mapping", other: "# mappings" })} copied. The next sync is a full sync.`;
export const copyMappingsFromAnotherConnector = "Copy mappings from another connector";
export const mappingsThatFitTheFieldsOf = "Mappings that fit the fields of this source are copied. Other mappings stay unchanged.";
export const copy = "Copy";
export const from = "From";
export const mappingsMappingsWouldBeCopied = (copied: Count) =>
  `${plural(copied, { one: "# mapping", other: "# mappings" })} ${plural(copied, { one: "# mapping", other: "# mappings" })} would be copied.`;
export const sourcePathCannotBeCopiedReason = (sourcePath: ReactNode, reason: ReactNode) => rich`${sourcePath} cannot be copied: ${reason}`;

// mapedit.tsx
export const mapToAField = "Map to a field";
export const noMappingKeepTheConnectorsValue = "No mapping: keep the connector's value";
export const savedTheNextSyncIsA = "Saved. The next sync is a full sync.";
export const editMappingOfSourcePath = (sourcePath: ReactNode) => rich`Edit mapping of ${sourcePath}`;
export const action = "Action";

// mapping.tsx
export const exactName = "exact name";
export const synonym = "synonym";
export const typeAndShape = "type and shape";
export const vendorsTemplate = "vendor's template";
export const scimEnterpriseExtension = "SCIM enterprise extension";
export const sectorPack = "sector pack";
export const byHand = "by hand";
export const copied = "copied";
export const nOfN2FieldsAreMapped = (n: ReactNode, n2: ReactNode) =>
  rich`${n} of ${n2} fields are mapped. After a change, the next sync is a full sync.`;
export const hideIgnoredFields = "Hide ignored fields";
export const copyFromAnotherConnector = "Copy from another connector";
export const mappings = "Mappings";
export const ofLabel = "Of";
export const sample = "Sample";
export const mappedTo = "Mapped to";
export const foundBy = "Found by";
export const transform = "Transform";
export const ignored = "ignored";
export const editTheMappingOfSourcePath = (sourcePath: Insert) => `Edit the mapping of ${sourcePath}`;
export const edit = "Edit";
export const kindsOfRecord = "Kinds of record";
export const proposedMappingsAccepted = "Proposed mappings accepted.";
export const discoveryCompleted = "Discovery completed.";
export const noAnswer = "no answer";
export const discoveryFailedMessage = (message: Insert) => `Discovery failed: ${message}`;
export const noMappingsYet = "No mappings yet";
export const untilYouSetMappingsPeopleUse =
  "Until you set mappings, people use the proposed mapping of each field. Accounts, entitlements and grants keep the connector's values.";
export const acceptProposedMappings = "Accept proposed mappings";
export const mapFieldByField = "Map field by field";
export const runningDiscovery = "Running discovery…";
export const runDiscovery = "Run discovery";
export const discoveryHasNotRunYet = "Discovery has not run yet.";

// override.tsx
export const mapPath = (path: ReactNode) => rich`Map ${path}`;
export const mapField = "Map field";

// overview.tsx
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

// preview.tsx
export const result = "Result";
export const record = "Record";
export const sourceValue = "Source value";
export const mappedValue = "Mapped value";
export const empty = "empty";
export const countOfCountOfDetail = (count: Insert, countOf: ReactNode, detail: ReactNode) => rich`${count} of ${countOf} ${detail}`;

// rediscover.tsx
export const schemaChangesOfName = (name: ReactNode) => rich`Schema changes of ${name}`;
export const discoveredCreatedAtSyncsUseThe = (createdAt: ReactNode) =>
  rich`Discovered ${createdAt}. Syncs use the current mappings until you apply decisions.`;
export const comparesTheFieldsOfTheSource = "Compares the fields of the source with the current mappings.";
export const runDiscoveryAgain = "Run discovery again";
export const noOpenDecisions = "No open decisions";
export const runDiscoveryToFindAddedRemoved = "Run discovery to find added, removed and changed fields.";
export const administratorsCanRunDiscoveryAndCompare = "Administrators can run discovery and compare fields.";
export const discoveryFailed = "Discovery failed.";
export const noFieldHasChanged = "No field has changed.";
export const appliedOpenDecisionsLeft = (undecided: Count) =>
  `Applied. ${plural(undecided, { one: "# open decision", other: "# open decisions" })} left.`;
export const appliedTheNextSyncIsA = "Applied. The next sync is a full sync.";
export const newFieldsNRemovedN2With = (count: Count, n: ReactNode, n2: ReactNode) =>
  rich`${plural(count, { one: "# new field", other: "# new fields" })}, ${n} removed, ${n2} with a changed type. Unchanged fields are not shown.`;
export const keepAllMappingsEllipsis = "Keep all mappings…";
export const acceptAll = "Accept all";
export const nToDecide = (n: Insert) => `${n} to decide`;
export const applyNLeaveN2Open = (n: Insert, n2: Insert) => `Apply ${n}, leave ${n2} open`;
export const applyDecisions = (chosen: Count) => `Apply ${plural(chosen, { one: "# decision", other: "# decisions" })}`;
export const keepAllMappings = "Keep all mappings";
export const openDecisionsAreDroppedAndThis =
  "Open decisions are dropped, and this comparison is closed. The next discovery shows the changes again.";
export const keepAll = "Keep all";
export const earlierComparisons = "Earlier comparisons";
export const replacedByALaterDiscovery = "replaced by a later discovery";
export const createdAtNNewN2Removed = (createdAt: ReactNode, n: ReactNode, n2: ReactNode, n3: ReactNode, state: ReactNode) =>
  rich`${createdAt} · ${n} new, ${n2} removed, ${n3} with a changed type ${state}`;
export const decisionByByLower = (decision: Insert, by: Insert) => `${decision} by ${by}`;
export const kept = "kept";

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

// requests.tsx
export const requestDetails = "Request details";

// rule.tsx
export const aPythonExpressionOfValueAnd =
  "A Python expression of value and record, such as value.strip().lower(). Leave empty to keep the value.";

// run.tsx
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
export const wholeRecord = "whole record";
export const code = "Code";
export const temporary = "Temporary";
export const noRejectedRecords = "No rejected records";
export const allRecordsAndValuesOfThis = "All records and values of this sync were valid.";

// runs.tsx
export const preview = ", preview";
export const failed = "Failed";
export const noSyncRunsYet = "No sync runs yet";
export const aSyncRunReadsTheSystem = "A sync run reads the system and stores what has changed. Start one with Sync now.";

// runstrip.tsx
export const noneYet = "none yet";

// set-about.tsx
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
export const moreSettingsAdvanced = (count: Count) => `${plural(count, { one: "# more setting", other: "# more settings" })}(advanced)`;
export const saving = "Saving…";
export const test = "Test";
export const toSaveYourChanges = "to save your changes";
export const testing = "Testing…";
export const testBeforeSaving = "Test before saving";
export const toTestBeforeSavingEnterThese = (needs: Insert) => `To test before saving, enter these secrets again: ${needs}.`;
export const theConnectionWorks = "The connection works.";
export const theConnectionFailed = "The connection failed.";

// set-correlation.tsx
export const savedRunTheRulesToCorrelate = "Saved. Run the rules to correlate all accounts again, or wait for the next sync.";
export const accountsEvaluatedGainsGainedAnOwner = (lookedAt: Count, gains: Insert, losses: Insert, disputed: Insert) =>
  `${plural(lookedAt, { one: "# account", other: "# accounts" })} evaluated: ${gains} gained an owner, ${losses} lost their owner, ${disputed} became disputed.`;
export const theseAreTheDefaultRulesAfter = "These are the default rules. After you save them, they belong to this connector.";
export const assignTheOwnerFromAScore = "Assign the owner from a score of";
export const n0To1ASingleCandidate = "0 to 1. A single candidate with this score or more becomes the owner.";
export const askAPersonFromAScore = "Ask a person from a score of";
export const belowThisScoreAPersonIs = "Below this score, a person is not a candidate.";
export const evaluating = "Evaluating…";
export const previewRules = "Preview rules";
export const saveTheRulesFirst = "Save the rules first";
export const running = "Running…";
export const runSavedRules = "Run saved rules";

// set-more.tsx
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
export const everything = "everything";
export const incrementalSyncLower = "incremental sync";
export const timesSkippedSinceTheLastScheduled = (skipped: Count) =>
  `${plural(skipped, { one: "# time", other: "# times" })} skipped since the last scheduled run. The system may be too slow for this schedule.`;
export const lastScheduledRunAtOutcomeReason = (at: ReactNode, outcome: ReactNode, reason: ReactNode) =>
  rich`Last scheduled run, ${at}: ${outcome} ${reason}`;
export const replacesSeveralSkippedRuns = "(replaces several skipped runs)";

// set-writing.tsx
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

// step.tsx
export const connectionLower = "connection";
export const discovery = "discovery";
export const mappingLower = "mapping";
export const sync = "sync";

// syncnow.tsx
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

// target-fields.tsx
export const mapTo = "Map to";
export const customAttribute = "custom attribute…";
export const attributeName = "Attribute name";

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

// template-edit.tsx
export const always = "always";
export const onCreation = "on creation";
export const savedAccountsAreComparedWithThe = "Saved. Accounts are compared with the template from the next check.";
export const accountTemplate = "Account template";
export const pythonExpressionsOverIdentityAndUsername =
  "Python expressions over identity and username. If an expression returns None, the attribute is omitted.";
export const username = "Username";
export const container = "Container";
export const theParentEntryOfTheAccount = "The parent entry of the account in a directory. Leave empty for the default of the connector.";
export const attribute = "Attribute";
export const expression = "Expression";
export const when = "When";
export const required = "Required";
export const removeTarget = (target: Insert) => `Remove ${target}`;
export const remove = "Remove";
export const addAttribute = "Add attribute";
export const createAccountsAsEnabled = "Create accounts as enabled";

// template.tsx
export const omittedNotKnown = (fields: Insert) => `omitted: ${fields} not known`;
export const partlyTheDefaultOfTheConnector = "Partly the default of the connector type.";
export const customizedForThisConnector = "Customized for this connector.";
export const editTemplate = "Edit template";
export const usernameLower = "username";
export const alwaysAccountsAreRenamed = "always: accounts are renamed";
export const containerLower = "container";
export const alwaysAccountsAreMoved = "always: accounts are moved";
export const requiredLower = "required";
export const previewForAPerson = "Preview for a person";
export const loading = "Loading…";
export const previewAccount = "Preview account";
export const theAccountCannotBeCreatedA = "The account cannot be created: a required value is missing.";
export const previewOfTheAccount = "Preview of the account";
export const value = "Value";
export const omitted = "omitted";

// timeline.tsx
export const theLongestTook = (summary: Insert, duration: Insert) => `${summary}. The longest took ${duration}.`;
export const noSyncRunsYetSentence = "No sync runs yet.";
export const theHeightShowsTheDurationUp = (lasted: ReactNode) =>
  rich`The height shows the duration, up to ${lasted}. Failed runs have full height.`;
export const lastSyncRunsAsATable = "Last sync runs as a table";
export const changesLower = "changes";

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
export const heldOrPartial = "held or partial";
export const withoutEffect = "without effect";
export const lastRunsTold = (count: Count, told: Insert) => `Last ${plural(count, { one: "# run", other: "# runs" })}: ${told}`;
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
