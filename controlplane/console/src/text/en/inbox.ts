import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// actiondialog.tsx
export const claimedOnlyYouCanDecideIt = "Claimed. Only you can decide it.";
export const releasedOtherApproversCanDecideIt = "Released. Other approvers can decide it again.";
export const doneOfCount = (done: Insert, count: Insert) => `${done} of ${count}`;

// actionform.tsx
export const taskCount = (count: Count) => plural(count, { one: "# task", other: "# tasks" });
export const theSameDecisionAppliesToAll = "The same decision applies to all selected tasks. You can undo it for a short time.";
export const reason = "Reason";
export const reasonOptional = "Reason (optional)";
export const shownToEveryoneWhoCanSee = "Shown to everyone who can see the decision.";

// bulk.tsx
export const selection = "Selection";
export const countSelected = (count: Insert) => `${count} selected`;
export const savingDecisionsProgress = (progress: ReactNode) => rich`Saving decisions: ${progress}`;
export const theseTasksHaveNoDecisionIn = "These tasks have no decision in common. Decide them one by one.";
export const selectAllTotal = (total: Insert) => `Select all ${total}`;
export const loadingReadingStop = (reading: ReactNode) => rich`Loading ${reading}, stop`;
export const clear = "Clear";

// choices.tsx
export const newField = (type: Insert) => `new: ${type}`;
export const accept = "Accept";
export const removedMappingsUseIt = (count: Count) => `removed; ${plural(count, { one: "# mapping uses", other: "# mappings use" })} it`;
export const changedFromTo = (words: Insert, words2: Insert) => `changed from ${words} to ${words2}`;
export const askAgainLater = "Ask again later";
export const ignore = "Ignore";
export const schemaChangesLower = "schema changes";
export const toMapAFieldYourselfOpen = (link: ReactNode) => rich`To map a field yourself, open the ${link}.`;
export const yourValue = "Your value";
export const valueOfThePack = "Value of the pack";
export const anotherValue = "Another value";
export const valueOfSentence = (sentence: Insert) => `Value of ${sentence}`;

// comments.tsx
export const comments = "Comments";
export const noCommentsYet = "No comments yet.";
export const addAComment = "Add a comment";
export const comment = "Comment";
export const history = "History";
export const sentenceByBy = (sentence: ReactNode, by: ReactNode) => rich`${sentence} by ${by}`;
export const showAllCount = (count: Insert) => `Show all ${count}`;

// decisions.ts
export const byHasAlreadyDecidedLabel = (by: Insert, label: Insert) => `${by} has already decided: ${label}.`;
export const theTaskIsClosedClosedReason = (closedReason: Insert) => `The task is closed: ${closedReason}.`;
export const claimedByHasClaimedThisTask = (claimedBy: Insert) =>
  `${claimedBy} has claimed this task. They or an administrator can release it.`;
export const theTaskHasChangedSinceYou = "The task has changed since you opened it. Review it again, then decide.";
export const theServiceReturnedNoReason = "The service returned no reason.";

// delegate.tsx
export const delegateDisplayCanDecideFromNow = (delegateDisplay: Insert) => `${delegateDisplay} can decide from now on.`;
export const delegateDisplayCanDecideFromThe = (delegateDisplay: Insert) => `${delegateDisplay} can decide from the start date.`;
export const editDelegation = "Edit delegation";
export const delegate = "Delegate";
export const bothSeeTheDecisionTasksDuring = "Both see the decision tasks during the delegation, and either of them can decide.";
export const save = "Save";
export const delegatorEmptyYou = "Delegator (empty: you)";
export const delegator = "Delegator";
export const searchForAPersonWithASignIn = "Search by name or enter a full e-mail address. Only active people with a sign-in are listed.";
export const firstSelectTheDelegator = "First select the delegator.";
export const from = "From";
export const leaveEmptyToStartNow = "Leave empty to start now.";
export const until = "Until";
export const leaveEmptyForNoEnd = "Leave empty for no end.";
export const includeOpenDecisionTasks = "Include open decision tasks";
export const otherwiseTheDelegationCoversOnlyNew = "Otherwise the delegation covers only new tasks.";
export const allKindsOfTasks = "All kinds of tasks";
export const kindOfTaskCount = (count: Count) => plural(count, { one: "# kind of task", other: "# kinds of tasks" });
export const kindsOfTasksEmptyAll = "Kinds of tasks (empty: all)";
export const limits = "Limits";
export const tasksOutsideTheLimitsStay = "Tasks outside the limits stay with the delegator.";
export const riskLevelsEmptyAll = "Risk levels (empty: all)";
export const low = "low";
export const medium = "medium";
export const high = "high";
export const critical = "critical";
export const systemsEmptyAll = "Systems (empty: all)";
export const thePersonMeets = "The person of the task meets";

// delegations.tsx
export const endedOpenTasksReturnToDelegator = (delegatorDisplay: Insert) => `Ended. Open tasks return to ${delegatorDisplay}.`;
export const delegations = "Delegations";
export const aDelegateMakesDecisionsForAnother = "A delegate makes decisions for another person, for example during a vacation.";
export const inbox = "Inbox";
export const yourActiveDelegations = "Your active delegations";
export const all = "All";
export const active = "Active";
export const scheduled = "Scheduled";
export const ended = "Ended";
export const noDelegations = "No delegations";
export const beforeAnAbsenceYouCanDelegate = "Before an absence, you can delegate your decisions to another person.";
export const endThisDelegation = "End this delegation";
export const tasksThatDelegateDisplayHasNot = (delegateDisplay: Insert, delegatorDisplay: Insert) =>
  `Tasks that ${delegateDisplay} has not decided return to ${delegatorDisplay}.`;
export const endDelegation = "End delegation";
export const tasks = "Tasks";
export const riskOf = (levels: string[]) => `${levels.join(" or ")} risk`;
export const peopleWhose = (sentence: Insert) => `people whose ${sentence}`;
export const withinLimits = (what: Insert) => `${what} (within limits)`;
export const start = "Start";
export const noEnd = "no end";
export const state = "State";
export const edit = "Edit";
export const editTheDelegationFromDelegatorDisplay = (delegatorDisplay: Insert, delegateDisplay: Insert) =>
  `Edit the delegation from ${delegatorDisplay} to ${delegateDisplay}`;
export const endTheDelegationFromDelegatorDisplay = (delegatorDisplay: Insert, delegateDisplay: Insert) =>
  `End the delegation from ${delegatorDisplay} to ${delegateDisplay}`;
export const end = "End";
export const youDecideYourOwnTasksYou = "You decide your own tasks. You have no delegations.";
export const toCanDecideWhatForYou = (to: ReactNode, what: ReactNode, through: ReactNode) =>
  rich`${to} can decide ${what} for you${through}.`;
export const youCanDecideWhatForFrom = (what: ReactNode, from: ReactNode, through: ReactNode) =>
  rich`You can decide ${what} for ${from}${through}.`;
export const throughBetween = (between: string[]) => `, through ${between.join(" and ")}`;

// detail.tsx
export const openTask = "Open task";
export const backKbd = (kbd: ReactNode) => rich`Back ${kbd}`;
export const claimedByClaimedBy = (claimedBy: ReactNode) => rich`claimed by ${claimedBy}`;
export const delegatedByActingFor = (actingFor: ReactNode) => rich`delegated by ${actingFor}`;
export const theDecisionCouldNotBeApplied = (detail: ReactNode) => rich`The decision could not be applied: ${detail}`;
export const facts = "Facts";
export const youAreNotAnApproverOf = "You are not an approver of this task.";
export const decision = "Decision";
export const reassignKbd = (kbd: ReactNode) => rich`Reassign… ${kbd}`;
export const more = "More";
export const moreActions = "More actions";
export const claim = "Claim";
export const release = "Release";
export const escalateEllipsis = "Escalate…";
export const labelWithAComment = (label: Insert) => `${label} with a comment…`;
export const labelDecidedByByAt = (label: ReactNode, by: ReactNode, at: ReactNode) => rich`${label}, decided by ${by} ${at}.`;
export const itBecomesFinalApplyAt = (applyAt: ReactNode) => rich`It becomes final ${applyAt}.`;
export const undo = "Undo";
export const whoAndCountMore = (who: Insert, count: Insert) => `${who} and ${count} more`;
export const step = "Step";
export const decidedBy = (words: Insert, words2: Insert) => `${words} by ${words2}`;
export const decisionPending = "Decision pending";
export const everyoneWithTheRoleRoles = (roles: Insert) => `everyone with the role ${roles}`;
export const stepIndex = (index: Insert) => `Step ${index}`;
export const approvers = "Approvers";
export const approvalSteps = "Approval steps";

// differences.tsx
export const aField = "a field";
export const sentenceWordsOfWords2Held = (sentence: ReactNode, words: ReactNode, words2: ReactNode) =>
  rich`${sentence}: ${words} of ${words2} held`;
export const byDepartment = "By department";
export const noDepartment = "no department";

// facts.tsx
export const policy = "Policy";
export const grade = "Grade";
export const shortenedByAnApprover = "Shortened by an approver";
export const due = "Due";
export const requested = "Requested";
export const forLabel = "For";
export const requester = "Requester";
export const noReasonWasGiven = "No reason was given.";
export const duration = "Duration";
export const description = "Description";
export const privileged = "Privileged";
export const privilegedAccess = "privileged access";
export const ticket = "Ticket";
export const conditions = "Conditions";
export const otherItems = "Other items";
export const wordsMoreInTheSameRequest = (words: Insert) => `${words} more in the same request`;
export const approvalRule = "Approval rule";
export const conflicts = "Conflicts with policies";
export const exceptionFor = "Exception from the policy";
export const account = "Account";
export const previousOwner = "Previous owner";
export const orphanedSince = "Orphaned since";
export const lastSignIn = "Last sign-in";
export const notReported = "not reported";
export const access = "Access";
export const wordsGrants = (words: Insert) => `${words} grants`;
export const privilegedAccount = "privileged account";
export const eMailAddress = "E-mail address";
export const employeeNumber = "Employee number";
export const candidates = "Candidates";
export const excluded = "Excluded";
export const task = "Task";
export const system = "System";
export const person = "Person";
export const responseOfTheSystem = "Response of the system";
export const advice = "Advice";
export const attempts = "Attempts";
export const item = "Item";
export const ends = "Ends";
export const revoked = "Revoked";
export const lastUsed = "Last used";
export const proposedBy = "Proposed by";
export const currentRisk = "Current risk";
export const newRisk = "New risk";
export const held = "Held";
export const wordsOfWords2Changes = (words: Insert, words2: Insert) => `${words} of ${words2} changes`;
export const discarded = "Discarded";
export const not = "not";
export const openDecisions = "Open decisions";
export const wordsFields = (words: Insert) => `${words} fields`;
export const pack = "Pack";
export const object = "Object";
export const noEndDate = "no end date";
export const fromStarts = (starts: ReactNode) => rich`from ${starts}`;
export const untilEnds = (ends: ReactNode) => rich`until ${ends}`;
export const forDuration = (duration: Insert) => `for ${duration}`;

// filters.tsx
export const kindsOfTasks = "Kinds of tasks";
export const kind = "Kind";
export const risk = "Risk";
export const sort = "Sort";
export const urgency = "urgency";
export const oldestFirst = "oldest first";
export const newestFirst = "newest first";
export const decided = "decided";
export const closedWithoutADecision = "closed without a decision";
export const overdueLower = "overdue";
export const byToday = "by today";
export const withinAWeek = "within a week";
export const groupBy = "Group by";
export const personLower = "person";
export const accessOrSystem = "access or system";
export const similarity = "similarity";
export const assignment = "Assignment";
export const mineToDecide = "Mine to decide";
export const reassignedToOthers = "Reassigned to others";
export const allVisible = "All visible";
export const filters = "Filters";
export const severalKinds = "several kinds";

// inbox-keys.tsx
export const k = "K";

// inputs.tsx
export const askAgainOn = "Ask again on";
export const ifEmptyTheTaskReturnsOnly = "If empty, the task returns only after a change.";
export const blockUntil = "Block until";
export const requiredIfAPolicyWouldGrant = "Required if a policy would grant the access again.";
export const approver = "Approver";
export const anotherPerson = "Another person";
export const owner = "Owner";
export const scoreRound = (round: Insert) => `Score ${round} %:`;
export const earlierEndDate = "Earlier end date";
export const requestedUntilEnds = (ends: Insert) => `Requested until ${ends}.`;
export const leaveEmptyForTheRequestedDuration = "Leave empty for the requested duration.";
export const kindsOfChanges = "Kinds of changes";
export const departments = "Departments";
export const expectedNumberOfChanges = "Expected number of changes";
export const ifTheNumberHasChangedNo = "If the number has changed, no change is applied.";
export const thisIsNotValidJson = "This is not valid JSON.";

// links.ts
export const requestName = (name: Insert) => `Request ${name}`;
export const heldChanges = "Held changes";
export const schemaChanges = "Schema changes";
export const provisioningTask = "Provisioning task";
export const packWords = (words: Insert) => `Pack ${words}`;

// list.tsx
export const selectTitle = (title: Insert) => `Select ${title}`;
export const delegatedByActingForText = (actingFor: Insert) => `· delegated by ${actingFor}`;
export const claimedByClaimedByText = (claimedBy: Insert) => ` · claimed by ${claimedBy}`;
export const overdueDue = "overdue, due";
export const dueLower = "due";
export const notSavedWhy = (why: ReactNode) => rich`Not saved: ${why}`;
export const selectAllOfWords = (words: Insert) => `Select all of ${words}`;

// page.tsx
export const totalOpen = (total: Insert) => `${total} open`;
export const closedTasks = (total: Count) => plural(total, { one: "# closed task", other: "# closed tasks" });
export const loadingTasksCountOfTotal = (count: Insert, total: Insert) => `Loading tasks: ${count} of ${total} …`;
export const readOfTotal = (read: Insert, total: Insert) => `${read} of ${total}`;
export const loading = "Loading…";
export const showMore = "Show more";

// reassign.tsx
export const reassignedToWords = (words: Insert) => `Reassigned to ${words}.`;
export const reassign = "Reassign";
export const selectAPersonWhoCanDecide = "Select a person who can decide. Only this person can then decide, and the change is recorded.";
export const thisTaskCannotBeReassignedEscalate = "This task cannot be reassigned. Escalate it instead.";
export const newApprover = "New approver";
export const onlyEligiblePeopleAreListed = "Only eligible people are listed.";
export const searchForAnApproverToAdd =
  "Search by name or enter a full e-mail address. Only active people with a sign-in who are not yet approvers are listed.";
export const escalated = "Escalated.";
export const escalate = "Escalate";
export const addsApproversOneOfTheApprovers = "Adds approvers. One of the approvers decides.";
export const escalateTo = "Escalate to";
export const managersOfTheApprovers = "managers of the approvers";
export const administrators = "administrators";

// refusals.tsx
export const oneDecisionFailed = "One decision failed";
export const decisionsFailed = (size: Count) => `${plural(size, { one: "# decision", other: "# decisions" })} failed`;
export const dismiss = "Dismiss";
export const moreTasksTheListShowsThe = (count: Count) =>
  `${plural(count, { one: "# more task", other: "# more tasks" })}. The list shows the reason of each.`;

// summary.tsx
export const lessThanADay = "less than a day";
export const oneToThreeDays = "one to three days";
export const threeToSevenDays = "three to seven days";
export const oneToFourWeeks = "one to four weeks";
export const moreThanFourWeeks = "more than four weeks";
export const openTasks = "Open tasks";
export const selectATaskOrPressJ = "Select a task, or press J";
export const open = "Open";
export const overdue = "Overdue";
export const none = "none";
export const dueToday = "Due today";
export const oldest = "Oldest";
export const nothing = "nothing";
export const ageOfOpenTasks = "Age of open tasks";
export const noOpenTasks = "No open tasks";
export const decisionTasksAreListedHereAccess = "Decision tasks are listed here: access requests, orphan accounts, held syncs.";
export const noResultsMatchTheseFilters = "No results match these filters";
export const clearFilters = "Clear filters";

// tasks.ts
export const violation = "Violation";
export const control = "Control";
export const carriedOutBy = "Carried out by";
export const justification = "Justification";
export const mitigationDuration = "Duration";
export const mitigationEnds = "Mitigated until";
export const procedure = "Procedure";
export const evidence = "Evidence";
export const lastMitigation = "Last mitigation";
export const violations = "Violations";
export const blindPolicy = "Blind policy";
export const requirementGap = "Requirement gap";
export const accessToReview = "Access to review";
export const rejectedAddress = "Rejected mail address";
export const rejectedMessage = "Rejected message";
export const rejectedAddresses = "Rejected mail addresses";
export const keepUntil = "Keep until";
export const theAccessEndsOnThisDay = "The access ends after this day.";
export const lacks = "Lacks";
export const exemptUntil = "Exempt until";
export const theTaskReturnsAfterThisDay = "The task returns after this day if something is still missing.";
export const heldTask = "Held task";
export const mitigation = "Mitigation";
export const evidenceDue = "Evidence of a mitigation";
export const evidenceReview = "Review of evidence";
export const mitigationEnd = "End of a mitigation";
export const days = "Days";
export const ifEmptyTheSameDuration = "From the approval to the end. If empty: as long as before.";
export const link = "Link";
export const mitigationOf = (name: Insert) => `Mitigation: ${name}`;
export const request = "Request";
export const noApprover = "No approver";
export const waitingRequest = "Waiting request";
export const emergencyAccess = "Emergency access";
export const roleApproval = "Role approval";
export const heldSync = "Held sync";
export const schemaChange = "Schema change";
export const disputedAccount = "Disputed account";
export const orphanAccount = "Orphan account";
export const manualTask = "Manual task";
export const failedTask = "Failed task";
export const packConflict = "Pack conflict";
export const reappearedAccess = "Reappeared access";
export const requests = "Requests";
export const accounts = "Accounts";
export const provisioning = "Provisioning";
export const syncsAndSchemas = "Syncs and schemas";
export const rolesAndPacks = "Roles and packs";
export const extension = "extension";
export const endOfAccess = "end of access";
export const returnLabel = "return";
export const noGrouping = "No grouping";
export const withoutAName = "Without a name";
export const withoutAPerson = "Without a person";
export const withoutASubject = "Without a subject";

// usedecisions.tsx
export const undoneTheTaskIsOpenAgain = "Undone. The task is open again.";
export const decisionsUndoneTheTasksAreOpen = (undone: Count) =>
  `${plural(undone, { one: "# decision", other: "# decisions" })} undone. The tasks are open again.`;
export const decisionsMade = (label: Insert, count: Count) => `${label}: ${plural(count, { one: "# decision", other: "# decisions" })}`;
export const decisions = (late: Count) => plural(late, { one: "# decision", other: "# decisions" });
export const theDecisionBecomesFinalWhenThe = "The decision becomes final when the time is over, even if you close this window.";
export const notDecidedRefusalText = (refusalText: Insert) => `Not decided: ${refusalText}`;
export const nothingToUndoYourLastDecision = "Nothing to undo. Your last decision is final.";
export const maxS = (max: Insert) => `${max} s`;
export const undoMax = (max: ReactNode) => rich`Undo ${max}`;

// why.tsx
export const holdingOfPeopleAtLeast = (holding: ReactNode, people: ReactNode) => rich`${holding} of ${people} at least`;
export const whyThePersonHasIt = "Why the person has it";
export const currentAccess = "Current access";
export const holdingOfColleaguesInWhereHave = (holding: Insert, people: Count, where: Insert) =>
  `${holding} of ${plural(people, { one: "# colleague", other: "# colleagues" })} in ${where} have this access (first 500 people)`;
export const holdingOfColleaguesInWhereHaveLower = (holding: Insert, people: Count, where: Insert) =>
  `${holding} of ${plural(people, { one: "# colleague", other: "# colleagues" })} in ${where} have this access`;
export const colleaguesInWhereWithThisAccess = (where: ReactNode) => rich`Colleagues in ${where} with this access`;
export const holdingOfPeople = (holding: ReactNode, people: ReactNode) => rich`${holding} of ${people}`;
export const hasThisAccess = "has this access";
export const doesNotHaveThisAccess = "does not have this access";
export const inLineWithColleagues = "In line with colleagues.";
export const noColleagueHasThisAccess = "No colleague has this access.";
export const fewColleaguesHaveThisAccess = "Few colleagues have this access.";
