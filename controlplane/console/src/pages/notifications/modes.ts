import * as text from "#text/notifications";

/** The groups of notifications that people can choose for. */
export const groups = [
  ["tasks", text.decisionTasks],
  ["requests", text.accessRequests],
  ["operations", text.operation],
] as const;

export type Group = (typeof groups)[number][0];

/** How a group is received. */
export const modes = [
  ["smart", text.smart],
  ["immediate", text.immediate],
  ["digest", text.digest],
  ["off", text.off],
] as const;

export type Mode = (typeof modes)[number][0];

export const modeName = (of: string) => modes.find(([m]) => m === of)?.[1] ?? of;

export const hours = Array.from({ length: 24 }, (_, h) => [String(h), text.hourOfTheDay(String(h).padStart(2, "0"))] as const);
