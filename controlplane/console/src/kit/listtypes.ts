import type { ReactNode } from "react";
import type { Query } from "../api/client";

/** One column of a list. sort: the API's word for it, where it sorts. text: what the CSV says; a column without it is not in the CSV. */
export type Column<T> = {
  title: string;
  number?: boolean;
  wide?: boolean;
  sort?: string;
  cell: (row: T) => ReactNode;
  text?: (row: T) => string | number | boolean | null | undefined;
  /** Whether the column is there for these rows; it always is without it. The CSV has every column that has text. */
  shown?: (rows: T[]) => boolean;
};

/**
 * One filter of a list: its name in the API, how it is called, and what may be chosen. Without options it is typed; suggest is a path that
 * answers names to choose from. One of the type person is looked for among the people one sees; its value is the person's ID.
 */
export type Filter = {
  name: string;
  words: string;
  options?: readonly (readonly [string, string])[];
  type?: "date" | "person" | "text";
  suggest?: string;
};

/** A filter that is chosen by one click: a name, what it asks for, and how many rows that are where it is known. */
export type View = { name: string; query: Record<string, string>; count?: number | undefined };

export type ListProps<T> = {
  path: string;
  /** Asked for always, and not shown in the address. */
  fixed?: Query;
  columns: Column<T>[];
  views?: View[];
  filters?: Filter[];
  /** What the search looks through; no search without it. */
  search?: string;
  open?: (row: T) => { to: string; params?: Record<string, string>; search?: Record<string, string> };
  /** What can be done with the rows that were selected; without it nothing can be selected. */
  bulk?: (rows: T[], clear: () => void) => ReactNode;
  empty: { title: string; words: ReactNode };
  /** What is said where nothing is there on the day of the filter as_of: it may be before anything was known. */
  emptyThen?: { title: string; words: ReactNode };
  /** The name of the CSV without .csv; no CSV without it. */
  csv?: string;
  /** Milliseconds between two looks, for lists that change by themselves. */
  every?: number;
  /** Whether something that its cells tell is still being read: rows come when all of it is there, and stay where they are. */
  wait?: boolean;
  /** Tells lists on the same page apart in the address. */
  prefix?: string;
  label?: string;
  /** What tells rows apart that come without an id. */
  idOf?: (row: T) => string;
};

/** Rows of a page: what can be chosen, and what it is unless something else was. */
export const sizes = [25, 50, 100, 200] as const;
