import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// checkpoints.tsx
export const checkpointsAndKeys = "Checkpoints and keys";
export const checkpointsAreSignaturesOverTheLog =
  "Checkpoints are signatures over the log. Store the public key outside the server to verify exports independently.";
export const theLastCountOfCheckpoints = (count: Insert, total: Count) =>
  `The last ${count} of ${plural(total, { one: "# checkpoint", other: "# checkpoints" })}`;
export const noCheckpointsYetTheFirstOne = "No checkpoints yet. The first one is signed within five minutes.";
export const checkpoints = "Checkpoints";
export const upToEntry = "Up to entry";
export const signed = "Signed";
export const note = "Note";
export const signedText = "Signed text";
export const checkpointSeq = (seq: Insert) => `Checkpoint ${seq}`;
export const keys = "Keys";
export const signs = "signs";
export const verificationOnly = "verification only";
export const downloadAsPem = "Download as PEM";
export const fingerprintFingerprint = (fingerprint: ReactNode) => rich`Fingerprint ${fingerprint}`;

// entries.tsx
export const entriesNewestFirst = "Entries, newest first";
export const time = "Time";
export const action = "Action";
export const actor = "Actor";
export const subject = "Subject";
export const outcome = "Outcome";

// entry.tsx
export const entry = "Entry";
export const role = "Role";
export const onBehalfOf = "On behalf of";
export const from = "From";
export const client = "Client";
export const reason = "Reason";
export const numberLabel = "Number";
export const doneByAServiceOperatorBecause = (reason: Insert) => `Done by a service operator from another tenant: ${reason}.`;
export const doneByAServiceOperator = "Done by a service operator from another tenant.";
export const affectedObjects = "Affected objects";
export const changes = "Changes";
export const thisEntryRecordsNoFieldChanges = "This entry records no field changes.";
export const allEntriesByThisActor = "All entries by this actor";
export const allEntriesAboutThisSubject = "All entries about this subject";
export const sameRequest = "Same request";
export const requestRequest = (request: ReactNode) => rich`Request ${request}`;
export const rawEntry = "Raw entry";
export const entryAsJson = "Entry as JSON";
export const theService = "the service";

// facets.tsx
export const allOf = (domain: Insert) => `${domain}: all`;
export const view = "View";
export const category = "Category";
export const done = "done";
export const failed = "failed";
export const denied = "denied";
export const people = "people";
export const integrations = "integrations";
export const agents = "agents";
export const to = "To";
export const entriesLower = "entries";
export const by = "by";
export const about = "about";
export const ofTheRequest = "of the request";
export const removeFilterWordsValue = (words: Insert, value: Insert) => `Remove filter: ${words} ${value}`;

// page.tsx
export const auditLog = "Audit log";
export const whoDidWhatWhenFromWhere = "Who did what, when, from where, and with what outcome. Entries cannot be changed.";
export const retentionAndStreams = "Retention and streams";
export const noResultsMatchTheseFilters = "No results match these filters";
export const theLogIsEmpty = "The log is empty";
export const clearFilters = "Clear filters";
export const countOfTotal = (count: Insert, total: Insert) => `${count} of ${total}`;
export const loading = "Loading…";
export const showOlderEntries = "Show older entries";
export const exportCompletedTheExportIsRecorded = "Export completed. The export is recorded in the audit log.";
export const exporting = "Exporting…";
export const exportLabel = "Export";
export const filteredEntriesAsCsv = "Filtered entries as CSV";
export const filteredEntriesAsOcsf = "Filtered entries as OCSF";
export const wholePeriodAsVerifiableJsonLines = "Whole period as verifiable JSON lines";

// retention.tsx
export const auditRetentionAndStreams = "Audit retention and streams";
export const howLongTheAuditLogIs = "How long the audit log is kept, and where entries are streamed.";
export const settings = "Settings";
export const streams = "Streams";
export const entriesAreSentInOrderAt = "Entries are sent in order, at least once each, with their hashes, so receivers can verify them.";
export const addAStream = "Add a stream";
export const noStreamsYet = "No streams yet";
export const sendEntriesToYourSiemAn = "Send entries to your SIEM: an HTTPS collector or syslog.";
export const editStream = "Edit stream";
export const retention = "Retention";
export const entriesOlderThanTheRetentionPeriod =
  "Entries older than the retention period are deleted up to a signed checkpoint. The rest of the log stays verifiable.";
export const saved = "Saved";
export const save = "Save";
export const retentionInDays = "Retention in days";
export const testing = "Testing…";
export const test = "Test";
export const edit = "Edit";
export const disable = "Disable";
export const enable = "Enable";
export const deleteLabel = "Delete";
export const deliveredInDurationMsMs = (durationMs: Insert) => `Delivered in ${durationMs} ms.`;
export const deliveryFailed = "Delivery failed.";
export const lastErrorNextAttemptNextAttempt = (lastError: ReactNode, nextAttemptAt: ReactNode) =>
  rich`${lastError} Next attempt: ${nextAttemptAt}.`;
export const destination = "Destination";
export const format = "Format";
export const lastSent = "Last sent";
export const waiting = "Waiting";
export const dropped = "Dropped";
export const deleteTheStreamName = (name: Insert) => `Delete the stream ${name}?`;
export const noFurtherEntriesAreSentUndelivered = "No further entries are sent. Undelivered entries are not sent either.";
export const streamDeleted = "Stream deleted";

// streamform.tsx
export const https = "HTTPS";
export const syslogWithRfc = "Syslog (RFC 5424)";
export const jsonLinesWithHashes = "JSON lines, with hashes";
export const ocsf = "OCSF";
export const newEntriesOnly = "new entries only";
export const allEntriesFromTheFirst = "all entries, from the first";
export const add = "Add";
export const name = "Name";
export const protocol = "Protocol";
export const address = "Address";
export const entries = "Entries";
export const secretHeader = "Secret header";
export const headerValue = "Header value";
export const certificateAuthorityPem = "Certificate authority (PEM)";
export const aCertificateIsSetPasteAnother = "A certificate is set. Paste another one to replace it.";
export const requiredIfTheCertificateIsNot = "Required if the certificate is not signed by a public authority.";

// verifychain.tsx
export const integrityOfTheLog = "Integrity of the log";
export const stop = "Stop";
export const verifyIntegrity = "Verify integrity";
export const theLogWasAltered = "The log was altered.";
export const strongBreakWordsFirstAffectedEntry = (strong: ReactNode, breakWords: ReactNode, n: ReactNode, detail: ReactNode) =>
  rich`${strong} ${breakWords} First affected entry: ${n}: ${detail}. Do not rely on later entries. Save this result and send it to the service operator.`;
export const nOfN2EntriesVerified = (n: ReactNode, n2: ReactNode) => rich`${n} of ${n2} entries verified.`;
export const nOfN2EntriesVerifiedThe = (n: ReactNode, n2: ReactNode) => rich`${n} of ${n2} entries verified; the check was stopped.`;
export const progress = "Progress";
export const checked = "checked";
export const notVerifiedYet = "not verified yet";
export const theLogIsIntact = "The log is intact.";
export const strongAllNEntriesUpTo = (strong: ReactNode, n: ReactNode, n2: ReactNode, hash: ReactNode) =>
  rich`${strong} All ${n} entries up to number ${n2} are complete and unchanged, and match the signed checkpoint. Hash of the last entry: ${hash}`;
export const strongAllNEntriesUpToLower = (strong: ReactNode, n: ReactNode, n2: ReactNode, n3: Insert, hash: ReactNode) =>
  rich`${strong} All ${n} entries up to number ${n2} are complete and unchanged, and match all ${n3} signed checkpoints. Hash of the last entry: ${hash}`;

// words.ts
export const anEntryIsMissingOrOut = "An entry is missing or out of order.";
export const anEntryWasChanged = "An entry was changed.";
export const anEntryDoesNotLinkTo = "An entry does not link to the previous one.";
export const anEntryBelongsToAnotherTenant = "An entry belongs to another tenant.";
export const anEntryIsUnreadable = "An entry is unreadable.";
export const aSignedCheckpointHasADifferent = "A signed checkpoint has a different hash.";
export const aSignedCheckpointCoversMoreEntries =
  "A signed checkpoint covers more entries than the log has. The end of the log is missing.";
export const aCheckpointIsNotSignedBy = "A checkpoint is not signed by a trusted key.";
