import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// correlated.tsx
export const reason = "Reason";
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
export const change = "Change";
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
export const mappingsWouldBeCopied = (copied: Count) => `${plural(copied, { one: "# mapping", other: "# mappings" })} would be copied.`;
export const sourcePathCannotBeCopiedReason = (sourcePath: ReactNode, reason: ReactNode) => rich`${sourcePath} cannot be copied: ${reason}`;

// mapedit.tsx
export const mapToAField = "Map to a field";
export const noMappingKeepTheConnectorsValue = "No mapping: keep the connector's value";
export const savedTheNextSyncIsA = "Saved. The next sync is a full sync.";
export const editMappingOfSourcePath = (sourcePath: ReactNode) => rich`Edit mapping of ${sourcePath}`;
export const action = "Action";

// mapping.tsx
export const all = "All";
export const none = "none";
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

// preview.tsx
export const result = "Result";
export const record = "Record";
export const sourceValue = "Source value";
export const mappedValue = "Mapped value";
export const empty = "empty";
export const countOfCountOfDetail = (count: Insert, countOf: ReactNode, detail: ReactNode) => rich`${count} of ${countOf} ${detail}`;

// rediscover.tsx
export const connectors = "Connectors";
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

// rule.tsx
export const aPythonExpressionOfValueAnd =
  "A Python expression of value and record, such as value.strip().lower(). Leave empty to keep the value.";

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

// target-fields.tsx
export const mapTo = "Map to";
export const customAttribute = "custom attribute…";
export const attributeName = "Attribute name";

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
