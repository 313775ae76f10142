import type { ReactNode } from "react";
import { type Count, conjunction, type Insert, plural, rich } from "../format";

// branch.tsx
export const always = "Always";
export const otherwise = "Otherwise";
export const branchN = (n: Insert) => `Branch ${n}`;
export const removeWords = (words: Insert) => `Remove: ${words}`;
export const remove = "Remove";
export const when = "When";
export const thenLabel = "Then";
export const requireApproval = "require approval";
export const approveWithoutApprovalSteps = "approve without approval steps";
export const reject = "reject";
export const useAnotherApprovalRule = "use another approval rule";
export const reason = "Reason";
export const shownToTheRequester = "Shown to the requester.";
export const stepsOfWords = (words: Insert) => `Steps of: ${words}`;
export const owner = "Owner";
export const manager = "Manager";
export const step = "Step";

// branchdiagram.tsx
export const approvedWithoutApprovalStepsReason = (reason: ReactNode) => rich`Approved without approval steps. ${reason}`;
export const rejectedReason = (reason: ReactNode) => rich`Rejected. ${reason}`;
export const anotherApprovalRuleApplies = "Another approval rule applies.";
export const access = "Access";
export const startsAfterAWait = "Starts after a wait.";
export const answerWithin = (time: Insert) => `Answer within ${time}.`;
export const remindersAreSent = (count: Count) => plural(count, { one: "# reminder is sent.", other: "# reminders are sent." });
/** What happens if no approver answers for a time, by the action of an escalation. */
export const escalationAfter: Record<string, (time: Insert, approvers: string[]) => string> = {
  add: (time, approvers) => `After ${time} without an answer, these people are also asked: ${conjunction(approvers)}.`,
  replace: (time, approvers) => `After ${time} without an answer, the step is reassigned to: ${conjunction(approvers)}.`,
  skip: (time) => `After ${time} without an answer, the step is skipped.`,
  approve: (time) => `After ${time} without an answer, the step is approved.`,
  reject: (time) => `After ${time} without an answer, the step is rejected.`,
  use_rule: (time) => `After ${time} without an answer, another approval rule applies.`,
};

// calendar.tsx
export const calendarSaved = "Calendar saved.";
export const editName = (name: Insert) => `Edit ${name}`;
export const addACalendar = "Add a calendar";
export const save = "Save";
export const name = "Name";
export const timeZone = "Time zone";
export const defaultCalendar = "Default calendar";
export const appliesWhereNoCalendarIsSet = "Applies where no calendar is set. It replaces the current default calendar.";
export const dFrom = (d: Insert) => `${d} from`;
export const dTo = (d: Insert) => `${d} to`;
export const removeHoursIOfD = (i: Insert, d: Insert) => `Remove hours ${i} of ${d}`;
export const addHours = "add hours";
export const closedAddHours = "closed: add hours";
export const onD = (d: ReactNode) => rich`on ${d}`;
export const holidays = "Holidays";
export const date = "Date";
export const removeHolidayI = (i: Insert) => `Remove holiday ${i}`;
export const holiday = "Holiday";

// editing.tsx
export const nameSavedOpenRequestsKeepTheir = (name: Insert) => `${name} saved. Open requests keep their version of the rule.`;

// editor.tsx
export const newAccess = "new access";
export const extension = "extension";
export const returnOfAccess = "return of access";
export const endOfAccess = "end of access";
export const description = "Description";
export const approvalSteps = "Approval steps";
export const theFirstBranchWhoseConditionMatches =
  "The first branch whose condition matches applies. The last branch covers all other requests.";
export const addCondition = "Add condition";
export const scope = "Scope";
export const theMostSpecificRuleAppliesItem = "The most specific rule applies: item, system, tag or risk, kind of request, then default.";
export const defaultRuleForEverythingWithoutIts = "Default rule: for everything without its own rule";
export const roles = "Roles";
export const entitlements = "Entitlements";
export const systems = "Systems";
export const includesAllEntitlementsOfTheSystems = "Includes all entitlements of the systems, and roles that contain them.";
export const tags = "Tags";
export const onePerLineSuchAsSox = "One per line, such as SOX.";
export const risk = "Risk";
export const kindsOfRequestsEmptyAll = "Kinds of requests (empty: all)";
export const order = "Order";
export const ifTwoRulesAreEquallySpecific = "If two rules are equally specific, the lower number applies.";
export const requestFields = "Request fields";
export const requireAReason = "Require a reason";
export const requireATicketNumber = "Require a ticket number";
export const expiresWithoutADecisionAfter = "Expires without a decision after";
export const durationAndExtensions = "Duration and extensions";
export const maximumDuration = "Maximum duration";
export const noLimit = "no limit";
export const defaultDuration = "Default duration";
export const theMaximumDuration = "the maximum duration";
export const allowAccessWithoutAnEndDate = "Allow access without an end date";
export const allowExtensions = "Allow extensions";
export const extensionsRequireApproval = "Extensions require approval";
export const maximumPerExtension = "Maximum per extension";
export const upToTheMaximumDuration = "up to the maximum duration";
export const emergencyAccess = "Emergency access";
export const allowEmergencyAccessWithALater = "Allow emergency access with a later review";
export const accessIsGrantedAtOnceWithout =
  "Access is granted at once, without approval. The approvers, the manager and the owners are notified and can end it.";
export const reviewWithin = "Review within";
export const branches = "Branches";
export const separationOfApprovers = "Separation of approvers";
export const allowTheRequesterAndTheRecipient = "Allow the requester and the recipient to approve";
export const offRequestersAndRecipientsCannotApprove = "Off: requesters and recipients cannot approve their own requests, in any role.";
export const approversOfAnEarlierStep = "Approvers of an earlier step";
export const cannotApproveALaterStep = "cannot approve a later step";
export const canApproveLaterSteps = "can approve later steps";

// model.ts
export const theManagerLower = "the manager";
export const ownersOfTheRequestedAccessLower = "owners of the requested access";
export const ownersOfTheRole = "owners of the role";
export const ownersOfTheEntitlement = "owners of the entitlement";
export const theSponsor = "the sponsor";
export const aPerson = "a person";
export const holdersOfARole = "holders of a role";
export const usersWithARoleInGrantwrightLower = "users with a role in Grantwright";
export const personOnCallLower = "person on call";
export const peopleChosenByTheRequesterLower = "people chosen by the requester";
export const peopleFoundByAnExpression = "people found by an expression";
export const ownersOfTheSystemNotAvailable = "owners of the system (not available yet)";
export const anyAdministrator = "Any administrator";
export const anyManager = "Any manager";
export const anyResourceOwner = "Any resource owner";
export const anyAuditor = "Any auditor";
export const theManagerLevelLevelsUp = (level: Insert) => `The manager, ${level} levels up`;
export const theManager = "The manager";
export const noPersonSelected = "No person selected";
export const aRole = "a role";
export const membersOfNames = (names: Insert) => `Members of ${names}`;
export const usersWithARoleInGrantwright = "Users with a role in Grantwright";
export const personOnCallNames = (names: Insert) => `Person on call: ${names}`;
export const personOnCall = "Person on call";
export const peopleChosenByTheRequester = "People chosen by the requester";
export const peopleFoundByTheExpression = "People found by the expression";
export const alsoAskThesePeople = "also ask these people";
export const reassignToThesePeople = "reassign to these people";
export const skipTheStep = "skip the step";
export const approveTheStep = "approve the step";
export const refuse = "refuse";

// new.tsx
export const nameIsActive = (name: Insert) => `${name} is active.`;
export const nameSavedEnableItToApply = (name: Insert) => `${name} saved. Enable it to apply it.`;
export const newApprovalRule = "New approval rule";
export const approvalRules = "Approval rules";
export const openRequestsKeepTheVersionOf = "Open requests keep the version of the rule under which they were submitted.";
export const enableAfterSaving = "Enable after saving";

// oncall.tsx
export const noOne = "no one";
export const nowOnCallIdentity = (onCallIdentity: ReactNode) => rich`Now: ${onCallIdentity}`;
export const peopleRotateEveryShiftDescription = (count: Count, shift: Insert, description: ReactNode) =>
  rich`${plural(count, { one: "# person rotates", other: "# people rotate" })} every ${shift}. ${description}`;
export const scheduleSaved = "Schedule saved.";
export const addAnOnCallSchedule = "Add an on-call schedule";
export const people = "People";
export const inOrderOfRotationAPerson = "In order of rotation. A person can be listed more than once.";
export const shiftLength = "Shift length";
export const startOfTheFirstShift = "Start of the first shift";
export const leaveEmptyToStartNow = "Leave empty to start now.";

// page.tsx
export const rule = "Rule";
export const steps = "Steps";
export const andCountMore = (count: Insert) => `and ${count} more`;
export const state = "State";
export const activeLower = "active";
export const offLower = "off";
export const changed = "Changed";
export const usedByOtherRules = "used by other rules";
export const everythingWithoutItsOwnRule = "everything without its own rule";
export const roleCount = (count: Count) => plural(count, { one: "# role", other: "# roles" });
export const entitlementCount = (count: Count) => plural(count, { one: "# entitlement", other: "# entitlements" });
export const systemCount = (count: Count) => plural(count, { one: "# system", other: "# systems" });
export const riskLevelsRisk = (riskLevels: Insert) => `${riskLevels} risk`;
export const requestKindsOnly = (requestKinds: Insert) => `${requestKinds} only`;
export const whoMustApproveARequestThe = "Who must approve a request. The most specific rule applies.";
export const workingTimeAndOnCall = "Working time and on call";
export const all = "All";
export const active = "Active";
export const off = "Off";
export const defaultLabel = "Default";
export const namesAndDescriptions = "names and descriptions";
export const noApprovalRulesYet = "No approval rules yet";
export const requestsFollowTheBuiltInRule = "Requests follow the built-in rule below until you create one.";
export const coverage = "Coverage";
export const withoutARule = "Without a rule";
export const approversUnavailable = "Approvers unavailable";
export const cannotDecide = "Cannot decide";
export const fallbackDecides = "fallback decides";
export const requestableRolesAndEntitlementsUseThe = (total: Count) =>
  `${plural(total, { one: "# requestable role or entitlement uses", other: "# requestable roles and entitlements use" })} the default rule. Create rules for those of high or critical risk.`;
export const requestableRolesAndEntitlementsWithoutA = "Requestable roles and entitlements without a rule of their own.";
export const kind = "Kind";
export const rolesLower = "roles";
export const entitlementsLower = "entitlements";
export const critical = "critical";
export const high = "high";
export const medium = "medium";
export const low = "low";
export const noGaps = "No gaps";
export const noRequestableRoleOrEntitlementDepends = "No requestable role or entitlement depends on the default rule.";
export const nothingCanBeRequestedYet = "Nothing can be requested yet";
export const makeARoleOrAnEntitlement = "Make a role or an entitlement requestable. It is listed here until it has its own rule.";
export const roleLower = "role";
export const right = "right";
export const owners = "Owners";
export const none = "none";
export const defaultRuleName = (name: ReactNode) => rich`Default rule: ${name}.`;
export const builtInRule = "Built-in rule";
export const appliesWhereNoRuleMatchesAnd =
  "Applies where no rule matches and you have no default rule. A reason is required. Each approver has three working days. The request expires after 14 days without a decision.";
export const ownersOfTheRequestedAccess = "Owners of the requested access";
export const onlyForHighOrCriticalRisk = "Only for high or critical risk.";

// path.tsx
export const approvedState = "Approved";
export const rejectedState = "Rejected";
export const decisionPending = "Decision pending";
export const notStarted = "Not started";
export const skippedState = "Skipped";
export const expiredState = "Expired";
export const withdrawnState = "Withdrawn";
export const approvedAt = (at: ReactNode) => rich`Approved ${at}`;
export const rejectedAt = (at: ReactNode) => rich`Rejected ${at}`;
export const skippedAt = (at: ReactNode) => rich`Skipped ${at}`;
export const expiredAt = (at: ReactNode) => rich`Expired ${at}`;
export const withdrawnAt = (at: ReactNode) => rich`Withdrawn ${at}`;
export const pending = (since: ReactNode) => rich`Pending: asked ${since}`;
export const pendingAndDue = (since: ReactNode, due: ReactNode) => rich`Pending: asked ${since}, due ${due}`;
export const dueAt = (due: ReactNode) => rich`Due ${due}`;
export const now = "now";
export const stateOfTheStep = (state: Insert) => `${state}:`;
export const stepI = (i: Insert) => `Step ${i}`;
export const allMustApprove = "All must approve:";
export const someMustApprove = (needed: Count) => plural(needed, { one: "One must approve:", other: "# must approve:" });
export const alsoRequired = "Also required:";
export const alsoAllMustApprove = "Also, all must approve:";
export const alsoSomeMustApprove = (needed: Count) => plural(needed, { one: "Also, one must approve:", other: "Also, # must approve:" });
export const noApproverFound = "No approver found";
export const unavailable = (approver: ReactNode, reason: Insert) => rich`Not asked: ${approver} ${reason}`;
export const delegate = "Delegate";
export const delegateOf = (approver: Insert) => `Delegate of ${approver}`;
export const fallbackNoApproverWasFound = "Fallback: no approver was found";
export const escalatedNoApproverAnswered = "Escalated: no approver answered";
export const reassigned = "Reassigned";

// replay.tsx
export const onlyTheLatestWereReplayed = "Only the latest 5,000 were replayed.";
export const ruleNoApprover = (rule: Insert) => `${rule}: no approver found`;
export const ruleApproved = (rule: Insert) => `${rule}: approved without approval steps`;
export const ruleRefused = (rule: Insert) => `${rule}: refused`;
export const ruleSteps = (rule: Insert, steps: string[]) => `${rule}: ${steps.join(", then ")}`;
export const replayPastRequests = "Replay past requests";
export const showsHowPastRequestsWouldHave = "Shows how past requests would have been decided under this rule. Nothing is changed.";
export const requestsOfTheLast = "Requests of the last";
export const n7Days = "7 days";
export const n30Days = "30 days";
export const n90Days = "90 days";
export const year = "year";
export const replaying = "Replaying…";
export const replay = "Replay";
export const noRequestsInThisPeriod = "No requests in this period.";
export const requestedItemsItemsUnderRuleOf = (itemsLookedAt: Count, itemsUnderRule: Insert, different: ReactNode) =>
  rich`${plural(itemsLookedAt, { one: "# requested item", other: "# requested items" })}, ${itemsUnderRule} of them under this rule before or now. ${different} would follow different steps.`;
export const differences = "Differences";
export const noDifference = "no difference";
export const otherApprovers = "other approvers";
export const otherSteps = "other steps";
export const otherOutcome = "other outcome";
export const approversDifferWithOtherApproversStages = (approversDiffer: ReactNode, stagesDiffer: ReactNode, outcomeDiffers: ReactNode) =>
  rich`${approversDiffer} with other approvers · ${stagesDiffer} with other steps · ${outcomeDiffers} with another outcome`;
export const itemsWouldHaveNoApprover = (wouldBeBlocked: Count) =>
  `${plural(wouldBeBlocked, { one: "# item", other: "# items" })} would have no approver.`;
export const request = "Request";
export const forLabel = "For";
export const item = "Item";
export const before = "Before";
export const after = "After";
export const approvedWithoutApprovalSteps = "approved without approval steps";

// resolvers.tsx
export const addApprover = "Add approver";
export const removeLabelI = (label: Insert, i: Insert) => `Remove ${label} ${i}`;
export const level = "Level";
export const lLevelsUp = (l: Insert) => `${l} levels up`;
export const roleInGrantwright = "Role in Grantwright";
export const administrators = "administrators";
export const managers = "managers";
export const resourceOwners = "resource owners";
export const auditorsWhoAlsoHaveAnotherRole = "auditors who also have another role";
export const expression = "Expression";
export const pythonOverIdentityAndRequestIt =
  "Python over identity and request. It returns an ID, an external ID, an e-mail address or a list of them.";
export const choice = "Choice";
export const approver = "Approver";
export const role = "Role";
export const onCallSchedule = "On-call schedule";
export const choose = "Choose";
export const noScheduleYetCreateOneUnder = "No schedule yet. Create one under Working time and on call.";
export const workingTime = "Working time";
export const defaultCalendarLower = "default calendar";
export const approvalRule = "Approval rule";
export const exceptionFrom = (policies: Insert) => `Exception from ${policies}`;

// rule.tsx
export const rulesThatReferToItStill = "Rules that refer to it still use it.";
export const deleteLabel = "Delete";
export const edit = "Edit";
export const forScopeWordsVersionVersionChanged = (scopeWords: ReactNode, version: ReactNode, updatedAt: ReactNode) =>
  rich`For ${scopeWords}; version ${version}, changed ${updatedAt}`;
export const branchNumber = (number: Insert) => `Branch ${number}:`;
export const branchAndStep = (number: Insert, number2: Insert) => `Branch ${number}, step ${number2}:`;
export const branchI = (i: Insert) => `Branch ${i}`;
export const optional = "optional";
export const needed = "needed";
export const ticket = "Ticket";
export const expiresAfter = "Expires after";
export const noLimitInThisRule = "no limit in this rule";
export const extensions = "Extensions";
export const no = "no";
export const withoutApproval = "without approval";
export const withApproval = "with approval";
export const grantedAtOnceForAtMost = (maxDuration: Insert, postReviewWithin: Insert) =>
  `granted at once, for at most ${maxDuration}; reviewed within ${postReviewWithin}`;
export const notAllowed = "not allowed";
export const selfApproval = "Self-approval";
export const allowed = "allowed";
export const never = "never";
export const id = "ID";
export const wasDeleted = "was deleted";
export const isActive = "is active";
export const isDisabled = "is disabled";
export const enable = "Enable";
export const more = "More";
export const disable = "Disable";
export const deleteThisRule = "Delete this rule";
export const disableThisRule = "Disable this rule";
export const newRequestsFollowTheNextMost =
  "New requests follow the next most specific rule, or the default rule. Open requests keep this rule.";

// simulate.tsx
export const aSample = "a sample";
export const testWithASampleRequest = "Test with a sample request";
export const usesTheSameEvaluationAsA = "Uses the same evaluation as a real request. No approver is asked, and nothing is saved.";
export const person = "Person";
export const anEntitlement = "an entitlement";
export const itemName = "Item name";
export const kindOfRequest = "Kind of request";
export const duration = "Duration";
export const defaultOrWithoutAnEndDate = "default, or without an end date";
export const emergencyRequest = "Emergency request";
export const test = "Test";
export const usesTheSettingsAboveIncludingUnsaved = "Uses the settings above, including unsaved changes.";
export const noApproverCanBeFound = "No approver can be found.";
export const atMostMaxDuration = (maxDuration: Insert) => `at most ${maxDuration}`;
export const usuallyDefaultDuration = (defaultDuration: Insert) => `usually ${defaultDuration}`;
export const anEndDateIsRequired = "an end date is required";
export const aReasonIsRequired = "a reason is required";
export const aTicketIsRequired = "a ticket is required";
export const emergencyAccessAtOnceForAt = (maxDuration: Insert) => `emergency access at once, for at most ${maxDuration}`;
export const replacesTheRuleName = (name: ReactNode) => rich`Replaces the rule ${name}.`;
export const noApproverCanBeFoundThe = "No approver can be found. The request would be blocked, and administrators would be notified.";
export const approversForOfValue = (ofValue: Insert) => `Approvers for ${ofValue}`;
export const howApproversWereFound = "How approvers were found";

// stage.tsx
export const stepN = (n: Insert) => `step ${n}`;
export const stepNText = (n: ReactNode) => rich`Step ${n}`;
export const aboutEarlier = (about: Insert) => `${about} earlier`;
export const aboutLater = (about: Insert) => `${about} later`;
export const removeAbout = (about: Insert) => `Remove ${about}`;
export const timeToAnswer = "Time to answer";
export const inWorkingTimeADayIs = "In working time: a day is a working day.";
export const addParallelGroup = "Add parallel group";
export const ifNoApproverAnswers = "If no approver answers";
export const ifNoApproverIsFound = "If no approver is found";
export const thesePeopleAreAskedInsteadIf = "These people are asked instead. If none is set, administrators are asked.";
export const fallbackApprovers = "Fallback approvers";
export const addFallbackApprover = "Add fallback approver";
export const moreSettings = "More settings";
export const requireAComment = "Require a comment";
export const toReject = "to reject";
export const toApprove = "to approve";
export const alwaysLower = "always";
export const allowDelegatesToApprove = "Allow delegates to approve";
export const allowApproversToReassign = "Allow approvers to reassign";
export const allowedPeople = "Allowed people";
export const leaveEmptyToAllowEveryone = "Leave empty to allow everyone.";
export const approvers = "Approvers";
export const andAlso = "and also";
export const requiredApprovals = "Required approvals";
export const one = "one";
export const allLower = "all";
export const aFixedNumber = "a fixed number";
export const numberOfApprovals = "Number of approvals";
export const removeGroup = "Remove group";
export const reminderBeforeTheDueTimeI = (i: Insert) => `Reminder before the due time (${i})`;
export const removeReminderI = (i: Insert) => `Remove reminder ${i}`;
export const reminder = "Reminder";
export const escalateAfterI = (i: Insert) => `Escalate after (${i})`;
export const action = "Action";
export const removeEscalation = "Remove escalation";
export const escalation = "Escalation";

// versions.tsx
export const eachRequestShowsTheVersionUnder = "Each request shows the version under which it was submitted.";

// wait.tsx
export const waitBeforeTheFirstStep = "Wait before the first step";
export const noWait = "no wait";
export const forAPeriod = "for a period";
export const untilATimeOfDay = "until a time of day";
export const untilAConditionOnThePerson = "until a condition on the person is true";
export const untilAnAdministratorContinuesIt = "until an administrator continues it";
export const period = "Period";
export const timeOfDay = "Time of day";
export const forExampleEuropeBerlin = "For example Europe/Berlin.";
export const condition = "Condition";
export const maximumWait = "Maximum wait";
export const continueLabel = "continue";
export const allowDecisionsOnlyAtCertainTimes = "Allow decisions only at certain times";
export const days = "Days";
export const from = "From";
export const to = "To";

// worktime.tsx
export const dueTimesRemindersAndEscalationsCount =
  "Due times, reminders and escalations count working time. Approval rules can use on-call schedules.";
export const calendars = "Calendars";
export const stepsWithoutACalendarUseThe =
  "Steps without a calendar use the default calendar. Without one, Monday to Friday from 9:00 to 17:00 in the tenant's time zone applies.";
export const noCalendarsYet = "No calendars yet";
export const mondayToFridayApplies = "Monday to Friday from 9:00 to 17:00 in the tenant's time zone applies.";
export const defaultLabelLower = "default";
export const onCall = "On call";
export const peopleWhoRotateAsApproversIf =
  "People who rotate as approvers. If the person on call is not available, the next person is asked.";
export const addASchedule = "Add a schedule";
export const noOnCallSchedulesYet = "No on-call schedules yet";
export const addPeopleWhoRotateApprovalRules = "Add people who rotate. Approval rules can then use the person on call.";
export const hoursOfName = (name: ReactNode) => rich`Hours of ${name}`;
export const fromToTo = (from: Insert, to: Insert) => `${from} to ${to}`;
export const closed = "closed";
export const holidaysLower = (count: Count) => plural(count, { one: "# holiday", other: "# holidays" });
export const nameWasDeleted = (name: Insert) => `${name} was deleted.`;
export const actions = "Actions";
export const actionsForName = (name: Insert) => `Actions for ${name}`;
export const deleteTheWhatName = (what: Insert, name: Insert) => `Delete the ${what} ${name}`;
export const stepsWithThisCalendarUseThe =
  "Steps with this calendar use the default calendar instead. A calendar that a rule uses cannot be deleted.";
export const aScheduleThatAnApprovalRule = "A schedule that an approval rule uses cannot be deleted.";
