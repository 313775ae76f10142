import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// csv.tsx
export const theFileContainsTheFirstCount = (count: Insert, whole: Insert) =>
  `The file contains the first ${count} of ${whole} rows. Filter the list to export the rest.`;
export const exportTheFilteredListAsCsv = "Export the filtered list as CSV";
export const csv = "CSV";
export const readRowsStop = (read: ReactNode) => rich`${read} rows, stop`;

// dialog.tsx
export const close = "Close";
export const cancel = "Cancel";
export const saving = "Saving…";

// diff.tsx
export const noChanges = "No changes.";
export const changedValuesAreNotShown = "changed; values are not shown";

// dryrun.tsx
export const previewOfTheChanges = "Preview of the changes";

// duration.ts
export const durations = {
  week: (n: Count) => plural(n, { one: "# week", other: "# weeks" }),
  day: (n: Count) => plural(n, { one: "# day", other: "# days" }),
  hour: (n: Count) => plural(n, { one: "# hour", other: "# hours" }),
  minute: (n: Count) => plural(n, { one: "# minute", other: "# minutes" }),
  second: (n: Count) => plural(n, { one: "# second", other: "# seconds" }),
};
export const noDuration = "none";
/** "1 day and 12 hours" of their parts. */
export const durationList = (parts: string[]) =>
  parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : (parts[0] ?? "");

// durationfield.tsx
export const unitOf = (label: Insert) => `${label}: unit`;
export const durationUnits = { week: "weeks", day: "days", hour: "hours", minute: "minutes", second: "seconds" };
export const ifEmptyNone = (none: Insert) => `If empty: ${none}.`;

// editconflict.tsx
export const someoneElseHasChangedThisReload = "Someone else has changed this. Reload to see the current values. Your input is kept.";
export const reload = "Reload";

// elements.tsx
export const copy = "Copy";
export const theBrowserBlockedCopyingSelectThe = "The browser blocked copying. Select the text instead.";
export const copyId = "Copy ID";

// filters.tsx
export const moreFilters = "More filters";
export const filters = "Filters";
export const any = "Any";
export const searchWhat = (what: ReactNode) => rich`Search ${what}`;
export const searchWhatText = (what: Insert) => `Search ${what}`;

// kit.tsx
export const notFoundOrNotVisibleTo = "Not found, or not visible to you";
export const notVisibleToYou = "Not visible to you";
export const requestFailed = "Request failed";
export const requestRequest = (request: ReactNode) => rich`Request ${request}`;
export const tryAgain = "Try again";
export const loading = "Loading…";

// list.tsx
export const selection = "Selection";
export const sizeSelected = (size: ReactNode) => rich`${size} selected`;
export const clear = "Clear";
export const noResultsMatchTheseFilters = "No results match these filters";
export const backToToday = "Back to today";
export const clearFilters = "Clear filters";
export const results = "Results";

// notvisible.tsx
export const myAccess = "My access";
export const whatYourOwnAccessIsOn = (what: ReactNode, link: ReactNode) => rich`${what} Your own access is on the page ${link}.`;

// pick.tsx
export const typeToSearch = "Type to search";
export const clearLabel = (label: Insert) => `Clear ${label}`;
export const choicesLabel = (label: Insert) => `Choices: ${label}`;
export const typeAtLeastLettersLettersOf = (letters: Insert) => `Type at least ${letters} letters of the name.`;
export const searching = "Searching…";
export const noResults = "No results.";
export const theSearchFailedTypeAgainTo = "The search failed. Type again to retry.";
export const tooManyResultsTypeMoreOf = "Too many results. Type more of the name.";
export const thereAreMoreResultsTypeMore = "There are more results. Type more of the name.";
export const firstShownOfTotalTypeTo = (shown: Insert, total: Insert) => `First ${shown} of ${total}. Type to filter.`;
export const noEligiblePersonHasThisName = "No eligible person has this name.";

// personfilter.tsx
export const unknownPerson = "Unknown person";

// problems.tsx
export const fieldsNeedAttention = (fields: Count) =>
  plural(fields, { one: "# field needs attention:", other: "# fields need attention:" });

// problemtext.ts
export const thisRequest = "This request";

// rows.tsx
export const selectRowI = (i: Insert) => `Select row ${i}`;
export const firstToFirst2OfTotal = (first: Insert, first2: Insert, total: Insert) => `${first} to ${first2} of ${total}`;
export const rowsPerPage = "Rows per page";
export const pages = "Pages";
export const previous = "Previous";
export const next = "Next";
export const selectAllOnThisPage = "Select all on this page";
export const actions = "Actions";

// secretfield.tsx
export const isSet = "is set";
export const replace = "Replace";
export const hideValue = "Hide value";
export const showValue = "Show value";

// state.tsx
export const ofValueRisk = (ofValue: Insert) => `${ofValue} risk`;

// systems.tsx
export const system = "System";

// toast.tsx
export const requestRequestText = (request: Insert) => `Request ${request}`;
export const messages = "Messages";
export const closeTheMessage = "Close the message";

// versions.tsx
export const versions = "Versions";
export const versionVersion = (version: ReactNode) => rich`Version ${version}`;
export const hide = "Hide";
export const showAll = "Show all";
export const versionVersionText = (version: Insert) => `Version ${version}`;

// views.tsx
export const viewsLabel = (label: Insert) => `Views: ${label}`;
export const views = "Views";
export const deleteTheViewName = (name: Insert) => `Delete the view ${name}`;
export const saveThisView = "Save this view";
export const theViewIsListedAboveThis = "The view is listed above this table, in this browser only.";
export const save = "Save";
export const name = "Name";
