import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// assign.tsx
export const assignName = (name: Insert) => `Assign ${name}`;
export const assign = "Assign";
export const person = "Person";
export const start = "Start";
export const leaveEmptyToStartNow = "Leave empty to start now.";
export const leaveEmptyForTheDurationOf = "Leave empty for the duration of the role.";
export const leaveEmptyForNoEndDate = "Leave empty for no end date.";
export const reason = "Reason";
export const changeEndDate = "Change end date";
export const save = "Save";
export const removeMember = "Remove member";
export const memberLosesTheAccessOfThis = (member: ReactNode) =>
  rich`${member} loses the access of this role, unless another reason grants it.`;
export const remove = "Remove";
export const grantedProvisioningHasStarted = "Granted. Provisioning has started.";
export const endDateChanged = "End date changed.";
export const memberRemoved = "Member removed.";
export const choose = "Choose";

// changes.tsx
export const comes = "comes";
export const goes = "goes";
export const noDifferences = "No differences.";

// confirmplan.tsx
export const done = "Done.";
export const publishName = (name: Insert) => `Publish ${name}`;
export const retireName = (name: Insert) => `Retire ${name}`;
export const reviewTheEffectOnPeoplesAccess = "Review the effect on people’s access.";
export const theRoleStopsGrantingAccessAnd = "The role stops granting access, and all assignments end. You cannot undo this.";
export const requestApproval = "Request approval";
export const publish = "Publish";
export const retire = "Retire";
export const theRiskIsHighSoAnother =
  "The risk is high, so another person must approve. The owners and administrators are asked. The draft is published when one of them approves.";
export const publishedProvisioningHasStarted = "Published. Provisioning has started.";
export const approvalRequested = "Approval requested.";
export const retiredItsAccessIsBeingRevoked = "Retired. Its access is being revoked.";
export const previewOfTheChanges = "Preview of the changes";

// contents.tsx
export const entitlementsCount = (count: Insert) => `Entitlements (${count})`;
export const noEntitlementsOfItsOwn = "No entitlements of its own.";
export const itsAccessComesFromTheIncluded = "Its access comes from the included roles.";
export const entitlementsOfTheRole = "Entitlements of the role";
export const entitlement = "Entitlement";
export const system = "System";
export const risk = "Risk";
export const state = "State";
export const showMoreOfCount = (count: Insert) => `Show more of ${count}`;
export const includedRolesCount = (count: Insert) => `Included roles (${count})`;
export const membersOfThisRoleAlsoHave = "Members of this role also have the access of these roles.";
export const membershipRule = "Membership rule";
export const noMembershipRuleTheRoleIs = "No membership rule. The role is assigned directly, by requests or by policies.";
export const kind = "Kind";
export const members = "Members";
export const withAccess = "With access";
export const requestable = "Requestable";
export const yes = "yes";
export const no = "no";
export const maximumDuration = "Maximum duration";
export const noLimit = "no limit";
export const defaultDuration = "Default duration";
export const owners = "Owners";
export const none = "none";
export const backupOwners = "Backup owners";
export const approvalRule = "Approval rule";
export const managedBy = "Managed by";
export const aFile = "a file";
export const aSectorPack = "a sector pack";
export const theConsole = "the console";
export const duties = "Duties";
export const compliance = "Compliance";
export const provisionedFullOfMembersCompletelyPartial = (full: Insert, have: Count, partial: Insert) =>
  `Provisioned: ${full} of ${plural(have, { one: "# member", other: "# members" })} completely, ${partial} partly.`;
export const provisioningState = "Provisioning state";
export const complete = "complete";
export const partial = "partial";
export const notProvisioned = "not provisioned";
export const theMatchingRule = "the matching rule";
export const aRuleOfItsOwn = "a rule of its own";
export const anEntitlementOfAnotherOwner = "an entitlement of another owner";
export const noIncludedRoles = "No included roles.";
export const theRole = "the role";
export const hideContentsOfName = (name: Insert) => `Hide contents of ${name}`;
export const showContentsOfName = (name: Insert) => `Show contents of ${name}`;
export const noContents = "nothing";
export const roleCount = (count: Count) => plural(count, { one: "# role", other: "# roles" });
export const entitlementCount = (count: Count) => plural(count, { one: "# entitlement", other: "# entitlements" });
export const excludedIdentity = (identity: ReactNode) => rich`Excluded: ${identity}`;
export const untilUntil = (until: Insert) => ` until ${until}`;
export const assignmentParameters = "Assignment parameters";
export const requiredSuffix = ", required";
export const oneOfAllowedValues = (allowedValues: Insert) => `, one of ${allowedValues}`;

// describe.tsx
export const saved = "Saved.";
export const editDescription = "Edit description";
export const asAnOwnerYouCanEdit = "As an owner you can edit these fields. Administrators can edit all fields.";
export const purpose = "Purpose";
export const shownToRequesters = "Shown to requesters.";
export const requiresAPurpose = "Requires a purpose.";
export const highestRiskOfItsEntitlementsEffective = (effectiveRiskLevel: Insert) =>
  `Highest risk of its entitlements: ${effectiveRiskLevel}`;
export const youCanOnlyRaiseTheRiskHint =
  "You can only raise the risk. Only administrators can set high or critical, with the approval of another person.";
export const youCanOnlyRaiseTheRisk = "You can only raise the risk.";
export const dutyTags = "Duty tags";
export const dutiesOfTheMembersOnePer = "Duties of the members, one per line, for separation of duties.";
export const complianceTags = "Compliance tags";
export const suchAsSoxOnePerLine = "Such as SOX. One per line.";
export const labels = "Labels";
export const onePerLineAsNameValue = "One per line, as name=value.";

// draft.tsx
export const theRoleIsRetiredAndCannot = "The role is retired and cannot be changed.";
export const noDraft = "No draft.";
export const draftDiscardedThePublishedRoleIs = "Draft discarded. The published role is unchanged.";
export const notPublishedYet = "Not published yet";
export const changesInTheDraft = "Changes in the draft";
export const approvalWasRequestedDraftWithdraws = "Approval of another person was requested. A change of the draft withdraws the request.";
export const previewChanges = "Preview changes";
export const discardDraftEllipsis = "Discard draft…";
export const noDifferencesFromThePublishedVersion = "No differences from the published version.";
export const discardDraft = "Discard draft";
export const theChangesInTheDraftAre = "The changes in the draft are lost.";
export const discard = "Discard";
export const savedTheRoleGrantsAccessAfter = "Saved. The role grants access after it is published.";
export const savedInTheDraftItTakes = "Saved in the draft. It takes effect after it is published.";
export const settings = "Settings";
export const theDraft = "The draft";
export const edit = "Edit";
export const changesAreSavedInADraft = "Changes are saved in a draft. They take effect when you publish it.";
export const thisRoleIsManagedByA = "This role is managed by a file. Change it there.";
export const saveDraft = "Save draft";
export const someoneElseHasChangedThisDraft = "Someone else has changed this draft.";
export const reloadAndDiscardMyChanges = "Reload and discard my changes";

// fields.tsx
export const name = "Name";
export const entitlements = "Entitlements";
export const includedRoles = "Included roles";
export const assignAutomaticallyByRule = "Assign automatically by rule";
export const peopleGetTheRoleWhenThey = "People get the role when they match the rule and lose it when they no longer match.";
export const highestRiskOfItsEntitlements = "Highest risk of its entitlements";
export const theMaximumDuration = "the maximum duration";
export const onePerLine = "One per line.";

// impact.tsx
export const peopleLackSomething = (people: Insert, all: Insert) => `${people} of ${all} people lack something that they must have.`;
export const lacks = "Lacks";
export const peopleKeepAccessUntilItIsReviewed = (people: Insert, grants: Insert) =>
  `Until it is reviewed, access is kept: people ${people}, entitlements and accounts ${grants}.`;
export const noOneGainsOrLosesAccess = "No one gains or loses access.";
export const peopleWhoCanRequest = (gained: Insert, lost: Insert) =>
  `${gained} people can request more than now, ${lost} can request less.`;
export const freshNewInTheSystem = (fresh: Insert) => `+ ${fresh} new in the system`;
export const identitiesAffectedOfPeopleGainOr = (identitiesAffected: ReactNode, peopleTotal: Count, fresh: ReactNode) =>
  rich`${identitiesAffected} of ${plural(peopleTotal, { one: "# person", other: "# people" })} gain or lose access: ${fresh},`;
export const grantsHeldHeldAlreadyWithOnly = (grantsHeld: Insert) => `${grantsHeld} held already with only a new reason, `;
export const grantsEndedRevoked = (grantsEnded: Insert) => `− ${grantsEnded} revoked`;
export const accountsCreated = (accountsCreated: Count) =>
  `, ${plural(accountsCreated, { one: "# account", other: "# accounts" })} created`;
export const ofAllPeople = "Of all people";
export const newOrLessAccess = "new or less access";
export const onlyANewReason = "only a new reason";
export const notAffected = "not affected";
export const withoutADepartment = "without a department";
export const theFirstCountOfPeople = (count: Insert, whole: Count) =>
  `the first ${count} of ${plural(whole, { one: "# person", other: "# people" })}`;
export const eachOfThem = "each of them";
export const hide = "Hide";
export const show = "Show";
export const affectedPeople = "Affected people";
export const gains = "Gains";
export const loses = "Loses";
export const signAnAccount = (sign: Insert) => `${sign}an account`;
export const heldAlready = "· held already";

// import.tsx
export const rolesWereImported = (count: Count) => `${plural(count, { one: "# role was", other: "# roles were" })} imported.`;
export const importRoles = "Import roles";
export const importAFileInTheFormat = "Import a file in the format of the export. Roles that are not in the file stay unchanged.";
export const file = "File";
export const fileContents = "File contents";
export const cancel = "Cancel";
export const noChanges = "No changes";
export const importChanges = (changes: Count) => `Import ${plural(changes, { one: "# change", other: "# changes" })}`;
export const previewImport = "Preview import";
export const previewOfTheImport = "Preview of the import";
export const rolesInTheFile = "Roles in the file";
export const line = "Line";
export const role = "Role";
export const result = "Result";
export const differences = "Differences";
export const rolesOfAnEarlierFileThat = (untouched: Insert) =>
  `Roles of an earlier file that are not in this one stay unchanged: ${untouched}`;

// lifecycle.tsx
export const theOwnersAndTheAdministratorsAre =
  "The owners and the administrators are asked. One of them, other than you, approves or rejects the draft.";
export const withdraw = "Withdraw";
export const withdrawApprovalRequest = "Withdraw approval request";
export const theApprovalRequestIsWithdrawnThe = "The approval request is withdrawn. The changes stay as a draft.";
export const withdrawn = "Withdrawn.";
export const deprecate = "Deprecate";
export const deprecateRole = "Deprecate role";
export const membersKeepTheRoleAndIt = "Members keep the role, and it stays up to date for them. It can no longer be assigned.";
export const deprecatedTheRoleCanNoLonger = "Deprecated. The role can no longer be assigned.";
export const reactivate = "Reactivate…";
export const publishEllipsis = "Publish…";
export const more = "More";
export const moreActions = "More actions";
export const requestApprovalEllipsis = "Request approval…";
export const withdrawApprovalRequestEllipsis = "Withdraw approval request…";
export const deprecateEllipsis = "Deprecate…";
export const retireEllipsis = "Retire…";

// lists.tsx
export const excludedCount = (count: Insert) => `Excluded (${count})`;
export const until = "Until";
export const removeExclusionI = (i: Insert) => `Remove exclusion ${i}`;
export const addAnExcludedPerson = "Add an excluded person";
export const text = "text";
export const wholeNumber = "whole number";
export const yesOrNo = "yes or no";
export const day = "day";
export const assignmentParametersCount = (count: Insert) => `Assignment parameters (${count})`;
export const description = "Description";
export const allowedValuesSeparatedByCommas = "Allowed values, separated by commas";
export const leaveEmptyToAllowAnyValue = "Leave empty to allow any value.";
export const required = "Required";
export const removeParameterName = (name: Insert) => `Remove parameter ${name}`;
export const addParameter = "Add parameter";

// members.tsx
export const end = "End";
export const membershipRuleLower = "membership rule";
export const policy = "policy";
export const directAssignment = "direct assignment";
export const request = "request";
export const emergency = "emergency";
export const otherwise = "otherwise";
export const theRoleCanBeAssignedAfter = "The role can be assigned after it is published.";
export const people = "people";
export const noMembersYet = "No members yet";
export const peopleGetTheRoleByIts = "People get the role by its rule, a policy, a request or a direct assignment.";
export const department = "Department";
export const beginsStartsAt = (startsAt: ReactNode) => rich`, begins ${startsAt}`;
export const noEndDate = "no end date";
export const provisioned = "Provisioned";
export const activeOfTotal = (active: Insert, total: Insert) => `${active} of ${total}`;
export const activeOfTotalFailedFailed = (active: Insert, total: Insert, failed: Insert) => `${active} of ${total}, ${failed} failed`;
export const actions = "Actions";
export const actionsForM = (m: Insert) => `Actions for ${m}`;
export const changeEndDateEllipsis = "Change end date…";
export const removeEllipsis = "Remove…";

// model.ts
export const business = "business";
export const businessRole = "business role";
export const inOneSystem = "in one system";
export const technical = "technical";
export const emergencyAccess = "emergency access";
export const low = "low";
export const medium = "medium";
export const high = "high";
export const critical = "critical";
export const excludedPeople = "Excluded people";
export const visibleTo = "Visible to";

// multipick.tsx
export const numberIOfLabel = (i: Insert, label: Insert) => `number ${i} of ${label}`;
export const removeTold = (told: Insert) => `Remove ${told}`;
export const showAllCount = (count: Insert) => `Show all ${count}`;
export const addToLabel = (label: Insert) => `Add to ${label}`;

// names.tsx
export const leadAnEntitlementOfAnotherOwner = (lead: ReactNode) => rich`${lead}an entitlement of another owner`;
export const systemDisconnected = "system disconnected";
export const leadAnotherRole = (lead: ReactNode) => rich`${lead}another role`;
export const leadAPersonWhoIsNot = (lead: ReactNode) => rich`${lead}a person who is not visible to you`;

// new.tsx
export const newRole = "New role";
export const theRoleGrantsAccessAfterIt = "The role grants access after it is published.";
export const roles = "Roles";
export const key = "Key";
export const theNameInFilesAndPacks = "The name in files and packs. It cannot be changed. If empty, it is derived from the name.";

// page.tsx
export const bundlesOfAccessFromOneOr = "Bundles of access from one or more systems.";
export const exportAsYaml = "Export as YAML";
export const importLabel = "Import…";
export const all = "All";
export const published = "Published";
export const drafts = "Drafts";
export const deprecated = "Deprecated";
export const retired = "Retired";
export const rolesLower = "roles";
export const noRolesYet = "No roles yet";
export const createARole = "Create a role";
export const aRoleGrantsASetOf = (link: ReactNode) => rich`A role grants a set of access in one step. ${link}`;
export const rolesThatYouOwnAreListed = "Roles that you own are listed here.";
export const publishedLower = "published";
export const hasADraft = "has a draft";
export const contains = "Contains";
export const rule = "Rule";
export const noRule = "No rule";

// role.tsx
export const contents = "Contents";
export const draftOpen = "Draft (open)";
export const draft = "Draft";
export const versions = "Versions";
export const hasAnUnpublishedDraft = "has an unpublished draft";
export const approvalWasRequestedPublishedUnchanged =
  "Approval of another person was requested. The published role is unchanged until then.";
export const sectionsOfTheRole = "Sections of the role";

// versions.tsx
export const versionsOfTheRole = "Versions of the role";
export const from = "From";
export const to = "To";
export const version = "Version";
export const date = "Date";
export const author = "Author";
export const compareFromVersionVersion = (version: Insert) => `Compare from version ${version}`;
export const compareWithVersionVersion = (version: Insert) => `Compare with version ${version}`;
export const theService = "the service";
export const versionFromComparedWithTo = (from: Insert, to: Insert) => `Version ${from} compared with ${to}`;
