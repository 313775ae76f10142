import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// actions.tsx
export const deleteLabel = "Delete";
export const immediately = "immediately";
export const forOneHour = "for one hour";
export const forOneDay = "for one day";
export const forSevenDays = "for seven days";
export const sendATestFirstTheWebhook = "Send a test first. The webhook can be enabled after a test is delivered.";
export const webhookEnabled = "Webhook enabled";
export const sending = "Sending…";
export const sendTest = "Send test";
export const enable = "Enable";
export const more = "More";
export const edit = "Edit";
export const replayEvents = "Replay events";
export const rotateSecret = "Rotate secret";
export const disable = "Disable";
export const editName = (name: Insert) => `Edit ${name}`;
export const saved = "Saved";
export const rotateSecretQuestion = "Rotate secret?";
export const aNewSecretIsCreatedAnd =
  "A new secret is created and shown once. During the overlap, both secrets sign, so that you can update the receiver.";
export const createNewSecret = "Create new secret";
export const overlap = "Overlap";
export const previousSecretSignsT = (t: Insert) => `previous secret signs ${t}`;
export const disableName = (name: Insert) => `Disable ${name}?`;
export const noEventsAreSentEventsThat = "No events are sent. Events in the meantime are recorded as skipped and can be replayed.";
export const deleteName = (name: Insert) => `Delete ${name}?`;
export const itsSecretAndItsDeliveriesAre = "Its secret and its deliveries are deleted.";
export const webhookDeleted = "Webhook deleted.";
export const testDelivered = "Test delivered";
export const testFailed = "Test failed";
export const httpStatus = (status: Insert) => `HTTP ${status}`;
export const noResponse = "No response";
export const valueInLatencyMsMsError = (value: ReactNode, latencyMs: ReactNode, error: Insert) =>
  rich`${value} in ${latencyMs} ms: ${error}`;
export const valueInLatencyMsMs = (value: ReactNode, latencyMs: ReactNode) => rich`${value} in ${latencyMs} ms`;
export const responseOfTheReceiver = "Response of the receiver";
export const close = "Close";

// deliveries.tsx
export const eventLower = "event";
export const redelivery = "redelivery";
export const replay = "replay";
export const test = "test";
export const event = "Event";
export const state = "State";
export const kind = "Kind";
export const attempts = "Attempts";
export const attemptOfFive = (attempt: Insert) => `${attempt} of 5`;
export const lastResponse = "Last response";
export const httpLastStatus = (lastStatus: Insert) => `HTTP ${lastStatus}`;
export const time = "Time";
export const nextAttempt = "Next attempt";
export const deliveries = "Deliveries";
export const noDeliveriesYet = "No deliveries yet";
export const sendATestToCheckThe = "Send a test to check the address. Events are delivered as they occur.";
export const delivery = "Delivery";
export const waiting = "waiting";
export const eventTime = "Event time";
export const ended = "Ended";
export const resourceSequence = "Resource sequence";
export const resource = "Resource";
export const attemptN = (n: Insert) => `Attempt ${n}`;
export const attemptNHttpStatus = (n: ReactNode, status: Insert) => rich`Attempt ${n}: HTTP ${status}`;
export const attemptNNoResponse = (n: ReactNode) => rich`Attempt ${n}: no response`;
export const atLatencyMsMs = (at: ReactNode, latencyMs: ReactNode) => rich`${at}, ${latencyMs} ms`;
export const requestOfAttemptN = (n: Insert) => `Request of attempt ${n}`;
export const postUrl = (url: Insert) => `POST ${url}`;
export const bodyHash = (bodySha256: Insert) => `body sha256: ${bodySha256}`;
export const responseToAttemptN = (n: Insert) => `Response to attempt ${n}`;
export const earlierStartsOfThisAttemptWith = (repeated: Count) =>
  `${plural(repeated, { one: "# earlier start", other: "# earlier starts" })} of this attempt with unknown outcome.`;
export const notSentTheWebhookWasDisabled = "Not sent: the webhook was disabled.";
export const noAttemptsYetSentence = "No attempts yet.";
export const redeliveryOfRedeliveryOf = (redeliveryOf: ReactNode) => rich`Redelivery of ${redeliveryOf}`;

// edit.tsx
export const save = "Save";
export const create = "Create";
export const name = "Name";
export const address = "Address";
export const anHttpsAddressItMustBe = "An https address. It must be public, unless the service operator allows others.";
export const filterHeadersAndOrder = "Filter, headers and order";
export const customHeaders = "Custom headers";
export const xKey = "X-Key: …";
export const setHeaderNamesValuesAreNot = (headerNames: Insert) =>
  `Set: ${headerNames}. Values are not shown. A header with the same name replaces it; “Name:” without a value removes it.`;
export const onePerLineValuesAreNot = "One per line. Values are not shown again.";
export const rateLimitPerSecond = "Rate limit per second";
export const maximumNumberOfDeliveriesThatStart = "Maximum number of deliveries that start per second. Empty: no limit.";
export const keepTheOrderOfEventsPer = "Keep the order of events per resource";
export const aDeliveryWaitsUntilEarlierDeliveries = "A delivery waits until earlier deliveries for the same resource have ended.";
export const theAddressOfAChatServiceIsSecret =
  "Anyone with this address can post to the channel. It is stored encrypted, and not shown again.";
export const events = "Events";
export const onlyIfSelected = "only if selected";

// filter.tsx
export const is = "is";
export const isNot = "is not";
export const isOneOf = "is one of";
export const isNoneOf = "is none of";
export const contains = "contains";
export const startsWith = "starts with";
export const exists = "exists";
export const isMoreThan = "is more than";
export const isLessThan = "is less than";
export const filter = "Filter";
export const match = "Match";
export const allRules = "all rules";
export const anyRule = "any rule";
export const fieldOfData = "Field of data";
export const operator = "Operator";
export const value = "Value";
export const aB = "a, b";
export const trueOrFalse = "true or false";
export const removeRuleI = (i: Insert) => `Remove rule ${i}`;
export const addRule = "Add rule";

// page.tsx
export const webhook = "Webhook";
export const lastDelivered = "Last delivered";
export const reason = "Reason";
export const webhooks = "Webhooks";
export const addressesThatReceiveSignedEventsFailed = "Addresses that receive signed events. Failed deliveries are retried.";
export const createWebhook = "Create webhook";
export const enabled = "enabled";
export const disabled = "disabled";
export const noWebhooksYet = "No webhooks yet";
export const aWebhookNotifiesAnotherSystemFor =
  "A webhook notifies another system, for example when people join or leave, or when access requests are decided.";
export const nextSendATestEventThe = "Next, send a test event. The page of the webhook shows the response of the receiver.";

// redeliver.tsx
export const redeliveryStarted = "Redelivery started";
export const redeliver = "Redeliver";

// replay.tsx
export const eventsAreBeingReplayed = (count: Count) => `${plural(count, { one: "# event is", other: "# events are" })} being replayed`;
export const eventsOfTheLast30Days =
  "Events of the last 30 days are sent again with their original IDs, so that receivers can ignore duplicates.";
export const replayEventsText = (known: Count) => `Replay ${plural(known, { one: "# event", other: "# events" })}`;
export const countEvents = "Count events";
export const from = "From";
export const to = "To";
export const undeliveredEventsOnly = "Undelivered events only";
export const noEventsInThisPeriod = "No events in this period.";
export const eventsWouldBeReplayed = (known: Count) => `${plural(known, { one: "# event", other: "# events" })} would be replayed.`;

// secret.tsx
export const copyTheSecretNow = "Copy the secret now";
export const receiversVerifySignaturesWithItStandard = "Receivers verify signatures with it (Standard Webhooks). It is not shown again.";
export const copyTheSecret = "Copy the secret";
export const done = "Done";

// timeline.tsx
export const attemptNAfterSpanHttpStatus = (n: Insert, span: Insert, status: Insert) => `attempt ${n} after ${span}: HTTP ${status}`;
export const attemptNAfterSpanNoResponse = (n: Insert, span: Insert) => `attempt ${n} after ${span}: no response`;
export const noAttemptsYet = "No attempts yet";
export const countOf5AttemptsInSix = (count: Insert, said: Insert, count2: Insert) =>
  `${count} of 5 attempts in six hours. ${said}. At most ${count2} more.`;
export const countOf5AttemptsInSixLower = (count: Insert, said: Insert) => `${count} of 5 attempts in six hours. ${said}.`;
export const attemptNStartsBetweenSpanAnd = (n: Insert, span: Insert, span2: Insert) =>
  `Attempt ${n} starts between ${span} and ${span2} after the first`;
export const attemptNSpanAfterTheFirst = (n: Insert, span: Insert, status: Insert) =>
  `Attempt ${n}, ${span} after the first: HTTP ${status}`;
export const attemptNSpanAfterTheFirstText = (n: Insert, span: Insert) => `Attempt ${n}, ${span} after the first: no response`;

// webhook.tsx
export const filterAllOfTheseRules = "Filter: all of these rules:";
export const filterAnyOfTheseRules = "Filter: any of these rules:";
export const lastFailure = "Last failure";
export const consecutiveFailures = "Consecutive failures";
export const failedDeliveriesSinceTheLastSuccess = "Failed deliveries since the last success";
export const secrets = "Secrets";
export const format = "Format";
export const formats = {
  standard: "Standard",
  cloudevents: "CloudEvents 1.0",
  teams: "Microsoft Teams",
  slack: "Slack",
};
export const order = "Order";
export const keptPerResource = "kept per resource";
export const rateLimit = "Rate limit";
export const maxRpsPerSecond = (maxRps: Insert) => `${maxRps} per second`;
export const created = "Created";
export const id = "ID";
export const oneActive = "one, active";
export const oneActiveThePreviousOneAlso = (expiresAt: ReactNode) => rich`one active; the previous one also signs until ${expiresAt}`;

// words.ts
export const repeatedFailures = "repeated failures";
export const disabledByTheServiceReasonSend = (reason: Insert) =>
  `Disabled by the service: ${reason}. Send a test. After it is delivered, you can enable the webhook.`;
export const disabledByAnAdministrator = "Disabled by an administrator.";
export const failingOneAtATime = (failures: Count) =>
  plural(failures, {
    one: "# consecutive failure. One delivery at a time is attempted.",
    other: "# consecutive failures. One delivery at a time is attempted.",
  });
export const roundMin = (round: Insert) => `${round} min`;
