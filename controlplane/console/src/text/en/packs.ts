import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// conflicts.tsx
export const noConflicts = "No conflicts";
export const ifYouAndAnUpgradeChange = "If you and an upgrade change the same field, you decide here which value applies.";
export const decidedByByResolvedAt = (by: ReactNode, resolvedAt: ReactNode) => rich`Decided by ${by} ${resolvedAt}`;
export const previousValueOfThePack = "Previous value of the pack";
export const notPartOfThePackBefore = "not part of the pack before";
export const yourValue = "Your value";
export const deletedByYou = "deleted by you";
export const newValueOfThePack = "New value of the pack";
export const noLongerPartOfThePack = "no longer part of the pack";
export const yourValueKept = "your value kept";
export const valueOfThePackAccepted = "value of the pack accepted";
export const newValueSet = "new value set";
export const replacedByALaterVersion = "replaced by a later version";
export const saved = "Saved.";
export const valueOfCalled = (called: ReactNode) => rich`Value of ${called}`;
export const keepYourValue = "Keep your value";
export const acceptTheValueOfThePack = "Accept the value of the pack";
export const enterANewValue = "Enter a new value";
export const fields = "Fields";
export const thisIsNotAValidJson = "This is not a valid JSON object.";
export const resolve = "Resolve";

// contents.tsx
export const detailsOfThePack = "Details of the pack";
export const key = "Key";
export const sector = "Sector";
export const publisher = "Publisher";
export const version = "Version";
export const partOfThisVersion = "part of this version";
export const cameWithTheService = "came with the service";
export const verified = "verified";
export const notVerified = "not verified";
export const regulations = "Regulations";
export const languages = "Languages";
export const recommendedWith = "Recommended with";
export const checksum = "Checksum";
export const copyTheChecksum = "Copy the checksum";
export const keptForLater = "kept for later";

// install.tsx
export const reinstall = "Reinstall";
export const upgradeToVersion = (version: Insert) => `Upgrade to ${version}`;
export const install = "Install";
export const nameVersionIsInstalledWaiting = (name: Insert, version: Insert, waiting: Insert) =>
  `${name} ${version} is installed${waiting}.`;
export const vInstalled = (v: Insert) => `${v}, installed`;
export const calculating = "Calculating…";
export const previewChanges = "Preview changes";
export const previewOfTheChanges = "Preview of the changes";
export const theInstallationWasSimulatedNothingIs = "The installation was simulated. Nothing is saved yet.";
export const saving = "Saving…";
export const theChangesAreDifferentNowPreview = "The changes are different now. Preview them again.";
export const theDataHasChangedSinceThe = "The data has changed since the preview. Preview the changes again before you continue.";
export const oneConflictIsOpen = "; one conflict is open";
export const conflictsConflictsAreOpen = (conflicts: Insert) => `; ${conflicts} conflicts are open`;

// objects.tsx
export const installedLower = "installed";
export const waitingForASystemLower = "waiting for a system";
export const inConflictLower = "in conflict";
export const left = "left";
export const leaving = "leaving";
export const kind = "Kind";
export const name = "Name";
export const state = "State";
export const asInThePack = "As in the pack";
export const waitingFor = "Waiting for";
export const existedBefore = "Existed before";
export const yes = "Yes";
export const noDeletedHere = "No: deleted here";
export const noDifferentChanged = (changed: Insert) => `No: different ${changed}`;
export const installation = "Installation";
export const installed = "Installed";
export const by = "By";
export const previousVersion = "Previous version";
export const all = "All";
export const waitingForASystem = "Waiting for a system";
export const inConflict = "In conflict";
export const objectsOfThePack = "Objects of the pack";
export const noObjects = "No objects";
export const objectsAreListedHereAfterThe = "Objects are listed here after the pack is installed.";
export const atOnce = "at once";

// pack.tsx
export const contents = "Contents";
export const upgradeOrReinstall = "Upgrade or reinstall";
export const installedObjects = "Installed objects";
export const conflicts = "Conflicts";
export const uninstall = "Uninstall";
export const sectorPacks = "Sector packs";
export const versionInstalled = (version: Insert) => `${version} installed`;
export const notInstalled = "not installed";
export const availableAndInstalledVersion = (version: ReactNode, version2: ReactNode, installedAt: ReactNode) =>
  rich`Version ${version} is available. Version ${version2} was installed ${installedAt}.`;
export const previewTheUpgrade = "Preview the upgrade";
export const sectionsOfThePack = "Sections of the pack";

// page.tsx
export const purpose = "Purpose";
export const latestVersion = "Latest version";
export const source = "Source";
export const builtIn = "built in";
export const versionVersion2Available = (version: Insert, version2: Insert) => `${version}; ${version2} available`;
export const mappingsRolesBirthrightsAndPoliciesFor =
  "Mappings, roles, birthrights and policies for a sector. A pack is installed and uninstalled as one unit.";
export const uploadAPack = "Upload a pack";
export const noPacks = "No packs";
export const builtInPacksAreMissingAsk = "Built-in packs are missing. Ask the service operator.";

// parameters.tsx
export const thisPackHasNoParameters = "This pack has no parameters.";
export const pOnePerLine = (p: Insert) => `${p}, one per line`;
export const immediately = "immediately";
export const atLeastMinimum = (minimum: Insert) => `at least ${minimum}`;
export const atMostMaximum = (maximum: Insert) => `at most ${maximum}`;

// plan.tsx
export const added = "Added";
export const changed = "Changed";
export const removed = "Removed";
export const inConflictYourValueAppliesUntil = "In conflict: your value applies until you decide";
export const unchanged = "Unchanged";
export const keptUntilTheServiceHasWhatTheyAreFor = "Kept until reviews and reports are available";
export const peopleWithChangedAccess = "People with changed access";
export const detailIfYouContinueYouConfirm = (detail: ReactNode) => rich`${detail}. If you continue, you confirm the changes shown here.`;
export const separationOfDuties = "Separation of duties";
export const rolesThatViolateAPolicy = "Roles that would violate an enforced policy. The pack cannot be installed until this is resolved:";
export const birthrightsCurrentAndNew = "Birthrights, current and new";
export const objectsWaitForASystemWith = (count: Count) =>
  `${plural(count, { one: "# object waits", other: "# objects wait" })} for a system with the named access. The next sync of the system completes them.`;
export const waitingForWaitsFor = (waitsFor: ReactNode) => rich`waiting for ${waitsFor}`;

// uninstall.tsx
export const keepAllObjects = "Keep all objects";
export const noObjectIsRemovedAllObjects = "No object is removed. All objects become yours.";
export const removeUnusedObjects = "Remove unused objects";
export const removesObjectsThatYouHaveNot = "Removes objects that you have not changed and that grant no access. The others become yours.";
export const removeEverything = "Remove everything";
export const removesAllObjectsOfThePack =
  "Removes all objects of the pack, except those that existed before. Access ends as its policies define.";
export const nameUninstalled = (name: Insert) => `${name} uninstalled.`;
export const uninstallMode = "Uninstall mode";
export const enterPToConfirm = (p: Insert) => `Enter ${p} to confirm`;
export const theChangesAreDifferentNow = "The changes are different now.";
export const previewAgain = "Preview again";
export const deprecatedAndRemovedWhenTheirGrants = "Deprecated, and removed when their grants have ended";
export const keptAndYours = "Kept, and yours";

// upload.tsx
export const theSignatureCouldNotBeVerified = "The signature could not be verified with a key that the operator trusts.";
export const uploadAGwpackArchiveItIs =
  "Upload a .gwpack archive. It is validated first and not installed. Only administrators of this tenant can see it.";
export const nameIsAvailableOpenItTo = (name: ReactNode) => rich`${name} is available. Open it to preview its changes.`;
export const archive = "Archive";
export const warnAboutUnknownFieldsInsteadOf = "Warn about unknown fields instead of rejecting them";
export const validating = "Validating…";
export const validate = "Validate";
export const save = "Save";
export const valid = "valid";
export const errors = (count: Count) => plural(count, { one: "# error", other: "# errors" });
export const nameVersionValueTestsRun = (name: Insert, version: Insert, value: ReactNode, tests: Count) =>
  rich`${name} ${version}: ${value}. ${plural(tests, { one: "# test", other: "# tests" })} run.`;
export const valueTestsRun = (value: ReactNode, tests: Count) => rich`${value}. ${plural(tests, { one: "# test", other: "# tests" })} run.`;

// words.ts
export const mitigatingControl = "mitigating control";
export const mitigatingControls = "mitigating controls";
export const accessPolicy = "access policy";
export const accessPolicies = "access policies";
export const fieldMapping = "field mapping";
export const fieldMappings = "field mappings";
export const dutyOfARole = "duty of a role";
export const dutiesOfRoles = "duties of roles";
export const separationPolicy = "separation-of-duties policy";
export const separationPolicies = "separation-of-duties policies";
export const reviewTemplate = "review template";
export const reviewTemplates = "review templates";
export const approvalRule = "approval rule";
export const approvalRules = "approval rules";
export const reportSection = "report section";
export const reportSections = "report sections";
export const keptUntilReviews = "kept until reviews are available";
export const keptUntilReports = "kept until reports are available";
export const alreadyAsInThePack = "already as in the pack";
export const alreadyExists = "already exists";
export const deletedHereAndNotCreatedAgain = "deleted here, and not created again";
export const anObjectOfYoursHasThis = "an object of yours has this name and stays unchanged";
export const changedByYouAndByThe = "changed by you and by the pack; your version stays";
export const changedByYouSoItStays = "changed by you, so it stays";
export const usedByYourObjectsSoIt = "used by your objects, so it stays and becomes yours";
export const noSuchSystemIsConnected = "no such system is connected";
export const theSystemHasNotBeenSynced = "the system has not been synced yet";
export const theSystemHasNoMatchingEntitlement = "the system has no matching entitlement";
export const moreThan200MatchesSoThe = "more than 200 matches, so the condition is too broad";
export const aRoleOfThePackIs = "a role of the pack is in conflict";
export const theRoleWouldViolateAnEnforced = "the role would violate an enforced separation-of-duties policy";
export const aControlOfThisNameWasDeleted = "you have deleted it; a control of the same name takes its place";
export const theTagTag = (tag: Insert) => `the tag ${tag}`;
export const anAccount = "an account";
export const theRoleRole = (role: Insert) => `the role ${role}`;
export const theControlControl = (control: Insert) => `the mitigating control ${control}`;
export const inRowOfTheTable = (row: Insert) => `, row ${row} of the table`;
export const asARequirement = ", required";
export const inASystemWithSystem = (system: Insert) => ` in a system with ${system}`;
