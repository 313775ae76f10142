// The documentation as the build leaves it beside the console: trees of what is said, and nothing that a browser would run.

/** What stands in a line: text, or something about a part of it. */
export type Inline =
  | string
  | { t: "strong" | "em" | "del"; c: Inline[] }
  | { t: "code"; s: string }
  | { t: "br" }
  /** A link to a page of the documentation, or with page empty within this one. */
  | { t: "page"; page: string; at: string; c: Inline[] }
  | { t: "out"; href: string; c: Inline[] };

/** What stands by itself. */
export type Block =
  | { t: "head"; depth: number; id: string; c: Inline[] }
  | { t: "p"; c: Inline[] }
  | { t: "code"; lang: string; s: string }
  | { t: "list"; ordered: boolean; start: number; items: Block[][] }
  | { t: "table"; head: Inline[][]; right: boolean[]; rows: Inline[][][] }
  | { t: "quote"; c: Block[] }
  | { t: "hr" };

/** A page of the documentation. */
export type Doc = { page: string; title: string; blocks: Block[] };

/** A page as it is listed: its name, its title, its first sentence, and what stands in it. */
export type Listed = { page: string; title: string; lead: string; heads: { id: string; words: string; depth: number }[] };

/** The text of a line without what is about it. */
export function plain(of: Inline[]): string {
  return of.map((i) => (typeof i === "string" ? i : i.t === "code" ? i.s : i.t === "br" ? " " : plain(i.c))).join("");
}
