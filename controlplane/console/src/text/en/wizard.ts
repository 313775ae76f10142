import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// catalog.tsx
export const applicationsWithScimUsingABearer = "Applications with SCIM, using a bearer token or OAuth2.";
export const anyDirectoryOpenldap389ActiveDirectory = "Any directory: OpenLDAP, 389, Active Directory.";
export const apisThatReturnJsonIncludingYour = "APIs that return JSON, including your own applications.";
export const aConnectorThatYouDevelopIn = "A connector that you develop, in any language.";
export const hr = "HR";
export const directory = "Directory";
export const identityProvider = "Identity provider";
export const application = "Application";
export const custom = "Custom";
export const standards = "Standards";
export const catalog = "Catalog";
export const theCatalog = "the catalog";
export const noResults = "No results";
export const checkWhetherTheApplicationSupportsScim = "Check whether the application supports SCIM or LDAP. Use REST for any JSON API.";

// connection.tsx
export const theAgent = "the agent";
export const settingsOfTheConnection = "Settings of the connection";
export const moreSettingsAdvanced = (count: Count) => `${plural(count, { one: "# more setting", other: "# more settings" })} (advanced)`;
export const nameEnvironmentAndPurpose = "Name, environment and purpose";
export const name = "Name";
export const missingMissing = (missing: Insert) => `Missing: ${missing}`;
export const theConnectionTestMustSucceed = "The connection test must succeed";
export const testTheConnectionFirst = "Test the connection first";
export const savedWhenYouLeaveAField = "Saved when you leave a field.";
export const savedAsADraftYouCan = "Saved as a draft. You can leave and continue later.";
export const savedYouCanLeaveAndContinue = "Saved. You can leave and continue later.";
export const peopleAccountsAndAccess = "People, accounts and access";
export const peopleSource = "People (source)";
export const accountsAndAccessTarget = "Accounts and access (target)";
export const environment = "Environment";
export const provides = "Provides";

// copyfrom.tsx
export const copyFromAnotherInstance = "Copy from another instance";
export const copyMappingsFromAnotherConnector = "Copy mappings from another connector";
export const theCopiedMappingsReplaceYourDecisions = "The copied mappings replace your decisions about the same fields.";
export const copyMappings = (fitting: Count) => `Copy ${plural(fitting, { one: "# mapping", other: "# mappings" })}`;
export const mappingsOfNameCopied = (copied: Count, name: Insert) =>
  `${plural(copied, { one: "# mapping", other: "# mappings" })} of ${name} copied`;
export const from = "From";
export const nameEnvironmentMappingsFitCountDo = (name: Insert, environment: Insert, fitting: Count, count: Insert) =>
  `${name} (${environment}): ${plural(fitting, { one: "# mapping fits", other: "# mappings fit" })}, ${count} do not`;
export const nameEnvironmentMappingsFit = (name: Insert, environment: Insert, fitting: Count) =>
  `${name} (${environment}): ${plural(fitting, { one: "# mapping fits", other: "# mappings fit" })}`;
export const theseMappingsDoNotFitAnd = "These mappings do not fit and are omitted:";
export const andCountMore = (count: Insert) => `And ${count} more.`;

// discovery.tsx
export const discoveredTakenAtValuesAreSamples = (takenAt: ReactNode) =>
  rich`Discovered ${takenAt}. Values are samples from a few records.`;
export const readsAFewRecordsAndChanges = "Reads a few records and changes nothing.";
export const stop = "Stop";
export const runAgain = "Run again";
export const contactingTheTarget = "Contacting the target…";
export const runDiscoveryFirst = "Run discovery first";
export const noFieldsWereFound = "No fields were found";
export const checkThePathAndTheFilters = "Check the path and the filters of the connection.";
export const objects = "Objects";
export const fields = (count: Count) => plural(count, { one: "# field", other: "# fields" });
export const nativeNameNativeRecords = (native: ReactNode, count: Count) =>
  rich`Native name: ${native}, ${plural(count, { one: "# record", other: "# records" })}.`;
export const nativeNameNative = (native: ReactNode) => rich`Native name: ${native}.`;
export const fieldsOfWords = (words: Insert) => `Fields of ${words}`;
export const field = "Field";
export const typeLabel = "Type";
export const sampleValues = "Sample values";
export const empty = "Empty";
export const multipleValues = ", multiple values";
export const possiblySecretValuesAreNotShown = "possibly secret; values are not shown";

// drafts.tsx
export const continueSetup = "Continue setup";
export const connectorsInSetup = "Connectors in setup";
export const state = "State";
export const lastChanged = "Last changed";

// field.tsx
export const automatic = "Automatic";
export const automaticDefaultValue = (defaultValue: Insert) => `Automatic: ${defaultValue}`;
export const storedEncryptedAndNotShownAgain = "Stored encrypted and not shown again.";
export const aJsonObjectStoredEncryptedAnd = "A JSON object. Stored encrypted and not shown again.";

// fields.ts
export const users = "Users";
export const people = "People";
export const accounts = "Accounts";
export const memberships = "Memberships";
export const roles = "Roles";
export const groups = "Groups";
export const access = "Access";

// formstate.ts
export const wizardId = (id: Insert) => `wizard ${id}`;

// frame.tsx
export const connection = "Connection";
export const addressAndCredentials = "Address and credentials";
export const discovery = "Discovery";
export const objectsAndFields = "Objects and fields";
export const fieldMapping = "Field mapping";
export const mapFields = "Map fields";
export const firstSync = "First sync";
export const initialImport = "Initial import";
export const connectionSettingsAreMissing = "Connection settings are missing.";
export const testTheConnectionFirstSentence = "Test the connection first.";
export const runDiscoveryFirstSentence = "Run discovery first.";
export const mapTheFieldsFirst = "Map the fields first.";
export const continueLabel = "Continue";
export const back = "Back";
export const ctrlEnter = "Ctrl+Enter";
export const savingEllipsis = "Saving…";
export const notAvailableYet = "Not available yet";
export const goToWords = (words: ReactNode) => rich`Go to ${words}`;

// mapping.tsx
export const aFieldWithoutAMappingKeeps = "A field without a mapping keeps the value of the connector.";
export const resultPending = "Result …";
export const fieldsIgnored = (todo: Count) => `${plural(todo, { one: "# field", other: "# fields" })} ignored`;
export const undo = "Undo";
export const mappedMappedTodoOpenIgnoredIgnored = (mapped: ReactNode, todo: ReactNode, ignored: ReactNode) =>
  rich`${mapped} mapped · ${todo} open · ${ignored} ignored`;
export const onlyOpenFields = "Only open fields";
export const ignoreOpenFields = "Ignore open fields";
export const kindsOfRecords = "Kinds of records";
export const noOpenFields = "No open fields";
export const noFieldsOfThisKind = "No fields of this kind";
export const fieldsOfKindWords = (kindWords: Insert) => `Fields of ${kindWords}`;
export const sourceField = "Source field";
export const mappedTo = "Mapped to";
export const foundBy = "Found by";
export const transformPython = "Transform (Python)";
export const ignore = "Ignore";
export const availableFunctions = "Available functions";
export const customFieldsAreNamedCodeA = (code: ReactNode, code2: ReactNode, code3: ReactNode, code4: ReactNode, link: ReactNode) =>
  rich`Custom fields are named ${code}. A transform is one Python expression of ${code2} and ${code3}, such as ${code4}. ${link}`;
export const changedElsewhere = "Changed elsewhere";
export const identityField = "Identity field";
export const accountField = "Account field";
export const entitlementField = "Entitlement field";
export const grantField = "Grant field";
export const mappedMapped = (mapped: Insert) => `${mapped} mapped`;
export const todoOpen = (todo: Insert) => `${todo} open`;
export const notSavedYet = "Not saved yet…";
export const notSavedSeeAbove = "Not saved: see above.";
export const notSavedSomeoneElseHasChanged = "Not saved: someone else has changed the mappings.";
export const result = "Result";
export const resultOnRecordAtOfOf = (at: Insert, ofValue: ReactNode) => rich`Result on record ${at} of ${ofValue}`;
export const previousRecord = "Previous record";
export const nextRecord = "Next record";
export const someoneElseHasChangedTheMappings = "Someone else has changed the mappings. Your later decisions are not saved.";
export const reload = "Reload";
export const countOfCountOfDetail = (count: Insert, countOf: ReactNode, detail: ReactNode) => rich`${count} of ${countOf} ${detail}`;

// maprow.tsx
export const anotherFieldIsAlreadyMappedTo = (target: Insert) => `Another field is already mapped to ${target}. Ignore one of them.`;
export const notShown = "not shown";
export const ignoredLower = "ignored";
export const notMappedLower = "not mapped";
export const selectOrType = "Select or type";
export const targetFieldOfName = (name: Insert) => `Target field of ${name}`;
export const ignored = "Ignored";
export const notMapped = "Not mapped";
export const noMatch = "No match";
export const alsoMappedToAlso = (also: Insert) => `Also mapped to ${also}`;
export const value = "value";
export const transformOfNameInPython = (name: Insert) => `Transform of ${name}, in Python`;
export const resultOfName = (name: Insert) => `Result of ${name}`;
export const ignoreName = (name: Insert) => `Ignore ${name}`;

// page.tsx
export const stepsOfTheSetup = "Steps of the setup";
export const connectors = "Connectors";
export const linkStepAtOf5Type = (link: ReactNode, at: Insert, typeValue: ReactNode, name: ReactNode) =>
  rich`${link} · Step ${at} of 5 · ${typeValue} · ${name}`;
export const discard = "Discard";
export const discardName = (name: Insert) => `Discard ${name}?`;
export const theConnectorAndItsCredentialsAre = "The connector and its credentials are deleted. The system is not changed.";
export const nameDiscarded = (name: Insert) => `${name} discarded`;

// probe.tsx
export const connectionTest = "Connection test";
export const waitingForTheNextResponse = "Waiting for the next response…";
export const testConnection = "Test connection";
export const itsHost = "its host";
export const durationMsMsByTheAgent = (durationMs: ReactNode, hostname: Insert) => rich`${durationMs} ms, by the agent on ${hostname}`;
export const durationMsMs = (durationMs: ReactNode) => rich`${durationMs} ms`;
export const testing = "Testing";
export const changedAfterTheTest = "Changed after the test";
export const notTested = "Not tested";
export const passed = "Passed";
export const failed = "Failed";
export const missingMissingText = (missing: Insert) => `Missing: ${missing}.`;
export const settingsHaveChangedSinceTheLast = "Settings have changed since the last test. Test again to continue.";
export const showsEachCheckWithTheResponse = "Shows each check with the response of the target.";
export const testedAtInDurationMsMs = (at: ReactNode, durationMs: ReactNode) =>
  rich`Tested ${at}, in ${durationMs} ms. Test again to see the checks.`;
export const responseOfTheTarget = "Response of the target";
export const passedLower = "passed";
export const failedLower = "failed";
export const msMs = (ms: ReactNode) => rich`${ms} ms`;
export const responseOfTheTargetCheckName = (checkName: Insert) => `Response of the target: ${checkName}`;
export const response = "Response";

// probetext.ts
export const certificateOf = (subject: Insert) => `certificate: ${subject}`;
export const searchLabel = "Search";
export const resolveTheHostName = "Resolve the host name";
export const connect = "Connect";
export const tlsHandshake = "TLS handshake";
export const starttls = "StartTLS";
export const getAToken = "Get a token";
export const requestTheFirstPage = "Request the first page";
export const requestTheCapabilities = "Request the capabilities";
export const requestOneUserInstead = "Request one user instead";
export const requestOneUser = "Request one user";
export const anonymousBind = "Anonymous bind";
export const anonymousPagedSearch1Result = "Anonymous paged search, 1 result";
export const bind = "Bind";
export const pagedSearch1Result = "Paged search, 1 result";
export const readTheRootEntry = "Read the root entry";
export const requestTheManifest = "Request the manifest";
export const connectorTest = "Connector test";
export const contactTheAgent = "Contact the agent";
export const ldapResultCodeResultCodeName = (resultCode: Insert, name: Insert) => `LDAP result code ${resultCode} (${name})`;
export const activeDirectoryCodeAdSubcode = (adSubcode: Insert) => `Active Directory code ${adSubcode}`;
export const matchedDnMatchedDn = (matchedDn: Insert) => `matched DN: ${matchedDn}`;
export const httpStatusReason = (status: Insert, reason: Insert) => `HTTP ${status} ${reason}`;
export const contentTypeContentType = (contentType: Insert) => `Content-Type: ${contentType}`;
export const issuedByIssuer = (issuer: Insert) => `issued by: ${issuer}`;
export const resultCodeResultCodeName = (resultCode: Insert, name: Insert) => `result code ${resultCode} (${name})`;
export const certificateValidUntilNotAfter = (notAfter: Insert) => `certificate valid until ${notAfter}`;

// progress.ts
export const connectingToTheSystem = "Connecting to the system";
export const readingPeople = "Reading people";
export const readingAccounts = "Reading accounts";
export const readingGroupsAndRoles = "Reading groups and roles";
export const readingGrants = "Reading grants";
export const comparingWithStoredData = "Comparing with stored data";
export const saving = "Saving";
export const correlatingAccounts = "Correlating accounts";
export const finishing = "Finishing";
export const waitingForAnAgentToConnect = "Waiting for an agent to connect";
export const theSystemLimitsTheRequestRate = (clock: Insert) => `The system limits the request rate. Waiting until ${clock}`;
export const continuedByAnotherProcess = "Continued by another process";
export const recordsOrValuesRejected = (errors: Count) =>
  `${plural(errors, { one: "# record or value", other: "# records or values" })} rejected`;
export const membersAreOutsideTheSearchBase = (loose: Count) =>
  `${plural(loose, { one: "# member is", other: "# members are" })} outside the search base`;
export const completedWithRejectedRecords = "Completed with rejected records";
export const completedStatus = (status: Insert) => `Completed: ${status}`;
export const cancelled = "Cancelled";
export const waitingForADecision = "Waiting for a decision";

// reach.tsx
export const connectionMethod = "Connection method";
export const directly = "Directly";
export const throughAnAgent = "Through an agent";
export const forSystemsThatAreReachableFrom = "For systems that are reachable from the internet.";
export const forSystemsBehindAFirewallAn = "For systems behind a firewall: an agent in your network connects to them.";
export const searchingForAgents = "Searching for agents…";
export const anyAgentOfTheGroupG = (g: Insert) => `Any agent of the group ${g}`;
export const agent = "Agent";
export const chooseAnAgent = "Choose an agent";
export const noAgentIsOnline = "No agent is online.";
export const registerAnAgent = "Register an agent";
export const registerAnotherAgent = "Register another agent";

// rules.ts
export const oneIsMappedTwice = (one: Insert) => `${one} is mapped twice`;
export const sizeFieldsAreMappedTwice = (size: Insert) => `${size} fields are mapped twice`;
export const fieldsWithErrors = (size: Count) => plural(size, { one: "# field with an error", other: "# fields with errors" });
export const openFields = (todo: Count) => plural(todo, { one: "# open field", other: "# open fields" });
export const exactName = "Exact name";
export const synonym = "Synonym";
export const typeAndShape = "Type and shape";
export const vendorTemplate = "Vendor template";
export const scimEnterprise = "SCIM enterprise";
export const sectorPack = "Sector pack";
export const manual = "Manual";
export const copied = "Copied";

// settingproblems.ts
export const enterThisSecretAgain = "Enter this secret again.";

// sync.tsx
export const theFirstSyncReadsNameIn = (name: ReactNode) =>
  rich`The first sync reads ${name} in full and changes nothing there. Later syncs read only what has changed, if the system supports it.`;
export const openFieldsAreIgnoredInThe = (undecided: Count, link: ReactNode) =>
  rich`${plural(undecided, { one: "# open field is", other: "# open fields are" })} ignored in the sync. ${link}`;
export const runTheFirstSync = "Run the first sync";
export const youCanLeaveThisPageThe = "You can leave this page. The sync continues.";
export const theSyncIsHeld = "The sync is held.";
export const strongItsChangesExceedTheSafety = (strong: ReactNode) =>
  rich`${strong} Its changes exceed the safety limits and need a decision`;
export const theyAreDiscardedHeldUntil = (heldUntil: ReactNode) => rich`. They are discarded ${heldUntil}`;
export const reviewHeldChanges = "Review held changes";
export const nameIsConnected = (name: ReactNode) => rich`${name} is connected`;
export const inParseS = (parse: Insert) => `in ${parse} s`;
export const theConnectionWasLostReconnectingThe = "The connection was lost. Reconnecting. The sync continues.";
export const cancelSync = "Cancel sync";
export const cancelTheFirstSync = "Cancel the first sync?";
export const theSyncStopsYouCanStart = "The sync stops. You can start it again from the beginning at any time.";
export const continueSync = "Continue sync";
export const setASchedule = "Set a schedule";
export const noScheduleYetOnlyManualSyncs = (link: ReactNode) => rich`No schedule yet: only manual syncs. ${link}`;
export const writingIsOffGrantwrightOnlyReads = "Writing is off: Grantwright only reads this system.";
export const writingIsSimulatedNothingIsSent = "Writing is simulated: nothing is sent.";
export const writingIsOnPoliciesRolesAnd = "Writing is on: policies, roles and requests change this system.";
export const changeWriteMode = "Change write mode";
export const matchAccountsToPeople = "Match accounts to people";
export const openTheConnector = "Open the connector";
export const viewSyncedData = "View synced data";
export const createARole = "Create a role";

// throughput.tsx
export const identities = "identities";
export const peopleRead = "People read";
export const accountsLower = "accounts";
export const accountsRead = "Accounts read";
export const entitlements = "entitlements";
export const entitlementsRead = "Entitlements read";
export const grants = "grants";
export const grantsRead = "Grants read";
export const nOfAboutAll = (n: Insert, all: Insert) => `${n} of about ${all}`;
export const throughput = "Throughput";
export const roundRecordsS = (round: Insert) => `${round} records/s`;
export const roundRecordsSOnAverage = (round: Insert) => `${round} records/s on average`;
export const recordsPerSecondOverMaxS = (max: Insert, round: Insert, round2: Insert) =>
  `Records per second over ${max} s: maximum ${round}, average ${round2}.`;
export const shownWhenTheFirstRecordsAre = "Shown when the first records are read.";
export const theSyncEndedBeforeAChart = "The sync ended before a chart could be drawn.";
export const progressMessages = "Progress messages";
export const error = "error";
export const warning = "warning";

// type.tsx
export const typeOfSystem = "Type of system";
export const connectorsFirstStep = "Connectors · Step 1 of 5";
export const selectASystemType = "Select a system type";
export const selectAType = "Select a type";
export const readsPeople = "reads people";
export const readsAccounts = "reads accounts";
export const readsGroupsAndRoles = "reads groups and roles";
export const readsChangesOnly = "reads changes only";
export const createsAndChangesAccounts = "creates and changes accounts";
export const grantsAndRevokesAccess = "grants and revokes access";
export const hasTheCapabilitiesThatYouConfigure = "has the capabilities that you configure";
export const thisConnectorCapabilities = (capabilities: ReactNode) => rich`This connector ${capabilities}.`;
export const copyFromAConnectorOptional = "Copy from a connector (optional)";
export const none = "none";
export const copiesTheSettingsWithoutSecretsYou = "Copies the settings without secrets. You can copy the field mappings in step 4.";
export const aConnectorWithThisNameAlready = "A connector with this name already exists. Choose another name.";
export const notes = "Notes";
export const enterAName = "Enter a name";
export const theNextStepsAreSavedAs = "The next steps are saved as a draft.";

// writing.tsx
export const offOnlyReadTheSystem = "Off: only read the system";
export const simulatePlanChangesSendNothing = "Simulate: plan changes, send nothing";
export const onCreateChangeAndDisableAccounts = "On: create, change and disable accounts and access";
export const writing = "Writing";
export const theFirstSyncOnlyReadsStart =
  "The first sync only reads. Start with Off, check the accounts and their owners, then turn on writing in the connector's settings.";

// settings.ts
export const thisIsNotValidJson = (message: Insert) => `This is not valid JSON: ${message}`;
export const enterAJsonObject = "Enter a JSON object.";
export const enterAJsonListOfObjects = "Enter a JSON list of objects.";
