import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// assign.tsx
export const accessGrantedOpenTheReasonTo = "Access granted. Open the reason to see the provisioning state.";
export const assignAccess = "Assign access";
export const nameOfIsGrantedThroughThe = (nameOf: ReactNode) =>
  rich`${nameOf} is granted through the person's account in the system. No approval is required.`;
export const assign = "Assign";
export const person = "Person";
export const lastDay = "Last day";
export const ifEmptyAccessEndsAfterThe = "If empty, access ends after the default duration.";
export const ifEmptyAccessHasNoEnd = "If empty, access has no end.";
export const reason = "Reason";
export const shownInTheHistoryOfThe = "Shown in the history of the access.";

// bulk.tsx
export const risk = "Risk";
export const requestable = "Requestable";
export const privileged = "Privileged";
export const lifecycle = "Lifecycle";
export const complianceTags = "Compliance tags";
export const dataClasses = "Data classes";
export const yes = "yes";
export const no = "no";
export const active = "active";
export const deprecated = "deprecated";
export const edit = "Edit";
export const editEntitlements = (count: Count) => `Edit ${plural(count, { one: "# entitlement", other: "# entitlements" })}`;
export const save = "Save";
export const updatedChangedUnchangedAlreadyHadThis = (updated: Insert, unchanged: Insert, refused: Insert) =>
  `${updated} changed, ${unchanged} already had this value, ${refused} were rejected.`;
export const field = "Field";
export const newValue = "New value";
export const choose = "choose";
export const onePerLineReplacesTheWhole = "One per line. Replaces the whole list.";
export const updatedWillChangeUnchangedAlreadyHave = (updated: ReactNode, unchanged: ReactNode, refused: ReactNode) =>
  rich`${updated} will change, ${unchanged} already have this value, ${refused} are rejected.`;
export const exampleGet = (get: ReactNode) => rich`Example: ${get}:`;

// bulkrevoke.tsx
export const revoke = "Revoke";
export const revokeGrants = (count: Count) => `Revoke ${plural(count, { one: "# grant", other: "# grants" })}`;
export const blockUntil = "Block until";
export const chooseAFutureDate = "Choose a future date.";
export const appliesToAllGrantsThatYou =
  "Applies to all grants that you revoke here. Until this day, no person and no policy can grant them again. Afterwards policies apply as usual.";
export const grantsAreBeingRevokedAndBlocked = (revoked: Count, until: Insert) =>
  `${plural(revoked, { one: "# grant is", other: "# grants are" })} being revoked and blocked until ${until}.`;
export const grantsAreBeingRevoked = (revoked: Count) => `${plural(revoked, { one: "# grant is", other: "# grants are" })} being revoked.`;
export const grantsRemain = (stays: Count) =>
  plural(stays, {
    one: "# grant remains: a policy would grant the access again.",
    other: "# grants remain: a policy would grant the access again.",
  });
export const grantsWereRejected = (others: Count) => `${plural(others, { one: "# grant was", other: "# grants were" })} rejected.`;
export const revokedWillBeRevokedRefusedCannot = (revoked: ReactNode, refused: ReactNode) =>
  rich`${revoked} will be revoked, ${refused} cannot be revoked.`;
export const untilUntilNoPersonAndNo = (until: ReactNode) =>
  rich`Until ${until} no person and no policy can grant the access again. Afterwards policies apply as usual.`;
export const policiesWouldGrantAgain = (count: Count) =>
  plural(count, {
    one: "A policy would grant # of these grants again. Enter a date until which to block it, or change the policy:",
    other: "Policies would grant # of these grants again. Enter a date until which to block them, or change the policies:",
  });
export const andCountMore = (count: Insert) => `and ${count} more`;

// edit.tsx
export const saved = "Saved.";
export const editEntitlement = "Edit entitlement";
export const asTheOwnerYouCanOnly = "As the owner you can only raise the risk and shorten the durations.";
export const purpose = "Purpose";
export const shownToRequesters = "Shown to requesters.";
export const permissions = "Permissions";
export const onePerLine = "One per line.";
export const maximumDuration = "Maximum duration";
export const noLimit = "no limit";
export const defaultDuration = "Default duration";
export const maximumExtension = "Maximum extension";
export const suchAsSoxOnePerLine = "Such as SOX. One per line.";
export const dutyTags = "Duty tags";
export const businessFunctionsForSeparationOfDuties = "Business functions, for separation of duties.";
export const cancel = "Cancel";
export const saving = "Saving…";
export const grantsAdministrativePowerOverTheSystem = "Grants administrative power over the system.";
export const retiredLower = "retired";
export const replacement = "Replacement";
export const restrictWhoCanRequestIt = "Restrict who can request it";
export const onlyPeopleWhoMatchTheCondition = "Only people who match the condition can request it.";
export const requestableBy = "Requestable by";

// entitlement.tsx
export const sectionsOfTheEntitlement = "Sections of the entitlement";
export const accessCatalog = "Access catalog";
export const inSystem = (system: ReactNode) => rich`in ${system}`;
export const requestAccess = "Request access";
export const actions = "Actions";
export const setOwners = "Set owners";
export const retire = "Retire";
export const notFoundByTheLatestSyncs = (missingSince: ReactNode) => rich`Not found by the latest syncs. First missing ${missingSince}.`;
export const replacementReplacement = (replacement: ReactNode) => rich`Replacement: ${replacement}`;
export const details = "Details";
export const noDescriptionYet = "No description yet.";
export const noOwner = "no owner";
export const assignAnOwner = "Assign an owner";
export const ownersColon = "Owners:";
export const directHolders = "Direct holders";
export const totalHolders = "Total holders";
export const unusedFor90Days = "Unused for 90 days";
export const lastUsed = "Last used";
export const nameInTheSystem = "Name in the system";
export const peopleWhoMatchItsCondition = "people who match its condition";
export const tags = "Tags";
export const itIsNowRequestable = "It is now requestable.";
export const itIsNoLongerRequestable = "It is no longer requestable.";
export const notRequestable = "Not requestable";

// holders.tsx
export const directly = "Directly";
export const throughAGroup = "Through a group";
export const account = "Account";
export const path = "Path";
export const basis = "Basis";
export const since = "Since";
export const ends = "Ends";
export const why = "Why";
export const whyIdentity = (identity: Insert) => `Why ${identity}`;
export const holdersAsOf = (asOf: Insert) => `Holders ${asOf}.`;
export const holders = "Holders";
export const all = "All";
export const direct = "Direct";
export const notGrantedThroughGrantwright = "Not granted through Grantwright";
export const accountWithoutAnOwner = "Account without an owner";
export const ending = "Ending";
export const asOf = "As of";
export const noHolders = "No holders";
export const noHoldersAreVisibleToYou = "No holders are visible to you.";
export const noHoldersRecordedAtThatTime = "No holders recorded at that time";
export const historyBeginsWithTheFirstSync = "History begins with the first sync of the system. Earlier holders are not known.";

// nesting.tsx
export const notNested = "Not nested";
export const itContainsNoGroupsAndIs = "It contains no groups and is in no other group.";
export const circularNestingEveryHolderOfOne = (cycle: ReactNode) =>
  rich`Circular nesting: every holder of one of ${cycle} holds all of them.`;
export const hiddenMoreAreNotVisibleTo = (hidden: Insert) => `${hidden} more are not visible to you.`;
export const theListIsIncompleteItShows = "The list is incomplete. It shows at most 1,000 entitlements in each direction, and 64 levels.";
export const nesting = "Nesting";
export const access = "Access";
export const effect = "Effect";
export const levels = "Levels";
export const holdersAlsoHoldThisEntitlement = "holders also hold this entitlement";
export const included = "included";
export const rolesWithThisEntitlement = "Roles with this entitlement";
export const noRolesAreVisibleToYou = "No roles are visible to you.";
export const role = "Role";
export const state = "State";
export const members = "Members";

// owners.tsx
export const ownersSaved = "Owners saved.";
export const owners = "Owners";
export const ownersApproveRequestsDescribeTheEntitlement =
  "Owners approve requests, describe the entitlement and see its holders. Backup owners approve if no owner is available.";
export const addAnOwner = "Add an owner";
export const backupOwners = "Backup owners";
export const addABackupOwner = "Add a backup owner";
export const none = "None";
export const removeLabelI = (label: Insert, i: Insert) => `Remove ${label} ${i}`;

// page.tsx
export const name = "Name";
export const kind = "Kind";
export const onRequest = "On request";
export const noneLower = "none";
export const heldBy = "Held by";
export const heldByVisibleToYou = "Held by, visible to you";
export const highRisk = "High risk";
export const withoutAnOwner = "Without an owner";
export const retired = "Retired";
export const entitlementsOfTheConnectedSystemsPurpose = "Entitlements of the connected systems: purpose, risk, owners and holders.";
export const system = "System";
export const tag = "Tag";
export const namesAndDescriptions = "names and descriptions";
export const noEntitlementsYet = "No entitlements yet";
export const entitlementsAreListedAfterTheFirst = "Entitlements are listed after the first sync of a system.";
export const noEntitlementsVisibleToYou = "No entitlements visible to you";
export const ownersSeeTheEntitlementsThatThey =
  "Owners see the entitlements that they own. What you can request is listed under Request access.";

// retire.tsx
export const theEntitlementIsRetired = "The entitlement is retired.";
export const retireEntitlement = "Retire entitlement";
export const itCanNoLongerBeRequested =
  "It can no longer be requested, and roles and policies stop granting it. Current holders keep it until it ends or is revoked.";
export const accountsHoldItAndKeepIt = (holders: Count) =>
  plural(holders, { one: "# account holds it and keeps it.", other: "# accounts hold it and keep it." });
export const activeReasonsGrantIt = (reasons: Count) =>
  plural(reasons, { one: "# active reason grants it.", other: "# active reasons grant it." });
export const openRequestsAskForIt = (openRequests: Count) =>
  plural(openRequests, { one: "# open request asks for it.", other: "# open requests ask for it." });
export const theRoleRStopsGrantingIt = (r: ReactNode) => rich`The role ${r} stops granting it.`;

// tree.tsx
export const containsAndIsIn = (name: Insert, down: Count, up: Count) => `${name}: contains ${groups(down)} and is in ${groups(up)}.`;
export const moreMore = (more: Insert) => `${more} more`;
export const groups = (count: Count) => plural(count, { one: "# group", other: "# groups" });
export const nestingGraph = "Nesting graph";
export const theTableShowsTheLevelsBeyond = "The table shows the levels beyond the third.";

// usage.tsx
export const n30Days = "30 days";
export const n90Days = "90 days";
export const n180Days = "180 days";
export const oneYear = "one year";
export const theSystemDoesNotReportUsage = "The system does not report usage, so no grant counts as unused.";
export const usage = "Usage";
export const unusedFor = "Unused for";
export const used = "used";
export const notUsed = "not used";
export const recentOrUsageNotReported = "recent, or usage not reported";
export const holdersUsedGrantCountUsedIt = (holderCount: Count, usedGrantCount: Insert, unusedGrantCount: Insert, lastUsedAt: ReactNode) =>
  rich`${plural(holderCount, { one: "# holder", other: "# holders" })}: ${usedGrantCount} used it in this period, ${unusedGrantCount} did not. Last used ${lastUsedAt}.`;
export const countUnusedForDaysDaysOr = (count: Insert, days: ReactNode) => rich`${count} unused for ${days} days or longer`;
export const longestUnused = "Longest unused";
