import type { Insert } from "../format";

// modes.ts
export const decisionTasks = "Decision tasks";
export const accessRequests = "Access requests";
export const operation = "Operation";
export const smart = "Urgent at once, the others in the digest";
export const immediate = "All at once";
export const digest = "All in the daily digest";
export const off = "Off";
export const hourOfTheDay = (hour: Insert) => `${hour}:00`;

// mine.tsx
export const notifications = "Notifications";
export const messagesAreSentTo = (address: Insert) => `Messages are sent to ${address}.`;
export const thereIsNoAddress = "You have no e-mail address. Nothing is sent.";
export const aMailServerRejectedYourAddress =
  "A mail server rejected your address for good. Nothing is sent to it until an administrator sends a message to it again.";
export const noMailServer = "Your tenant has no mail server. Your choices apply as soon as it has one.";
export const defaultOfYourTenant = (mode: Insert) => `Default: ${mode}`;
export const setByYourAdministrators = "Set by your administrators.";
export const hourOfTheDigest = "Hour of the digest";
export const timeZone = "Time zone";
export const inUse = (value: Insert) => `In use: ${value}`;
export const save = "Save";
export const saved = "Saved.";

// page.tsx
export const theMailServerTheDefaults = "The mail server, the defaults of all people, and the messages that were sent.";

// server.tsx
export const mailServer = "Mail server";
export const sendNotifications = "Send notifications";
export const serverOfTheInstallation = "Server of the installation";
export const ownServer = "Own server";
export const server = "Server";
export const theInstallationHasNone = "The operators configured no server for all tenants.";
export const host = "Host name";
export const port = "Port";
export const encryption = "Encryption";
export const startTls = "STARTTLS";
export const implicitTls = "TLS from the start";
export const none = "None";
export const signIn = "Sign-in";
export const userNameAndPassword = "User name and password";
export const accessToken = "OAuth 2.0 (XOAUTH2)";
export const userName = "User name";
export const password = "Password";
export const clientSecret = "Client secret";
export const tokenEndpoint = "Token endpoint";
export const clientId = "Client ID";
export const scope = "Scope";
export const certificates = "Certificates of the authority";
export const pemOrEmpty = "In PEM form. Leave it empty for authorities that the system trusts.";
export const senderAddress = "Sender address";
export const senderName = "Sender name";
export const replyTo = "Address for replies";
export const ready = "Ready";
export const notReady = "No mail server";
export const lastError = "Last error";
export const lastAcceptedMessage = "Last accepted message";
export const nextAttempt = "Next attempt";
export const state = "State";
export const sendATestMessage = "Send a test message";
export const theServerAcceptedATest = (address: Insert) => `The mail server accepted a test message to ${address}.`;
export const theServerDidNotAccept = (reason: Insert) => `The test message was not accepted: ${reason}.`;
export const replyOfTheMailServer = "Reply of the mail server";

// defaults.tsx
export const defaults = "Defaults";
export const peopleCannotChangeIt = "People cannot change it";
export const quietHoursFrom = "Quiet hours from";
export const quietHoursTo = "Quiet hours to";
export const onlyUrgentMessages = "In the person's time zone. Only urgent messages are sent in them.";
export const weekendsAreQuiet = "Saturdays and Sundays are quiet";
export const inTheTimeZoneOfThePerson = "In the person's time zone.";

// templates.tsx
export const templates = "Templates";
export const peopleReadTheirLanguage =
  "Subjects and texts of single notifications. People read the template of their language, or else the English one.";
export const language = "Language";
export const writtenIn = (languages: Insert) => `Such as de or de-ch. Written so far: ${languages}.`;
export const bodyText = "Text";
export const fieldsAre = (fields: Insert) => `Each line is a paragraph. Fields: ${fields}`;
export const preview = "Preview";
export const resetToDefault = "Reset to default";
export const theDefaultApplies = "The default applies again.";

// deliveries.tsx
export const deliveries = "Sent messages";
export const subject = "Subject";
export const recipient = "Recipient";
export const kind = "Kind";
export const reason = "Reason";
export const attempts = "Attempts";
export const written = "Written";
export const sent = "Sent";
export const message = "Message";
export const textOfTheMessage = "Text of the message";
export const sendAgain = "Send again";
export const theMessageIsQueued = "The message is queued again.";
export const noMessagesYet = "No messages yet";
export const messagesAppearHere = "Messages appear here as soon as there is a mail server and something to tell.";
export const queuedState = "Queued";
export const sendingState = "Sending";
export const sentState = "Sent";
export const deferredState = "Deferred";
export const bouncedState = "Rejected for good";
export const failedState = "Failed";
export const address = "Address";
export const rejectedAndUndecided = "Rejected for good";
export const suppressedState = "Not sent";
