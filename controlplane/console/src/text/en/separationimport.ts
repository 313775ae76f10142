import type { ReactNode } from "react";
import { type Count, conjunction, type Insert, plural, rich } from "../format";

// exchange.tsx
export const exportLabel = "Export";
export const importLabel = "Import";
export const exportFormats: Record<string, string> = {
  yaml: "YAML",
  csv: "CSV tables (ZIP)",
  "sap-grc-txt": "SAP GRC text files (ZIP)",
  "sap-grc-xml": "SAP GRC XML",
};
export const leftOutOfTheText = "The file left-out.txt in the archive lists what the SAP layout cannot express.";
export const leftOutOfTheXml = "A comment in the file lists what the SAP layout cannot express.";

// import.tsx
export const importTitle = "Import duties and policies";
export const importLead =
  "Import YAML, CSV or a rule set of SAP GRC Access Control. Preview the changes, then apply all of them. New policies are drafts, and existing policies keep their mode.";
export const separationOfDuties = "Separation of duties";
export const filesAndOptions = "Files and options";
export const files = "Files";
export const filesHint = "One or more files of one format, or ZIP archives of them.";
export const filesChosen = (names: string[]) => conjunction(names);
export const filesChosenAndMore = (names: string[], more: Count) =>
  `${names.join(", ")} ${plural(more, { one: "and # more", other: "and # more" })}`;
export const filesTooLarge = "The files have more than 7 MiB together. Put them into a ZIP archive, or import them in parts.";
export const format = "Format";
export const formats: Record<string, string> = {
  auto: "by the names of the files",
  yaml: "YAML",
  csv: "CSV",
  "sap-grc-txt": "SAP GRC text files",
  "sap-grc-xml": "SAP GRC XML",
};
export const formatIs = (name: Insert) => `The names say ${name}.`;
export const previewChanges = "Preview changes";
export const previewAgain = "Preview again";
export const readingTheFiles = "Reading the files…";
export const applyChanges = (n: Count) => plural(n, { one: "Apply # change", other: "Apply # changes" });
export const applying = "Applying…";
export const noChanges = "The files change nothing.";
export const changesApplied = (n: Count) => plural(n, { one: "# change was applied.", other: "# changes were applied." });
export const importIsDone = (n: Count, drafts: ReactNode) =>
  rich`${plural(n, { one: "# change was applied.", other: "# changes were applied." })} New policies are ${drafts}: simulate them, then set their mode.`;
export const draftsLower = "drafts";

// importoptions.tsx
export const sapRuleSet = "SAP rule set";
export const connectorOfMembers = "Connector";
export const connectorOfMembersHint = "The system whose access the actions and permissions are.";
export const permissions = "Permissions";
export const permissionsHint = "Ignore them if no connector reads permissions: the duties would be blind.";
export const permissionUses: Record<string, string> = { groups: "groups of the duty", ignore: "ignore them" };
export const ruleSet = "Rule set";
export const ruleSetHint = "Only risks of this rule set. Empty: all risks.";
export const language = "Language";
export const languageHint = "Of the descriptions. Empty: EN.";
export const system = "System";
export const systemHint = "As the files name it.";
export const connectorOfSystem = (n: Insert) => `Connector of system ${n}`;
export const addSystem = "Add a system";
export const removeSystem = (name: Insert) => `Remove system ${name}`;
export const systemsLead = "If the rule set is for several systems, name the connector of each.";

// importplan.tsx
export const planOfTheImport = "Preview of the import";
export const resultOfTheImport = "Result of the import";
export const nothingIsSavedYet = "Nothing is saved yet. Duties and policies that are not in the files stay as they are.";
export const summary = (duties: Count, policies: Count, read: Count, format: Insert) =>
  `${plural(duties, { one: "# duty", other: "# duties" })} and ${plural(policies, { one: "# policy", other: "# policies" })} in ${plural(read, { one: "# file", other: "# files" })} (${format}).`;
export const unknownFormat = "unknown format";
export const counts = "Counts";
export const duties = "Duties";
export const policies = "Policies";
export const results: Record<string, string> = { created: "new", updated: "changed", unchanged: "unchanged", refused: "refused" };
export const newColumn = "New";
export const changed = "Changed";
export const unchanged = "Unchanged";
export const refused = "Refused";
export const result = "Result";
export const allLower = "all";
export const contents = "Duties and policies";
export const kind = "Kind";
export const kinds: Record<string, string> = { duty: "duty", policy: "policy" };
export const name = "Name";
export const changes = "Changes";
export const place = "Place";
export const placeOf = (file: Insert, line: Insert) => `${file}, line ${line}`;
export const membersNotReadYet = (n: Count) =>
  plural(n, { one: "# member that no sync run has read yet", other: "# members that no sync run has read yet" });
export const firstOfAll = (shown: Count, all: Count) =>
  `${plural(shown, { one: "The first # row", other: "The first # rows" })} of ${plural(all, { one: "#", other: "#" })}. Filter them by result.`;
export const noneWithThisResult = "None with this result.";
export const problems = (n: Count) => plural(n, { one: "# problem", other: "# problems" });
export const problemsLead = "Nothing can be applied until the files are corrected. Correct them, then select them again.";
export const notes = (n: Count) => plural(n, { one: "# note", other: "# notes" });
export const notesLead = "Notes do not prevent the import.";
export const firstListed = (shown: Count) => plural(shown, { one: "The first one is listed.", other: "The first # are listed." });
export const file = "File";
export const line = "Line";
export const field = "Field";
export const fieldNames: Record<string, string> = {
  all_of: "members",
  regulation_refs: "regulations and controls",
  owner_ids: "owners",
  owner_id: "owner",
  n: "number of sides",
  matrix: "pairs that conflict",
  history_window: "time window",
  valid_from: "valid from",
  valid_to: "valid until",
  mitigation_policy_ids: "mitigating controls",
  mitigating_controls: "mitigating controls",
  max_mitigation: "longest mitigation",
  exception_rule: "approval rule of exceptions",
  remediation: "advice",
};
export const problem = "Problem";
export const note = "Note";

// words.ts
export const importedFile = (format: Insert) => `imported file (${format})`;
