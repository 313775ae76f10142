import type { ReactNode } from "react";
import { type Count, conjunction, disjunction, type Insert, plural, rich } from "../format";

// actions.tsx
export const numberApproved = (number: Insert) => `${number}: approved.`;
export const numberRejected = (number: Insert) => `${number}: rejected.`;
export const approve = "Approve";
export const reject = "Reject";
export const withdrawThisRequest = "Withdraw this request";
export const withdraw = "Withdraw";
export const requestExtension = "Request extension";
export const request = "Request";
export const returnThisAccess = "Return this access";
export const returnLabel = "Return";
export const withdrawYourApproval = "Withdraw your approval";
export const withdrawApproval = "Withdraw approval";
export const theRequestContinuesWithTheNext = "The request continues with the next step, or is provisioned if no step is left.";
export const theRequesterCanReadYourReason = "The requester can read your reason.";
export const openPartsOfTheRequestAre = "Open parts of the request are canceled. The approvers are notified.";
export const thisCreatesANewRequestThe = "This creates a new request. The approval rule decides who approves it.";
export const theAccessIsRevokedNoApproval = "The access is revoked. No approval is required.";
export const theDecisionIsOpenAgainYou =
  "The decision is open again. You can withdraw an approval for 30 minutes, before the access is provisioned.";
export const more = "More";
export const item = "Item";
export const additionalDuration = "Additional duration";
export const countedFromTheCurrentEndDate = "Counted from the current end date.";
export const endDateOptional = "End date (optional)";
export const youCanShortenTheRequestedDuration = "You can shorten the requested duration. You cannot extend it.";
export const reasonForTheExtension = "Reason for the extension";
export const commentRequiredBySomeRules = "Comment (required by some rules)";
export const reason = "Reason";
export const numberValueWasWithdrawn = (numberValue: Insert) => `${numberValue} was withdrawn.`;
export const extensionRequestNumberValueSubmitted = (numberValue: Insert) => `Extension request ${numberValue} submitted.`;
export const theAccessIsBeingRevoked = "The access is being revoked.";
export const yourApprovalWasWithdrawn = "Your approval was withdrawn.";

// cartitem.tsx
export const conflictsWithOtherAccess = "It cannot be requested together with other access of the person. See Separation of duties above.";
export const defaultOf = (duration: Insert) => `default: ${duration}`;
export const defaultLower = "default";
export const role = "Role";
export const entitlement = "Entitlement";
export const roleLower = "role";
export const removeName = (name: Insert) => `Remove ${name}`;
export const remove = "Remove";
export const duration = "Duration";
export const forAPeriod = "for a period";
export const untilADate = "until a date";
export const period = "Period";
export const atMostMax = (max: Insert) => `At most ${max}.`;
export const thePeriodStartsWhenTheAccess = "The period starts when the access is verified in the system.";
export const endDate = "End date";
export const startDate = "Start date";
export const leaveEmptyToStartAtOnce = "Leave empty to start at once.";
export const openNumberValue = (numberValue: ReactNode) => rich`Open ${numberValue}`;
export const account = "Account";
export const mainAccount = "main account";
export const theRequestWouldBeRejectedReason = (reason: Insert, why: ReactNode) => rich`The request would be rejected: ${reason}. ${why}`;
export const theRequestWouldBeRejectedWhy = (why: ReactNode) => rich`The request would be rejected. ${why}`;
export const access = "Access";
export const forDuration = (duration: Insert) => `for ${duration}`;
export const noEndDate = "no end date";
export const untilEndsAt = (endsAt: ReactNode) => rich`until ${endsAt}`;
export const noApproverCanBeFoundThe = "No approver can be found. The request would be blocked, and administrators would be notified.";
export const accessWouldStartAtOnceWithout = "Access would start at once, without approval.";
export const noApprovalIsRequiredReason = (reason: Insert) => `No approval is required: ${reason}`;
export const noApprovalIsRequired = "No approval is required.";
export const approversOfOfValue = (ofValue: Insert) => `Approvers of ${ofValue}`;
export const expiresWithoutADecisionAfterRequest = (requestTtl: Insert) => `Expires without a decision after ${requestTtl}.`;

// choose.tsx
export const aRole = "A role";
export const system = "System";
export const roleOfEntitlementCount = (entitlementCount: ReactNode) => rich`role of ${entitlementCount}`;
export const risk = "Risk";
export const noLimit = "no limit";
export const typicalApprovalTime = "Typical approval time";
export const notKnownYet = "not known yet";
export const add = "Add";
export const whoNeedsAccess = "Who needs access?";
export const selectAPersonToSeeWhat = "Select a person to see what can be requested for them.";
export const requestableAccess = "Requestable access";
export const thisListIsForTheFirst =
  "This list is for the first person. You can review the result for each person before you send the request.";
export const namesAndPurposes = "names and purposes";
export const all = "All";
export const roles = "Roles";
export const entitlements = "Entitlements";
export const low = "low";
export const medium = "medium";
export const high = "high";
export const critical = "critical";
export const nothingIsRequestable = "Nothing is requestable";
export const ownersAndAdministratorsMarkAccessAs = "Owners and administrators mark access as requestable in the access catalog.";
export const items = (count: Count) => plural(count, { one: "# item", other: "# items" });
export const reviewRequest = "Review request";
export const requestedNumberValue = (numberValue: ReactNode) => rich`requested: ${numberValue}`;
export const addedName = (name: Insert) => `Added: ${name}`;
export const addName = (name: Insert) => `Add ${name}`;
export const added = "Added";
export const assignedTemporarily = "assigned temporarily";
export const assigned = "assigned";
export const permissions = "Permissions";
export const kind = "Kind";
export const roleWithEntitlements = (entitlementCount: Count) =>
  `Role with ${plural(entitlementCount, { one: "# entitlement", other: "# entitlements" })}`;
export const privileged = "Privileged";
export const yes = "yes";
export const owners = "Owners";
export const tags = "Tags";
export const maximumDuration = "Maximum duration";
export const defaultDuration = "Default duration";
export const approvalRule = "Approval rule";
export const suggestedBecause = "Suggested because";
export const currentAccess = "Current access";
export const throughKinds = (kinds: ReactNode) => rich`through ${kinds}`;
export const untilUntil = (until: ReactNode) => rich`, until ${until}`;

// comments.tsx
export const comments = "Comments";
export const noCommentsYet = "No comments yet.";
export const approversOnly = "approvers only";
export const addComment = "Add comment";
export const comment = "Comment";
export const visibleToApproversOnly = "Visible to approvers only";
export const theRequesterAndTheRecipientCannot = "The requester and the recipient cannot read it.";
export const history = "History";
export const approvalRuleSelected = "Approval rule selected";
export const branchSelected = "Branch selected";
export const approverSkipped = "Approver skipped";
export const fallbackApproversAsked = "Fallback approvers asked";
export const decisionDue = "Decision due";
export const submitted = "Submitted";
export const decisionRequested = "Decision requested";

// item.tsx
export const end = "End";
export const iWasWithdrawn = (i: Insert) => `${i} was withdrawn.`;
export const privilegedLower = "privileged";
export const reassign = "Reassign";
export const withdrawItem = "Withdraw item";
export const approversOfI = (i: Insert) => `Approvers of ${i}`;
export const byWho = (who: ReactNode) => rich`by ${who}`;
export const approved = "Approved";
export const rejected = "Rejected";
export const expiredWithoutADecision = "Expired without a decision";
export const withdrawn = "Withdrawn";
export const escalatedAtToTo = (at: ReactNode, to: Insert) => rich`Escalated ${at} to ${to}`;
export const escalatedAtAction = (at: ReactNode, action: Insert) => rich`Escalated ${at}: ${action}`;
export const waitingForWaitsFor = (waitsFor: ReactNode) => rich`Waiting for ${waitsFor}.`;
export const startsLater = "Starts later.";
export const beingProvisioned = "Being provisioned.";
export const verifiedInTheSystem = "Verified in the system.";
export const theSystemRejectedTheChangeIt = "The system rejected the change. It is retried.";
export const beingRevoked = "Being revoked.";
export const endedSentence = "Ended.";
export const activeOfEntitlementsGrantedFailedFailed = (active: Insert, total: Count, failed: Insert) =>
  `${active} of ${plural(total, { one: "# entitlement", other: "# entitlements" })} granted, ${failed} failed.`;
export const activeOfEntitlementsGranted = (active: Insert, total: Count) =>
  `${active} of ${plural(total, { one: "# entitlement", other: "# entitlements" })} granted.`;
export const verifiedVerifiedAt = (verifiedAt: ReactNode) => rich`Verified ${verifiedAt}.`;
export const taskN = (n: Insert) => `Task ${n}`;
export const changesInTheSystem = "Changes in the system";
export const responseOfTheSystemColon = "Response of the system:";
export const responseOfTheSystem = "Response of the system";
export const emergencyAccessGrantedAtOnceReviewers = (told: Insert) => `Emergency access, granted at once. Reviewers: ${told}`;
export const dueDueAt = (dueAt: ReactNode) => rich`(due ${dueAt}).`;
export const escalatedToTheAdministrators = ", escalated to the administrators";
export const openReview = "Open review";
export const reviewedByByAtConfirmed = (by: ReactNode, at: ReactNode) => rich`Reviewed by ${by} ${at}: confirmed`;
export const reviewedByByAtEnded = (by: ReactNode, at: ReactNode) => rich`Reviewed by ${by} ${at}: ended`;
export const start = "Start";
export const conditions = "Conditions";
export const howApproversWereFound = "How approvers were found";
export const versionVersion = (version: Insert) => `, version ${version}`;

// page.tsx
export const extensionOf = "extension:";
export const endOf = "end:";
export const overdueSince = (at: ReactNode) => rich`overdue: ${at}`;
export const recipient = "Recipient";
export const andCountMore = (count: Insert) => `and ${count} more`;
export const state = "State";
export const approver = "Approver";
export const due = "Due";
export const requester = "Requester";
export const requested = "Requested";
export const ticket = "Ticket";
export const open = "Open";
export const toApprove = "To approve";
export const forMe = "For me";
export const byMe = "By me";
export const granted = "Granted";
export const ended = "Ended";
export const failed = "Failed";
export const requests = "Requests";
export const accessRequestsOfTheTenantTheir = "Access requests of the tenant, their approvers and outcomes.";
export const requestsByYouAndForYou = "Requests by you and for you, for your reports, and those you approve.";
export const requestAccess = "Request access";
export const urgency = "Urgency";
export const normal = "normal";
export const emergency = "emergency";
export const numbersPeopleThingsReasons = "numbers, people, things, reasons";
export const noRequestsYet = "No requests yet";
export const requestsAreListedHereWithTheir = "Requests are listed here with their approvers and outcomes.";

// parameters.tsx
export const choose = "Choose";

// reassign.tsx
export const anotherPersonLower = "another person";
export const reassignedToWords = (words: Insert) => `Reassigned to ${words}.`;
export const newApprover = "New approver";
export const reassignTheDecisionAboutI = (i: Insert) => `Reassign the decision about ${i}`;
export const currentApprover = "Current approver";

// recipients.tsx
export const yourself = "yourself";
export const forStrongOtherPeopleTheirManagers = (strong: ReactNode) =>
  rich`For ${strong}. Other people, their managers or administrators request access for them.`;
export const theFirstMostOfTotalAre = (most: Insert, total: Insert) =>
  `The first ${most} of ${total} are selected. One request can have at most ${most} people.`;
export const recipients = "Recipients";
export const removePerson = "Remove person";
export const anotherPerson = "Another person";
export const person = "Person";
export const allOfMyReports = "All of my reports";
export const you = "You";
export const myself = "Myself";
export const aPersonWhoIsNotVisible = "A person who is not visible to you";

// request.tsx
export const anIntegration = "(an integration)";
export const requestedItem = "Requested item";
export const countItems = (count: Insert) => `${count} items`;
export const forRequestedFor = (requestedFor: ReactNode) => rich`for ${requestedFor}`;
export const overdue = "overdue";
export const expiresExpiresAt = (expiresAt: ReactNode) => rich`expires ${expiresAt}`;
export const noApproverCanBeFoundFor =
  "No approver can be found for part of this request. Administrators are notified. The request continues when an approver is found.";
export const reasonsForTheRisk = "Reasons for the risk";
export const answerDue = "Answer due";
export const decided = "Decided";
export const accessSince = "Access since";
export const id = "ID";

// requestaccess.tsx
export const checkTheApprovalPathBeforeYou = "Check the approval path before you send the request.";
export const selectTheAccessNothingIsSubmitted = "Select the access. Nothing is submitted until you send the request.";
export const addItems = "Add items";
export const auditorsAreReadOnly = "Auditors are read-only";
export const auditorsCannotRequestAccessAllRequests = "Auditors cannot request access. All requests are listed under Requests.";
export const yourSignInIsNotLinked = "Your sign-in is not linked to a person";
export const accessIsGivenToPeopleAn =
  "Access is given to people. An administrator can link your sign-in to your record under Settings, Users.";

// requestagain.tsx
export const requestAgain = "Request again";

// review.tsx
export const approvalPath = "Approval path";
export const shownToTheApprovers = "Shown to the approvers.";
export const theTicketNumberInYourTicketing =
  "The ticket number in your ticketing system, if there is one. Events of this request contain it.";
export const emergencyGrantAccessAtOnce = "Emergency: grant access at once";
export const noApprovalIsRequiredFirstThe =
  "No approval is required first. The approvers, the manager and the owners are notified, review the access and can end it.";
export const theAccessStartsAsSoonAs =
  "The access starts as soon as you send this request, ends automatically and cannot be extended. The audit log records it as an emergency.";
export const limitsLimits = (limits: Insert) => ` Limits: ${limits}.`;
export const approversOfYourChoice = "Approvers of your choice";
export const numberValueSubmitted = (numberValue: Insert) => `${numberValue} submitted.`;
export const send = "Send";
export const sending = "Sending…";
export const openQuestionsLeft = (missing: Count) => `${plural(missing, { one: "# open question", other: "# open questions" })} left.`;
export const theRequestWouldBeRejectedFor = (missing: Insert, count: Count) =>
  `The request would be rejected for ${missing} of ${plural(count, { one: "# person", other: "# people" })}.`;
export const decisionsAreDueAt = (at: ReactNode) => rich`Decisions are due ${at}.`;
export const sendForAllAll = (all: Insert) => `Send for all ${all}`;
export const sendForGoodEligible = (good: Insert) => `Send for ${good} eligible`;

// severalrecipients.tsx
export const resultForEachPerson = "Result for each person";
export const requestable = "Requestable";
export const approversOrReason = "Approvers or reason";
export const no = "no";
export const noApprovalRequired = "no approval required";
export const submittedRequests = "Submitted requests";
export const requestsSubmitted = (created: Count) => `${plural(created, { one: "# request", other: "# requests" })} submitted.`;
export const requestsRejected = (refused: Count) => `${plural(refused, { one: "# request", other: "# requests" })} rejected.`;
export const submittedRequestsForEachPerson = "Submitted requests for each person";
export const none = "none";
export const openRequests = "Open requests";
export const requestSomethingElse = "Request something else";

// statistics.tsx
export const theLast30Days = "The last 30 days";
export const requestsIn30Days = "Requests in 30 days";
export const waitingForApproval = "Waiting for approval";
export const medianApprovalTime = "Median approval time";
export const rejectedOrExpired = "Rejected or expired";
export const emergencyRequests = "Emergency requests";
export const noneYet = "none yet";
export const roundSeconds = (round: Insert) => `${round} seconds`;

// words.ts
export const lessThanAMinute = "less than a minute";
export const waitingForApprovalLower = "waiting for approval";
export const noApproverFound = "no approver found";
export const approvedLower = "approved";
export const startsLaterLower = "starts later";
export const beingProvisionedLower = "being provisioned";
export const fulfilled = "fulfilled";
export const partiallyFulfilled = "partially fulfilled";
export const provisioningFailed = "provisioning failed";
export const endedLower = "ended";
export const withdrawnLower = "withdrawn";
export const expired = "expired";
export const refused = "refused";
export const sent = "sent";
export const requestsAccess = "requests access";
export const requestsAnExtension = "requests an extension";
export const returnsAccess = "returns access";
export const endsAccess = "ends access";

// preview.ts
export const andList = (names: string[]) => conjunction(names);
export const orList = (names: string[]) => disjunction(names);
export const thenList = (steps: string[]) => steps.join(", then ");

// choose.tsx
export const notRequestableNow = (why: string) => `Not now: ${why}`;
export const missing = "Missing";
export const termsOfThePolicy = "Terms";
export const atMost = (duration: string) => `At most ${duration}`;
export const justificationRequired = "Justification required";
export const ticketRequired = "External reference required";
