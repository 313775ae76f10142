import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// accounts.tsx
export const accounts = "Accounts";
export const state = "State";
export const logins = "logins";
export const noAccounts = "No accounts";
export const noAccountsAreVisibleToYou = "No accounts are visible to you. Accounts are listed after a sync, or when access is granted.";

// actions.tsx
export const actions = "Actions";
export const editPerson = "Edit person";
export const evaluatePolicies = "Evaluate policies";
export const startLeave = "Start leave";
export const endLeave = "End leave";
export const withdrawNotice = "Withdraw notice";
export const activate = "Activate";
export const owns = "Owns";
export const mergeAnotherRecordIntoThisOne = "Merge another record into this one";
export const offboard = "Offboard";
export const archive = "Archive";

// archive.tsx
export const archived = "Archived.";
export const archivePerson = "Archive person";
export const theRecordIsKeptForThe = "The record is kept for the history, leaves all lists and gets no access. You cannot undo this.";
export const archiveEvenIfTheSourceStill = "Archive even if the source still reports the person or access depends on the record";

// compare.tsx
export const compareTwoPeople = "Compare two people";
export const accessThatBothPeopleHaveAnd = "Access that both people have, and access that only one of them has.";
export const people = "People";
export const first = "First";
export const second = "Second";
export const asOf = "As of";
export const accessAsOf = (asOf: Insert) => `Access ${asOf}.`;
export const backToToday = "Back to today";
export const selectTwoPeople = "Select two people";
export const comparePeopleWithTheSameJob = "Compare people with the same job. Differences in their access may need a review.";

// comparison.tsx
export const throughAGroup = "through a group";
export const andList = (names: string[]) => names.join(" and ");
export const onlyIdentity = (identity: Insert) => `Only ${identity}`;
export const both = "Both";
export const unknownWasNotRecordedAtThat = (unknown: ReactNode) => rich`${unknown} was not recorded at that time.`;
export const unknownWereNotRecordedAtThat = (unknown: ReactNode) => rich`${unknown} were not recorded at that time.`;
export const theAccessOfBothPeopleIs = "The access of both people is identical.";
export const differencesBetweenTheRecords = "Differences between the records";
export const historyIsKeptSinceHistorySince = (historySince: ReactNode) =>
  rich`The history begins ${historySince}. Earlier access is not known.`;
export const notVisible = "not visible";
export const field = "Field";
export const manager = "Manager";
export const empty = "empty";
export const role = "Role";
export const roles = "Roles";
export const none = "None";
export const andCountMore = (count: Insert) => `and ${count} more`;

// edit.tsx
export const saved = "Saved.";
export const pinnedTheValueOfTheSource = "Pinned: the value of the source is ignored.";
export const syncedFromTheSourceYourValue = "Synced from the source. Your value will be pinned.";
export const pinnedUntil = "Pinned until";
export const afterThisDayTheValueOf = "After this day, the value of the source applies. Without a date, the pin stays until you remove it.";
export const cancel = "Cancel";
export const saving = "Saving…";
export const save = "Save";

// evaluate.tsx
export const reasonsAddedReasonsEndedEnded = (reasonsAdded: Count, reasonsEnded: Insert) =>
  `${plural(reasonsAdded, { one: "# reason", other: "# reasons" })} added, ${reasonsEnded} ended.`;
export const policiesAreEvaluatedAutomaticallyWhenA =
  "Policies are evaluated automatically when a person changes. This evaluates them now.";
export const applyChanges = "Apply changes";
export const matchingPolicies = "Matching policies";
export const noPoliciesMatch = "No policies match.";
export const gives = "gives";
export const dryRun = "dry run";
export const accessToGrant = "Access to grant";
export const accessToRevoke = "Access to revoke";
export const noChanges = "No changes.";
export const onAt = (at: Insert) => `on ${at}`;
export const anAccountInSystem = (system: Insert) => `an account in ${system}`;
export const anAccount = "an account";

// explain.tsx
export const explainAccess = "Explain access";
export const selectAnEntitlementToSeeWhy = "Select an entitlement to see why the person has it, or why not.";
export const entitlement = "Entitlement";

// extend.tsx
export const extendedUntilUntil = (until: Insert) => `Extended until ${until}.`;
export const extendAccess = "Extend access";
export const itEndsOnWas = (was: Insert) => `It ends on ${was}.`;
export const itHasNoEndDate = "It has no end date.";
export const extend = "Extend";
export const lastDay = "Last day";

// fields.ts
export const personalData = "Personal data";
export const firstName = "First name";
export const middleName = "Middle name";
export const lastName = "Last name";
export const preferredName = "Preferred name";
export const displayName = "Display name";
export const firstAndLastNameIfEmpty = "First and last name if empty.";
export const eMail = "E-mail";
export const login = "Login";
export const employeeNumber = "Employee number";
export const employment = "Employment";
export const employmentType = "Employment type";
export const title = "Title";
export const department = "Department";
export const division = "Division";
export const organization = "Organization";
export const costCenter = "Cost center";
export const jobCode = "Job code";
export const jobFamily = "Job family";
export const location = "Location";
export const country = "Country";
export const twoLettersSuchAsCh = "Two letters, such as CH.";
export const language = "Language";
export const timeZone = "Time zone";
export const suchAsEuropeZurich = "Such as Europe/Zurich.";
export const responsiblePeople = "Responsible people";
export const sponsor = "Sponsor";
export const requiredForNonEmployeesAndMachines = "Required for non-employees and machines.";
export const backupSponsor = "Backup sponsor";
export const replacesTheSponsorAndTakesOver = "Replaces the sponsor, and takes over their responsibilities when they leave.";
export const dates = "Dates";
export const hireDate = "Hire date";
export const firstDay = "First day";
export const leaveFrom = "Leave from";
export const leaveTo = "Leave to";

// fieldset.tsx
export const notSet = "not set";
export const customAttributes = "Custom attributes";
export const yes = "yes";
export const no = "no";

// graph.tsx
export const aboutToChange = "about to change";
export const accessGraph = "Access graph";
export const account = "Account";
export const path = "Path";
export const access = "Access";
export const usualAccessIsGroupedInThis = "Usual access is grouped in this graph. Search or filter by system to see every entitlement.";
export const personHoldsEntitlementsWithAccounts = (person: Insert, size: Count, accounts: Count) =>
  `${person} holds ${plural(size, { one: "# entitlement", other: "# entitlements" })} with ${plural(accounts, { one: "# account", other: "# accounts" })}`;
export const throughWays = (ways: Insert) => `through ${ways}`;
export const oddUnmanaged = (odd: Insert) => `${odd} unmanaged`;
export const badInConflict = (bad: Insert) => `${bad} in conflict`;

// history.tsx
export const compareTwoDays = "Compare two days";
export const accessThatWasAddedRemovedAnd = "Access that was added, removed and kept between the ends of two days.";
export const earlierDay = "Earlier day";
export const laterDayEmptyToday = "Later day (empty: today)";
export const compare = "Compare";
export const removed = "Removed";
export const unchanged = "Unchanged";
export const added = "Added";
export const history = "History";
export const historyOfThePerson = "History of the person";

// impact.tsx
export const reasonForAccess = "reason for access";
export const reasonsForAccess = "reasons for access";
export const ownedEntitlement = "owned entitlement";
export const ownedEntitlementsLower = "owned entitlements";
export const ownedRole = "owned role";
export const ownedRoles = "owned roles";
export const directReport = "direct report";
export const directReportsLower = "direct reports";
export const sponsoredPersonOrMachine = "sponsored person or machine";
export const sponsoredPeopleAndMachinesLower = "sponsored people and machines";
export const immediate = "Immediate";
export const dependsOnThisPersonHangs = (hangs: Insert) => `Depends on this person: ${hangs}.`;

// import.tsx
export const importPeople = "Import people";
export const importCsvOrJsonLinesAt =
  "Import CSV or JSON lines: at most 50,000 rows and 32 MiB. You can preview the result of each row first.";
export const file = "File";
export const columnsAreFieldsOfAPerson =
  "Columns are fields of a person, including attributes.x and labels.x. The column external_id identifies the person.";
export const format = "Format";
export const ofName = (name: Insert) => `Of ${name}`;
export const csv = "CSV";
export const jsonLines = "JSON lines";
export const pasteLinesInstead = "Paste lines instead";
export const lines = "Lines";
export const pastedLines = "pasted lines";
export const theFileIsTooLarge = "The file is larger than 32 MiB. Import it in parts.";
export const checkingRows = "Checking rows…";
export const previewImport = "Preview import";
export const importPeopleText = (people: ReactNode) => rich`Import ${people}`;
export const importing2000RowsAtA =
  "Importing 2,000 rows at a time. If the import is interrupted, send the same file again. Rows that were imported are not repeated.";
export const peopleLower = (n: Count) => plural(n, { one: "# person", other: "# people" });

// imported.tsx
export const previewOfTheImport = "Preview of the import";
export const resultOfTheImport = "Result of the import";
export const nothingIsSavedYet = "Nothing is saved yet.";
export const correctTheFailedRowsAndImport = "Correct the failed rows and import the file again.";
export const rows = "Rows";
export const allLower = "all";
export const newLabel = "new";
export const changedLower = "changed";
export const unchangedLower = "unchanged";
export const failed = "failed";
export const rowsRowsCreatedNewUpdatedChanged = (rows: Insert, created: Insert, updated: Insert, unchanged: Insert, failed: Insert) =>
  `${rows} rows: ${created} new, ${updated} changed, ${unchanged} unchanged, ${failed} failed.`;
export const line = "Line";
export const person = "Person";
export const outcome = "Outcome";
export const details = "Details";
export const ignoredColumnsIgnored = (ignored: Insert) => `Ignored columns: ${ignored}.`;
export const firstCountOfRowsFailedRows = (count: Insert, count2: Count) =>
  `First ${count} of ${plural(count2, { one: "# row", other: "# rows" })}, failed rows first.`;

// layout.ts
export const entitlementCount = (count: Count) => plural(count, { one: "# entitlement", other: "# entitlements" });
export const moreAccounts = "more accounts";
export const morePaths = "more paths";

// merge.tsx
export const recordsMerged = "Records merged.";
export const allAccountsAccessAndReportsOf =
  "All accounts, access and reports of the other record move to this person. The other record is archived. You cannot undo this.";
export const merge = "Merge";
export const recordToArchive = "Record to archive";
export const reason = "Reason";
export const evidenceThatBothRecordsAreThe = "Evidence that both records are the same person.";
export const reasonsOfBothRecordsThatAre = (endedReasons: ReactNode) => rich`Reasons of both records that are combined: ${endedReasons}`;

// move.tsx
export const fromTheFirstToTheLast = "From the first to the last day, inclusive.";
export const leaveSaved = "Leave saved.";
export const thePersonIsActiveFromNow = "The person is active from now on.";
export const leaveEnded = "Leave ended.";
export const accountsAreDisabledFirstThenAccess = "Accounts are disabled first, then access is revoked.";
export const offboardingStarted = "Offboarding started.";
export const policiesGrantAccessAgainOtherAccess = "Policies grant access again. Other access is not restored.";
export const activated = "Activated.";
export const thePersonStaysAndKeepsTheir = "The person stays and keeps their access.";
export const noticeWithdrawn = "Notice withdrawn.";
export const endAccessNow = "End access now";
export const todayIfEmpty = "Today if empty.";
export const untilTheReturnIfEmpty = "Until the return if empty.";
export const immediateTermination = "Immediate termination";
export const accessIsRevokedWithPriorityAnd = "Access is revoked with priority and without the limits that hold large changes.";
export const nowIfEmpty = "Now if empty.";

// new.tsx
export const addedPoliciesGrantTheAccessOf = "Added. Policies grant the access of this person.";
export const addAPerson = "Add a person";
export const addAPersonWhoIsIn = "Add a person who is in no connected system. Other people are added by syncs.";
export const id = "ID";
export const aStableIdentifierSuchAsThe =
  "A stable identifier, such as the personnel number. A system that later reports the same ID updates this person.";
export const kind = "Kind";
export const personLower = "person";
export const machineRequiresASponsorAndA = "machine (requires a sponsor and a backup)";
export const addPerson = "Add person";

// ownership.tsx
export const orMore = "or more";
export const ownedEntitlements = "Owned entitlements";
export const sponsoredPeopleAndMachines = "Sponsored people and machines";
export const ownedAccounts = "Owned accounts";
export const directReports = "Direct reports";
export const ownership = "Ownership";
export const thePersonHasLeftAssignA = "The person has left. Assign a new owner to each item.";
export const assignANewOwnerToEach = "Assign a new owner to each item before the person leaves.";
export const noItemsLeft = "No items left.";
export const thePersonOwnsNothingNoHandover = "The person owns nothing. No handover is required.";

// page.tsx
export const all = "All";
export const active = "Active";
export const startingSoon = "Starting soon";
export const leaving = "Leaving";
export const onLeave = "On leave";
export const left = "Left";
export const machines = "Machines";
export const activeLower = "active";
export const startsSoon = "starts soon";
export const leavingLower = "leaving";
export const onLeaveLower = "on leave";
export const hasLeft = "has left";
export const archivedLower = "archived";
export const name = "Name";
export const source = "Source";
export const changed = "Changed";
export const peopleAndMachinesFromTheSource = "People and machines from the source systems.";
export const peopleAndMachinesThatYouCan = "People and machines that you can see.";
export const importLabel = "Import";
export const peopleAsOfHistoryBeginsWith = (asOf: Insert) => `People ${asOf}. History begins with the first sync of each system.`;
export const namesAndAddresses = "names and addresses";
export const noPeopleYet = "No people yet";
export const noPeopleVisibleToYou = "No people visible to you";
export const peopleComeFromSourceSystemsSuch = "People come from source systems, such as HR.";
export const connectASystem = "Connect a system";
export const anAdministratorConnectsTheFirstOne = "An administrator connects the first one.";
export const managersSeeTheirReportsOwnersSee = "Managers see their reports. Owners see the people who have the access that they own.";
export const theFileContainsAllFieldsOf = "The file contains all fields of everyone in this list.";
export const exportLabel = "Export";
export const allFieldsAsCsv = "All fields as CSV";
export const allFieldsAsJsonLines = "All fields as JSON lines";

// paths.tsx
export const theGroup = "the group";
export const paths = "Paths";
export const anotherGroup = "another group";
export const hiddenPathsMorePathsThroughGroups = (hiddenPaths: ReactNode) =>
  rich`${hiddenPaths} more paths through groups that are not visible to you.`;
export const toRemoveThisAccessRevoke = (grants: ReactNode) => rich`To remove this access, revoke ${grants}.`;
export const andBetween = " and ";

// person.tsx
export const openViolationsOf = (n: Count) =>
  plural(n, { one: "# open violation of a separation-of-duties policy.", other: "# open violations of separation-of-duties policies." });
export const showViolations = "Show violations";
export const sectionsOfThePerson = "Sections of the person";
export const recordPast = (past: Insert) => `Record ${past}`;
export const notRecordedAtThatTime = "Not recorded at that time";
export const historyBeginsWithTheFirstSync = "History begins with the first sync of the system. Earlier data is not known.";
export const immediateTerminationLower = "immediate termination";
export const reportsToManager = (manager: ReactNode) => rich`reports to ${manager}`;
export const requestAccess = "Request access";
export const allFieldsAndSources = "All fields and sources";
export const fromLeaveFromToLeaveTo = (leaveFrom: Insert, leaveTo: Insert) => `from ${leaveFrom} to ${leaveTo}`;
export const fromLeaveFromUntilTheyReturn = (leaveFrom: Insert) => `from ${leaveFrom} until they return`;
export const stateSince = "State since";
export const thisRecordWasMergedIntoMerged = (mergedInto: ReactNode) =>
  rich`This record was merged into ${mergedInto}. Its history is on that page.`;
export const previousRecordPreviousIdentity = (previousIdentity: ReactNode) => rich`Previous record: ${previousIdentity}.`;
export const theReportingLineIsCircularCorrect = "The reporting line is circular. Correct the managers in the source of people.";
export const theManagerInThisRecordIs = "The manager in this record is not known yet.";

// personaccess.tsx
export const unmanaged = "unmanaged";
export const orphanAccount = "orphan account";
export const ending = "ending";
export const approved = "approved";
export const fromAPolicyOrRole = "from a policy or role";
export const noAccessOnThatDay = "No access on that day";
export const noAccess = "No access";
export const noAccessIsVisibleToYou = "No access is visible to you.";
export const noResultsMatchTheseFilters = "No results match these filters";
export const clearFilters = "Clear filters";
export const they = "They";
export const theFirstCountOfTotal = (count: Insert, total: Insert) => `The first ${count} of ${total}.`;
export const accessAndReasons = "access and reasons";
export const system = "System";
export const basis = "Basis";
export const any = "Any";
export const accessAndItsBasis = "Access and its basis";
export const since = "Since";
export const ends = "Ends";
export const whyEntitlement = (entitlement: Insert) => `Why ${entitlement}`;
export const why = "Why";
export const showMinMoreOfCount = (min: Insert, count: Insert) => `Show ${min} more of ${count}`;

// personbyid.tsx
export const aPersonWhoIsNotVisible = "a person who is not visible to you";

// personroles.tsx
export const membershipRule = "membership rule";
export const policyLower = "policy";
export const directAssignmentLower = "direct assignment";
export const requestLower = "request";
export const emergencyAccessLower = "emergency access";
export const other = "other";
export const risk = "Risk";
export const provisioned = "Provisioned";
export const activeOfTotal = (active: ReactNode, total: ReactNode) => rich`${active} of ${total}`;
export const failedFailed = (failed: ReactNode) => rich`· ${failed} failed`;

// record.tsx
export const unpinned = "Unpinned.";
export const eachFieldWithTheSourceOf = "Each field with the source of its value.";
export const idInTheSource = "ID in the source";
export const lastSync = "Last sync";
export const firstSynced = "First synced";
export const unpinAllCount = (count: Insert) => `Unpin all ${count}`;
export const fieldsAndTheirSources = "Fields and their sources";
export const value = "Value";
export const unpinWordsOf = (wordsOf: Insert) => `Unpin ${wordsOf}`;
export const unpin = "Unpin";
export const aSourceSystem = "A source system";
export const notRecorded = "Not recorded";
export const pinnedUntilPinnedUntil = (pinnedUntil: Insert) => `pinned until ${pinnedUntil}`;
export const pinnedUntilTheSourceChanges = "pinned until the source changes";
export const pinned = "pinned";
export const sourceValueSays = (says: ReactNode) => rich`; source value: ${says}`;

// requests.tsx
export const request = "Request";
export const requester = "Requester";
export const requested = "Requested";
export const requestsForThisPerson = "Requests for this person";
export const requests = "requests";
export const noRequests = "No requests";

// revoke.tsx
export const accessIsBeingRevoked = "Access is being revoked.";
export const theReasonHasEndedOtherReasons = "The reason has ended. Other reasons keep the access.";
export const revokeAccess = "Revoke access";
export const entitlementFromIdentity = (entitlement: ReactNode, identity: ReactNode) => rich`${entitlement} from ${identity}`;
export const endTheReason = "End the reason";
export const revoke = "Revoke";
export const reasonToEnd = "Reason to end";
export const allReasons = "all reasons";
export const onlyWords = (words: Insert) => `only ${words}`;
export const blockUntil = "Block until";
export const aPolicyWouldGrantThisAccess =
  "A policy would grant this access again. It is blocked until this day. Afterwards policies apply again.";
export const shownInTheHistoryOfThe = "Shown in the history of the access.";
export const theAccessEnds = "The access ends.";
export const theAccessStaysOtherReasonsKeep = "The access stays: other reasons keep it.";
export const endingReasonsEnded = (reasonsEnded: Insert) => `Ending: ${reasonsEnded}.`;
export const remainingRemaining = (remaining: Insert) => `Remaining: ${remaining}.`;
export const wouldReturnThroughWouldReturn = (wouldReturn: Insert) => `Would return through: ${wouldReturn}.`;
export const blockedUntilExcludedUntil = (excludedUntil: Insert) => `Blocked until ${excludedUntil}.`;

// sync.tsx
export const sync = "Sync";
export const syncStarted = "Sync started";
export const theSyncContinuesInTheBackground = "The sync continues in the background. Changes are shown here when it ends.";
export const noConnectedSystemCanBeSynced = "No connected system can be synced.";
export const started = "started";
export const alreadyRunning = "already running";
export const cannotSyncNow = "cannot sync now";
export const openRun = "Open run";

// timeline.tsx
export const record = "record";
export const stateLower = "state";
export const accountsLower = "accounts";
export const accessLower = "access";
export const reasonsLower = "reasons";
export const rolesLower = "roles";
export const changesOfSystems = "changes of systems";
export const actionsOfPeople = "actions of people";
export const kindAll = "Kind: all";
export const from = "From";
export const to = "To";
export const noEventsInThisPeriod = "No events in this period";
export const historyBeginsOnTheDayOn = "History begins on the day on which this person was first recorded.";
export const loading = "Loading…";
export const showEarlierEvents = "Show earlier events";
export const differences = "Differences";

// why.tsx
export const noChangeIsSentToThe = (because: Insert) => `No change is sent to the system: ${because}`;
export const firstSeen = "First seen";
export const dateInTheSystem = "Date in the system";
export const lastUsed = "Last used";
export const openEntitlement = "Open entitlement";
export const reasons = "Reasons";
export const sinceSince = (since: ReactNode) => rich`started ${since}`;
export const reasonRule = (rule: ReactNode) => rich`Reason ${rule}`;
export const openTheRequest = "Open the request";
export const denialState = (state: Insert) => `denial, ${state}`;
export const foundInTheSystemLower = "found in the system";
export const provisioning = "Provisioning";
export const openTheChange = "Open the change";

// words.ts
export const emergencyAccess = "Emergency access";
export const directAssignment = "Direct assignment";
export const exception = "Exception";
export const acceptedAsFound = "Accepted as found";
export const acceptedAsFoundLower = "accepted as found";
export const foundAtFirstImport = "found at first import";
export const certifiedInAReview = "Certified in a review";
export const deniedSource = (source: Insert) => `Denied: ${source}`;
export const roleRole = (role: Insert) => `Role: ${role}`;
export const foundInTheSystem = "Found in the system";
export const policy = "Policy";
export const inWords = (words: Insert) => `In: ${words}`;
export const inherited = "Inherited";
export const noReason = "No reason";
export const reappeared = "reappeared";
export const provisioningFailed = "provisioning failed";
export const beingProvisioned = "being provisioned";
export const beingRevoked = "being revoked";
export const inheritedLower = "inherited";
export const onAsOfAtTheEnd = (asOf: Insert) => `on ${asOf}, at the end of the day`;
export const onAsOfAtToLocale = (asOf: Insert, toLocaleTimeString: Insert) => `on ${asOf} at ${toLocaleTimeString}`;
