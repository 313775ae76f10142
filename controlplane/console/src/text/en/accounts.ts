import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// account.tsx
export const accounts = "Accounts";
export const locked = "locked";
export const privilegedLower = "privileged";
export const inSystem = (system: ReactNode) => rich`in ${system}`;
export const notFoundByTheLatestSyncs = (missingSince: ReactNode) => rich`Not found by the latest syncs. First missing ${missingSince}.`;
export const account = "Account";
export const history = "History";
export const historyOfTheAccount = "History of the account";
export const unmanagedNeverChangedByPolicies = "unmanaged: never changed by policies";
export const readOnlyNeverChangedByPolicies = "read-only: never changed by policies";
export const discoveredFoundByASyncPolicies = "discovered: found by a sync; policies change its access, not its attributes";
export const managedChangedByPoliciesAndBy = "managed: changed by policies and by people";
export const protectedNeverChanged = "protected: never changed";
export const name = "Name";
export const eMail = "E-mail";
export const employeeNumber = "Employee number";
export const kind = "Kind";
export const purpose = "Purpose";
export const management = "Management";
export const lastSignIn = "Last sign-in";
export const passwordChanged = "Password changed";
export const secondFactor = "Second factor";
export const yes = "yes";
export const no = "no";
export const ends = "Ends";
export const createdInTheSystem = "Created in the system";
export const firstSynced = "First synced";
export const attributesInTheSystemCount = (count: Insert) => `Attributes in the system (${count})`;
export const idInTheSystem = "ID in the system";
export const nothing = "nothing";
export const access = "Access";
export const path = "Path";
export const basis = "Basis";
export const since = "Since";
export const reason = "Reason";
export const whyEntitlement = (entitlement: Insert) => `Why ${entitlement}`;
export const why = "Why";
export const g = "g.";
export const held = "Held";
export const directly = "directly";
export const throughAGroup = "through a group";
export const asOf = "As of";
export const noAccess = "No access";
export const noAccessIsVisibleToYou = "No access is visible to you.";

// actions.tsx
export const actions = "Actions";
export const disable = "Disable";
export const enable = "Enable";
export const unlock = "Unlock";
export const renameOrMove = "Rename or move";
export const resetPassword = "Reset password";
export const editKindAndManagement = "Edit kind and management";
export const saved = "Saved.";
export const save = "Save";
export const discoveredPoliciesChangeItsAccessNot = "discovered: policies change its access, not its attributes";
export const thePurposeOfTheAccountIf = "The purpose of the account, if it has no owner.";

// bulk.tsx
export const assignOwners = "Assign owners";
export const acceptAsUnowned = "Accept as unowned";
export const assignOwnersToAccounts = (count: Count) => `Assign owners to ${plural(count, { one: "# account", other: "# accounts" })}`;
export const theOwnerIsThePersonWhose = "The owner is the person whose record has the same value in this field.";
export const linkedAssignedUnchangedUnchangedFailedFailed = (linked: Insert, unchanged: Insert, failed: Insert) =>
  `${linked} assigned, ${unchanged} unchanged, ${failed} failed.`;
export const matchBy = "Match by";
export const eMailAddress = "e-mail address";
export const employeeNumberLower = "employee number";
export const loginAsAnEMailAddress = "login as an e-mail address";
export const accountsHaveNoSuchValueAnd = (count: Count) =>
  plural(count, { one: "# account has no such value and stays unchanged.", other: "# accounts have no such value and stay unchanged." });

// columns.tsx
export const active = "active";
export const disabled = "disabled";
export const missing = "missing";
export const beingCreated = "being created";
export const beingDeleted = "being deleted";
export const failed = "failed";
export const deleted = "deleted";
export const login = "Login";
export const person = "Person";
export const noOwnerLower = "no owner";
export const owner = "Owner";
export const state = "State";

// disableall.tsx
export const accountsLower = (count: Count) => plural(count, { one: "# account", other: "# accounts" });
export const accountsAreBeingDisabled = (count: Count) =>
  `${plural(count, { one: "# account is", other: "# accounts are" })} being disabled.`;
export const disableAccounts = (count: Count) => `Disable ${plural(count, { one: "# account", other: "# accounts" })}`;
export const disabledAccountsCannotBeUsedTo =
  "Disabled accounts cannot be used to sign in. They keep their access and can be enabled again.";
export const selectedAccountsAreAlreadyDisabledOr = (count: Count) =>
  `${plural(count, { one: "# selected account is", other: "# selected accounts are" })} already disabled or protected and will not change.`;
export const note = "Note";
export const recordedWithEachChangeAndIn = "Recorded with each change and in the audit log.";
export const sizeOfCountSent = (size: Insert, count: Insert) => `${size} of ${count} sent`;
export const notDisabled = "Not disabled";

// drift.tsx
export const theTemplateValuesAreBeingWritten = "The template values are being written.";
export const theSystemsValuesAreAccepted = "The system's values are accepted.";
export const driftFromTheTemplate = "Drift from the template";
export const comparedLookedAt = (lookedAt: ReactNode) => rich`Compared ${lookedAt}.`;
export const writeTemplateValues = "Write template values";
export const accept = "Accept";
export const theTemplateCannotMakeFieldMessage = (field: ReactNode, message: ReactNode) =>
  rich`The template cannot make ${field}: ${message}`;
export const missingFromTheOwnersRecordMissing = (missing: Insert) => ` Missing from the owner's record: ${missing}.`;
export const driftedAttributes = "Drifted attributes";
export const selected = "Selected";
export const field = "Field";
export const templateValue = "Template value";
export const systemValue = "System value";
export const selectField = (field: Insert) => `Select ${field}`;
export const noValue = "no value";
export const theDriftSettingOfTheConnector = "the drift setting of the connector";
export const acceptedByValue = (value: ReactNode) => rich`accepted by ${value}`;

// drifted.tsx
export const noDrift = "No drift";
export const systemsWithoutAnAccountTemplateAre =
  "Systems without an account template are not compared. Account templates are in the settings of each connector.";
export const driftedAccounts = "Drifted accounts";
export const system = "System";
export const driftedFields = "Drifted fields";
export const compared = "Compared";
export const countOfTotal = (count: Insert, total: Insert) => `${count} of ${total}`;
export const showMore = "Show more";

// findowners.tsx
export const findOwners = "Find owners";
export const runCorrelationRules = "Run correlation rules";
export const matchByOneField = "Match by one field";
export const gainAnOwnerLower = "gain an owner";
export const changeOwnerLower = "change owner";
export const loseTheirOwnerLower = "lose their owner";
export const becomeDisputedLower = "become disputed";
export const haveNoCandidatesLeft = "have no candidates left";
export const stayUnchanged = "stay unchanged";
export const correlationRunsAfterEachSyncThis =
  "Correlation runs after each sync. This runs it now for accounts without an owner assigned by a person.";
export const runInThisSystem = "Run in this system";
export const runInAllSystems = "Run in all systems";
export const accountsHaveAnOwnerNowDisputed = (gains: Count, disputed: Insert) =>
  `${plural(gains, { one: "# account has an owner", other: "# accounts have an owner" })} now, ${disputed} disputed.`;
export const allSystems = "all systems";
export const noAccountsToCorrelate = "No accounts to correlate.";
export const gainAnOwner = "Gain an owner";
export const changeOwner = "Change owner";
export const loseTheirOwner = "Lose their owner";
export const becomeDisputed = "Become disputed";
export const selectASystemToPreviewIts = "Select a system to preview its correlation rules.";
export const correlationRulesAreInTheSettings = "Correlation rules are in the settings of the connector";
export const fromFrom = (from: ReactNode) => rich`from ${from}`;
export const toToConfidenceText = (to: ReactNode, confidenceText: ReactNode) => rich`to ${to}, ${confidenceText}`;
export const candidateCount = (count: Count) => `: ${plural(count, { one: "# candidate", other: "# candidates" })}`;
export const showAllCount = (count: Insert) => `Show all ${count}`;
export const forUncorrelatedAndDisputedAccountsThe =
  "For uncorrelated and disputed accounts: the person with the same value becomes the owner.";
export const loginLower = "login";
export const ownerIdInTheSystem = "owner ID in the system";

// ignoreall.tsx
export const notSentYet = "not sent yet";
export const accountsAreAcceptedAsUnowned = (count: Count) =>
  `${plural(count, { one: "# account is", other: "# accounts are" })} accepted as unowned.`;
export const acceptAccountsAsUnowned = (count: Count) => `Accept ${plural(count, { one: "# account", other: "# accounts" })} as unowned`;
export const decisionTasksForTheseAccountsClose =
  "Decision tasks for these accounts close, and correlation skips them. You can undo this for each account.";
export const retryTheRest = "Retry the rest";
export const notAccepted = "Not accepted";
export const changedBySomeoneElse = "changed by someone else";

// linkresult.tsx
export const result = "Result";
export const andCountMore = (count: Insert) => `and ${count} more`;
export const close = "Close";

// linktry.tsx
export const alreadyBelongsTo = (person: ReactNode) => rich`already belongs to ${person}`;
export const toPerson = (person: ReactNode) => rich`to ${person}`;
export const linkedWillBeAssignedUnchangedAre = (linked: Insert, unchanged: Insert, failed: Insert) =>
  `${linked} will be assigned, ${unchanged} are unchanged, ${failed} cannot be assigned.`;

// operation.tsx
export const deleteLabel = "Delete";
export const disableAccount = "Disable account";
export const theAccountCannotBeUsedTo = "The account cannot be used to sign in. It keeps its access.";
export const enableAccount = "Enable account";
export const theAccountCanBeUsedTo = "The account can be used to sign in again.";
export const unlockAccount = "Unlock account";
export const clearsALockCausedByWrong = "Clears a lock caused by wrong passwords.";
export const deleteAccount = "Delete account";
export const theAccountIsDisabledFirstThen = "The account is disabled first, then deleted in its system. You cannot undo this.";
export const renameOrMoveAccount = "Rename or move account";
export const rename = "Rename";
export const emptyFieldsStayUnchanged = "Empty fields stay unchanged.";
export const reset = "Reset";
export const setsARandomPasswordThatIs =
  "Sets a random password that is not shown. The owner sets a new one with the password reset of the system.";
export const provisioningTaskCreatedThePageOf = "Provisioning task created. The page of the account shows its state.";
export const container = "Container";
export const theDnOfTheParentEntry = "The DN of the parent entry in a directory.";
export const requireANewPasswordAtThe = "Require a new password at the next sign-in";
export const recordedWithTheChangeAndIn = "Recorded with the change and in the audit log.";
export const changeRecord = "Change record";
export const request = "Request";
export const methodUrlBody = (method: Insert, url: Insert, body: Insert) => `${method} ${url}\n\n${body}`;
export const methodUrl = (method: Insert, url: Insert) => `${method} ${url}`;
export const noRequestWouldBeSent = "No request would be sent.";

// owner.tsx
export const assignOwner = "Assign owner";
export const removeOwner = "Remove owner";
export const returnToCorrelation = "Return to correlation";
export const noOwner = "No owner";
export const decidedByAPersonDecidedAt = (decidedAt: ReactNode) => rich`decided by a person ${decidedAt}`;
export const decidedByCorrelationRulesDecidedAt = (decidedAt: ReactNode) => rich`decided by correlation rules ${decidedAt}`;
export const theSystemReportsIdentityExternalAs = (identityExternal: ReactNode) =>
  rich`The system reports ${identityExternal} as the owner.`;
export const reasonsExplanation = (explanation: Insert) => `Reasons: ${explanation}.`;
export const candidates = "Candidates";
export const confidenceWithScore = (confidenceText: Insert, round: Insert) => `${confidenceText}, score ${round} of 100`;
export const resultOfEachRule = "Result of each rule";
export const accountValueInTheAccountIdentity = (accountValue: ReactNode, identityValue: ReactNode) =>
  rich`(${accountValue} in the account, ${identityValue} in the person's record)`;
export const ownerAssigned = "Owner assigned.";
export const policiesWillApplyMissingAccessIs =
  "Policies will apply: missing access is granted, and extra access is queued for review. Correlation rules do not change this owner again.";
export const evidenceThatThisPersonOwnsThe = "Evidence that this person owns the account.";
export const remove = "Remove";
export const theAccountBecomesAnAccountWithout =
  "The account becomes an account without an owner. Correlation does not assign this owner again.";
export const ownerRemoved = "Owner removed.";
export const decisionTasksForThisAccountClose = "Decision tasks for this account close, and correlation skips it.";
export const acceptedAsUnowned = "Accepted as unowned.";
export const returnLabel = "Return";
export const theDecisionOfAPersonIs = "The decision of a person is removed, and correlation finds the owner again.";
export const returnedToCorrelation = "Returned to correlation.";

// page.tsx
export const all = "All";
export const orphaned = "Orphaned";
export const uncorrelated = "Uncorrelated";
export const disputed = "Disputed";
export const privileged = "Privileged";
export const machines = "Machines";
export const accountsInTheConnectedSystemsAnd = "Accounts in the connected systems and their owners.";
export const view = "View";
export const drift = "Drift";
export const orphanReason = "Orphan reason";
export const logins = "logins";
export const noAccountsYet = "No accounts yet";
export const accountsAreListedAfterTheFirst = "Accounts are listed after the first sync of a system.";
export const noAccountsVisibleToYou = "No accounts visible to you";
export const managersSeeTheAccountsOfTheir =
  "Managers see the accounts of their reports. Owners see the accounts that hold their entitlements.";

// tasks.tsx
export const createAccount = "Create account";
export const updateAccount = "Update account";
export const setPassword = "Set password";
export const grant = "Grant";
export const revoke = "Revoke";
export const provisioningTasks = "Provisioning tasks";
export const runningTasksAreRefreshedEveryTwo = "Running tasks are refreshed every two seconds.";
export const waiting = "waiting";
export const open = "Open";

// words.ts
export const known = "known";
export const assignedByAPerson = "assigned by a person";
export const uncorrelatedLower = "uncorrelated";
export const disputedLower = "disputed";
export const acceptedAsUnownedLower = "accepted as unowned";
export const ownerHasLeft = "owner has left";
export const ownerIsArchived = "owner is archived";
export const neverHadAnOwner = "never had an owner";
export const ownerIsDisputed = "owner is disputed";
export const almostCertain = "almost certain";
export const veryLikely = "very likely";
export const matches = "matches";
export const matchesAndIsAlreadyCounted = "matches, and is already counted";
export const differs = "differs";
export const hasNoValueOnOneSide = "has no value on one side";
export const rulesThePersonOut = "rules the person out";
export const doesNotRuleThePersonOut = "does not rule the person out";
