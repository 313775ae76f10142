import { type Count, plural } from "../format";

// page.tsx
export const decisionTables = "Decision tables";
export const decisionTablesLead = "Tables that assign roles and entitlements by fields of a person. Each row is checked against everyone.";
export const importTable = "Import";
export const newTable = "New table";
export const table = "Table";
export const state = "State";
export const rows = "Rows";
export const columns = "Columns";
export const people = "People";
export const changed = "Changed";
export const all = "All";
export const active = "Active";
export const dryRun = "Dry run";
export const stopped = "Stopped";
export const namesAndDescriptions = "Names and descriptions";
export const noTablesYet = "No decision tables yet";
export const noTablesYetWords = "Import a CSV file, or create a table. It changes nothing until you activate it.";

// new.tsx
export const newDecisionTable = "New decision table";
export const newLead = "The table starts as a dry run: it is evaluated and changes nothing until you activate it.";
export const name = "Name";
export const description = "Description";
export const fields = "Fields";
export const fieldsHint =
  "Fields of a person that the columns compare, separated by commas, such as department, location, attributes.site.";
export const create = "Create";
export const nameCreatedAsADryRun = (of: string) => `${of} created as a dry run`;
export const firstRowLead = "Every row needs a result. This is the first one, for everyone. You can change it afterwards.";

// hit policies
export const hitPolicy = "A person who matches several rows gets";
export const hitPolicies: Record<"all" | "first", string> = {
  all: "the access of all of these rows",
  first: "the access of the first of these rows",
};

// table.tsx
export const policySettings = "Policy settings";
export const simulate = "Simulate";
export const exportCsv = "Export";
export const isDryRun = "Dry run. The table is evaluated and changes nothing until you activate it.";

// grid.tsx
export const tableRows = "Rows of the table";
export const gridLead =
  "A cell is * for any value, a value, a prefix such as Be*, or a list such as Nursing|Surgery. Enter moves to the next row.";
export const row = "Row";
export const access = "Access";
export const comment = "Comment";
export const finding = "Finding";
export const actions = "Actions";
export const cellOfRow = (column: string, n: number) => `${column}, row ${n}`;
export const commentOfRow = (n: number) => `Comment, row ${n}`;
export const editAccessOfRow = (n: number) => `Edit access of row ${n}`;
export const actionsOfRow = (n: number) => `Actions of row ${n}`;
export const noAccess = "nothing";
export const moveUp = "Move up";
export const moveDown = "Move down";
export const duplicate = "Duplicate";
export const removeRow = "Remove";
export const addRow = "Add row";
export const addColumn = "Add column";
export const fieldOfTheColumn = "Field";
export const removeColumn = (column: string) => `Remove the column ${column}`;
export const save = "Save";
export const saving = "Saving…";
export const saveAnyway = "Save anyway";
export const discard = "Discard changes";
export const nameSaved = (of: string) => `${of} saved`;
export const accessOfRow = (n: number) => `Access of row ${n}`;
export const roles = "Roles";
export const entitlements = "Entitlements";
export const done = "Done";
export const rowsFromTo = (from: number, to: number, of: Count) => `Rows ${from} to ${to} of ${of}`;
export const previous = "Previous";
export const next = "Next";

// findings.tsx
export const check = "Check";
export const checkAgain = "Check again";
export const checking = "Checking everyone…";
export const findings = "Findings";
export const findingsLead = "The rows compared with each other and with everyone, as they are in the form.";
export const changedSince = "The table has changed since this check.";
export const peopleChecked = "People";
export const matchARow = "Match a row";
export const matchNoRow = "Match no row";
export const matchRowsThatDiffer = "Match rows that differ";
export const used = (n: Count) => plural(n, { one: "# person", other: "# people" });
export const unmatched = "no person matches";
export const overridden = (n: Count) => plural(n, { one: "earlier rows apply to # person", other: "earlier rows apply to all # people" });
export const shadowedBy = (n: number) => `no effect because of row ${n}`;
export const missingRows = "People who match no row";
export const missingRowsLead = "By their values, most people first.";
export const addThisRow = "Add row";
export const addARowFor = (values: string) => `Add a row for ${values}`;
export const andMore = (n: Count) => plural(n, { one: "and # more", other: "and # more" });
export const contradictions = "Rows that differ for the same people";
export const contradictionsAll = "These people get the access of both rows.";
export const contradictionsFirst = "These people get the access of the earlier row.";
export const otherRow = "Other row";
export const unknownValues = "Values that no person has";
export const column = "Column";
export const value = "Value";
export const similarValues = "Similar values";
export const unknownResults = "Access that cannot be assigned";
export const problem = "Problem";
export const nothingFound = "Nothing was found.";

// import.tsx
export const importTitle = "Import a decision table";
export const importLead = "Preview the changes, then apply all of them. A new table starts as a dry run.";
export const into = "Table to replace";
export const intoHint = "Leave this empty to create a table.";
export const file = "CSV file";
export const fileHint = "A column for each field, and the columns roles, entitlements and comment.";
export const fileTooLarge = "The file is larger than 4 MiB.";
export const sameAsNow = "as now";
export const preview = "Preview changes";
export const previewAgain = "Preview again";
export const readingTheFile = "Reading the file…";
export const applying = "Applying…";
export const apply = "Apply";
export const importIsDone = "The table was imported.";
export const openTheTable = "Open the table";
export const problems = (n: Count) => plural(n, { one: "# problem", other: "# problems" });
export const line = "Line";
export const changes = "Changes";
export const noChanges = "The table is as in the file already.";
export const reordered = "Rows change their order.";
export const change = "Change";
export const cells = "Cells";
export const counts = (added: Count, changed: Count, removed: Count, unchanged: Count) =>
  `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
export const actionsOfImport: Record<"added" | "changed" | "removed", string> = { added: "added", changed: "changed", removed: "removed" };
export const impact = "Impact";
export const impactLead = "The table is active: these people gain or lose access when you apply the file.";
