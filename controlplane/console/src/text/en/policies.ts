import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// links to decision tables
export const decisionTables = "Decision tables";
export const rowsOfTheDecisionTable = (rows: Count) =>
  plural(rows, { one: "# row of the decision table", other: "# rows of the decision table" });

// actions.tsx
export const deleteLabel = "Delete";
export const enable = "Enable";
export const nameEnabled = (name: Insert) => `${name} enabled.`;
export const activate = "Activate";
export const resume = "Resume";
export const more = "More";
export const switchToDryRun = "Switch to dry run";
export const disable = "Disable";
export const deleteThisPolicy = "Delete this policy";
export const wasDeleted = "was deleted.";
export const resumeThisPolicy = "Resume this policy";
export const acceptChangesAndResume = "Accept changes and resume";
export const isActiveAgain = "is active again.";
export const isInDryRun = "is in dry run.";
export const disableThisPolicy = "Disable this policy";
export const isDisabled = "is disabled.";
export const pendingChangesAreAppliedUpTo = (wouldGrant: Count) =>
  `Pending changes are applied: up to ${plural(wouldGrant, { one: "# change", other: "# changes" })}.`;
export const peopleCanGetTheDeniedAccess = "People can get the denied access again from other sources.";
export const itDeniesNoAccessAtPresent = "It denies no access at present.";
export const itNoLongerLimitsWhoCanRequest = "The policy no longer limits who can request its access.";
export const itLimitsNoRequestsAtPresent = "The policy limits no requests at present.";
export const itsOpenGapsAreClosed = "Its requirement gaps are closed. No one loses access.";
export const noOneHasAccessThroughThis = "No one has access through this policy, so no one loses access.";
export const holderCountPersonHasAccessThrough = (holderCount: ReactNode) =>
  rich`${holderCount} person has access through this policy. Access without another reason ends at once.`;
export const holderCountPersonHasAccessThroughLower = (holderCount: ReactNode) =>
  rich`${holderCount} person has access through this policy. Access without another reason ends after the grace period of the policy.`;
export const holderCountPeopleHaveAccessThrough = (holderCount: ReactNode) =>
  rich`${holderCount} people have access through this policy. Access without another reason ends at once.`;
export const holderCountPeopleHaveAccessThroughLower = (holderCount: ReactNode) =>
  rich`${holderCount} people have access through this policy. Access without another reason ends after the grace period of the policy.`;

// activate.tsx
export const nameIsActive = (name: Insert) => `${name} is active.`;
export const activateName = (name: Insert) => `Activate ${name}?`;
export const accessIsGrantedAndEndedAs = "Access is granted and ended as soon as the policy is active.";

// clause.tsx
export const removeClauseN = (n: Insert) => `Remove clause ${n}`;
export const clauseNField = (n: Insert) => `Clause ${n}: field`;
export const moreFields = "More fields";
export const customAttribute = "custom attribute";
export const label = "label";
export const role = "role";
export const entitlement = "entitlement";
export const clauseNNameOfTheLabel = (n: Insert) => `Clause ${n}: name of the label`;
export const clauseNNameOfTheAttribute = (n: Insert) => `Clause ${n}: name of the attribute`;
export const nameLower = "name";
export const clauseNOperator = (n: Insert) => `Clause ${n}: operator`;
export const clauseNValue = (n: Insert) => `Clause ${n}: value`;
export const yes = "yes";
export const no = "no";
export const select = "Select";
export const labelOnePerLine = (label: Insert) => `${label}, one per line`;
export const onePerLine = "one per line";

// condition.tsx
export const clauses = "Clauses";
export const asText = "As text";
export const groupOfClauses = "Group of clauses";
export const operator = "Operator";
export const allOfTheseAreTrue = "all of these are true";
export const anyOfTheseIsTrue = "any of these is true";
export const noneOfTheseIsTrue = "none of these is true";
export const removeThisGroup = "Remove this group";
export const noClausesEveryone = "No clauses: everyone.";
export const noClausesYet = "No clauses yet.";
export const clause = "Clause";
export const group = "Group";
export const expression = "Expression";
export const removeExpression = "Remove expression";
export const pythonExpressionOverIdentity = "Python expression over identity";
export const pythonExpressionOverIdentityAndRequest = "Python expression over identity and request";
export const conditionAsText = "Condition as text";
export const departmentIsNursingOrSurgeryAnd = "department is Nursing or Surgery, and employment type is employee";
export const joinClausesWithAndOrOr =
  "Join clauses with “, and ” or “, or ”. Use parentheses for groups. Example: title contains nurse, and (country is CH or DE, or manager is not known)";
export const didYouMeanSuggestions = (suggestions: Insert) => ` Did you mean ${suggestions}?`;
export const theConditionCannotBeEvaluatedRight = "The condition cannot be evaluated right now. Your changes are kept.";
export const evaluating = "Evaluating…";
export const correctTheMarkedClausesToSee = "Correct the marked clauses to see who matches.";
export const completeTheClausesToSeeWho = "Complete the clauses to see who matches.";
export const everybody = "everybody";
export const matchesOfPeopleMatchNow = (matches: ReactNode, people: Count) =>
  rich`${matches} of ${plural(people, { one: "# person", other: "# people" })} match now`;
export const suchAs = ", such as";
export const evaluationFailedForPeopleWhichCounts = (people: Count, detail: ReactNode) =>
  rich`Evaluation failed for ${plural(people, { one: "# person", other: "# people" })}, which counts as no match: ${detail}`;

// confirm.tsx
export const reviewTheChangesFirst = "Review the changes first";
export const theDataHasChangedTheseAre = "The data has changed. These are the current changes.";
export const thePolicyAffectsManyPeopleConfirm = "The policy affects many people. Confirm the changes.";

// definition.tsx
export const allAccessIn = (system: ReactNode) => rich`all access in ${system}`;
export const anAccountIn = (system: ReactNode) => rich`an account in ${system}`;
export const definition = "Definition";
export const appliesTo = "Applies to";
export const everyone = "Everyone.";
export const deniedAccess = "Denied access";
export const grantedAccess = "Granted access";
export const requestableAccess = "Access that people can request";
export const accessOfTheRequirement = "Who holds any of this";
export const everyoneWhoMatches = "Everyone who meets the condition";
export const mustHave = "Must have";
export const aManagerLower = "a manager";
export const trainingNamed = (name: Insert) => `the training ${name}`;
export const peopleWhoLackSomething = "People who lack something";
export const figures = "Figures";
export const lastFullEvaluation = "Last full evaluation";
export const matchingPeople = "Matching people";
export const grantsPending = "Grants pending";
export const grantsInDryRun = "Grants in dry run";
export const endsPending = "Ends pending";
export const endsInDryRun = "Ends in dry run";
export const peopleWithAccessThroughThisPolicy = "People with access through this policy";
export const blockedAfterAManualRevocation = "Blocked after a manual revocation";
export const peopleWithEvaluationErrors = "People with evaluation errors";
export const evaluated = "Evaluated";
export const notYet = "not yet";
export const applies = "Applies";
export const always = "always";
export const beforeTheFirstDay = "Before the first day";
export const tenantsLifecycleSetting = "tenant's lifecycle setting";
export const ifAPersonNoLongerMatches = "If a person no longer matches";
export const accessEndsAtOnce = "access ends at once";
export const accessIsKeptForGrace = (grace: Insert) => `access is kept for ${grace}`;
export const accessIsKeptForTheTenants = "access is kept for the tenant's grace period";
export const circuitBreaker = "Circuit breaker";
export const opensAfterMaxChangesChangesWithin = (maxChanges: Insert, window: Insert) =>
  `opens after ${maxChanges} changes within ${window}`;
export const none = "none";
export const owners = "Owners";
export const source = "Source";
export const version = "Version";
export const id = "ID";

// editor.tsx
export const window = "Window";
export const name = "Name";
export const description = "Description";
export const effect = "Effect";
export const grantAccess = "grant access";
export const denyAccessOverridingAllGrants = "deny access, overriding all grants";
export const letPeopleRequestAccess = "Let people request access";
export const requireAccessOrTraining = "Require other access or training";
export const accessThatBringsTheRequirement = "Access that brings the requirement";
export const ifEmptyEveryoneWhoMeetsThe = "If nothing is chosen, the policy applies to everyone who meets the condition.";
export const requiredAccess = "Required access";
export const requiredRoles = "Required roles";
export const requiredEntitlements = "Required entitlements";
export const anAccountInThisSystemBrings = "An account in the system brings the requirement.";
export const accessToGrant = "Access to grant";
export const accessToDeny = "Access to deny";
export const accessToRequest = "Access that people can request";
export const roles = "Roles";
export const entitlements = "Entitlements";
export const systems = "Systems";
export const tags = "Tags";
export const tagsSeparatedByCommas = "All entitlements with any of these compliance or duty tags. Separate tags with commas.";
export const allAccessWithTheTag = (tag: Insert) => `all entitlements with the tag ${tag}`;
export const onlyAnAccountInThisSystem = "Only an account in this system.";
export const allAccessInThisSystem = "All access in this system.";
export const birthright = "Birthright";
export const baselineAccessThatIsEvaluatedAs = "Baseline access that is evaluated as soon as a person is added or changes.";
export const leadTimeBeforeTheFirstDay = "Lead time before the first day";
export const keepAccessForAGracePeriod = "keep access for a grace period";
export const endAccessAtOnce = "end access at once";
export const gracePeriod = "Grace period";
export const tenantsLifecycleSettingForMoves = "tenant's lifecycle setting for moves";
export const circuitBreakerMaximumChanges = "Circuit breaker: maximum changes";
export const leaveEmptyForNoLimit = "Leave empty for no limit.";
export const ownersOfThePolicy = "Owners of the policy";
export const order = "Order";
export const sortsTheListOnlyAllMatching = "Sorts the list only. All matching policies apply.";
export const preview = "Preview";
export const effectOfTheActivePolicyOn = "Effect of the active policy on the current people. The preview changes nothing.";
export const effectOnTheCurrentPeopleIf = "Effect on the current people if you save this policy. The preview changes nothing.";
export const thePolicyWasChangedPreviewIt = "The policy was changed. Preview it again.";
export const howPoliciesWork = "How policies work";
export const aNewPolicyIsADry = (link: ReactNode) => rich`A new policy is a dry run until you activate it. ${link}`;

// language.ts
export const isOneOf = "is one of";
export const person = "Person";
export const accountFields = "Account";
export const grantFields = "Grant";
export const violationFields = "Violation";
export const requestedItem = "Requested item";
export const request = "Request";
export const requester = "Requester";
export const is = "is";
export const isNot = "is not";
export const isNoneOf = "is none of";
export const contains = "contains";
export const startsWith = "starts with";
export const exists = "exists";
export const isMoreThan = "is more than";
export const isLessThan = "is less than";
export const isBefore = "is before";
export const isAfter = "is after";
export const isDirectlyOrIndirectly = "is, directly or indirectly,";
export const isHeld = "is held";

// manypick.tsx
export const moveEntryIUp = (i: Insert) => `Move entry ${i} up`;
export const moveEntryIDown = (i: Insert) => `Move entry ${i} down`;
export const removeNames = (names: Insert) => `Remove ${names}`;
export const noLongerExists = "no longer exists";
export const systemDisconnected = "system disconnected";

// new.tsx
export const nameSavedAsADryRun = (name: Insert) => `${name} saved as a dry run. Activate it after you have simulated it.`;
export const newPolicy = "New policy";
export const policies = "Policies";
export const aPolicyGrantsOrDeniesAccess = "A policy grants or denies access to people. A new policy is a dry run until you activate it.";
export const save = "Save";

// page.tsx
export const policy = "Policy";
export const deny = "deny";
export const eligible = "can request";
export const eligibility = "Requests";
export const requires = "requires";
export const keepAccessUntilItIsReviewed = "Keep access until it is reviewed";
export const accessIsKeptUntilItIsReviewed = "Access is kept until it is reviewed in the inbox";
export const accessToReview = "People with access to review";
export const requirements = "Requirements";
export const birthrightLower = "birthright";
export const grant = "grant";
export const state = "State";
export const people = "People";
export const wouldChange = "Would change";
export const nothing = "nothing";
export const grants = "Grants";
export const rulesThatGrantOrDenyAccess = "Rules that grant or deny access by attributes of people. A deny policy overrides every grant.";
export const all = "All";
export const active = "Active";
export const dryRun = "Dry run";
export const stopped = "Stopped";
export const denials = "Denials";
export const birthrights = "Birthrights";
export const off = "Off";
export const namesAndDescriptions = "names and descriptions";
export const noPoliciesYet = "No policies yet";
export const aPolicyGrantsAccessToThe =
  "A policy grants access to the people it applies to, such as the ledger to everyone in Finance. Simulate it before you activate it.";

// gaps.tsx
export const requirementGaps = "Requirement gaps";
export const peopleWhoLackWhatThePolicy = "People who lack what the policy says they must have.";
export const lacks = "Lacks";
export const found = "Found";
export const openGaps = "Open";
export const exempted = "Exempted";
export const closedGaps = "Closed";
export const exemptedUntilDate = (date: ReactNode) => rich`exempted until ${date}`;
export const namesOfPeople = "names of people";
export const noOneLacksAnything = "No one lacks anything";
export const gapsAreFoundWhenPeopleChange = "Gaps are found when people or their access change. In a dry run there are none.";

// policy.tsx
export const simulate = "Simulate";
export const edit = "Edit";
export const evaluatingDoneOfTotal = (done: Insert, total: Insert) => `Evaluating: ${done} of ${total}.`;
export const evaluationIsAboutToStart = "Evaluation is about to start.";
export const lastEvaluatedLastEvaluatedAt = (lastEvaluatedAt: ReactNode) => rich`Last evaluated ${lastEvaluatedAt}.`;
export const stoppedTrippedAtStopReasonIt = (trippedAt: ReactNode, stopReason: ReactNode) =>
  rich`Stopped ${trippedAt}: ${stopReason} It neither grants nor ends access until you accept its changes.`;
export const dryRunThePolicyCalculatesIts = "Dry run: the policy calculates its changes and applies none. Simulate it, then activate it.";
export const saveAnyway = "Save anyway";
export const nameSaved = (name: Insert) => `${name} saved.`;
export const notSavedYetConfirmTheChanges = "Not saved yet. Confirm the changes first.";

// simulate.tsx
export const simulation = "Simulation";
export const usesTheSameEvaluationAsThe =
  "Uses the same evaluation as the active policy. Access with another reason counts as neither granted nor ended.";
export const simulateAgain = "Simulate again";
export const download = "Download";
export const close = "Close";
export const byDepartment = "By department";
export const department = "Department";
export const granted = "Granted";
export const ended = "Ended";
export const share = "Share";
export const withoutADepartment = "without a department";
export const given = "given";
export const endedLower = "ended";
export const scale = "scale";

// versions.tsx
export const earlierDefinitionsReasonsOfAccessRefer = "Earlier definitions. Reasons of access refer to the version that granted it.";

// words.ts
export const offLower = "off";
export const stoppedByCircuitBreaker = "stopped by circuit breaker";
export const activeLower = "active";
export const dryRunLower = "dry run";
export const beforeTheFirstDayLower = "before the first day";
export const whileEmployed = "while employed";
export const whileOnLeave = "while on leave";
export const duringNotice = "during notice";

// terms.ts and limits.tsx
export const constraints = "Constraints";
export const longestDuration = "Longest duration of a request";
export const noLimit = "no limit";
export const requiresAJustification = "Requires a justification";
export const requiresATicket = "Requires an external reference, such as a ticket";
export const requiresASecondFactor = "Requires a second factor of the requester";
export const employmentTypes = "Employment types (none: all)";
export const countries = "Countries (none: all)";
export const separateCountriesWithCommas = "Separate countries with commas, such as CH, DE.";
export const training = "Training";
export const aMemberOfTheAttributeTrainings = "A value of the person's attribute trainings.";
export const needsAManager = "Requires a manager";
export const schedule = "Schedule";
export const appliesFrom = "Applies from";
export const appliesUntil = "Applies until";
export const windowNumber = (n: number) => `Window ${n}`;
export const removeWindowNumber = (n: number) => `Remove window ${n}`;
export const addWeeklyWindow = "Add weekly window";
export const windowsAreInTheTimeZone =
  "Weekly windows are in the time zone of the organization. Without a period and windows, the policy applies at all times.";
export const days = "Days";
export const starts = "Starts";
export const ends = "Ends";
export const mon = "Mon";
export const tue = "Tue";
export const wed = "Wed";
export const thu = "Thu";
export const fri = "Fri";
export const sat = "Sat";
export const sun = "Sun";
export const atMost = (duration: string) => `At most ${duration}`;
export const employmentTypesAre = (list: string) => `Employment type: ${list}`;
export const countriesAre = (list: string) => `Country: ${list}`;
export const trainingIs = (name: string) => `Training: ${name}`;
export const atAllTimes = "at all times";
