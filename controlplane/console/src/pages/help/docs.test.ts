import { expect, test } from "vitest";
import { listed, parse } from "../../../docs/parse";
import { places } from "../../app/places";
import { groups } from "./groups";
import type { Block, Inline } from "./tree";

const files = import.meta.glob<string>("../../../../../docs/*.md", { query: "?raw", import: "default", eager: true });
const docs = Object.entries(files).map(([path, text]) => parse(path.replace(/^.*\/|\.md$/g, ""), text));
const heads = new Map(docs.map((d) => [d.page, new Set(listed(d).heads.map((h) => h.id))]));

test("every link between pages leads to a page, and to a heading of it", () => {
  expect(docs.length).toBeGreaterThan(20);
  const lost = docs.flatMap((d) =>
    links(d.blocks).flatMap((l) => {
      const page = l.page || d.page;
      return heads.has(page) && (!l.at || heads.get(page)?.has(l.at)) ? [] : [`${d.page}: ${page}#${l.at}`];
    }),
  );
  expect(lost).toEqual([]);
});

test("the help of every screen is a page", () => {
  expect(places.filter((p) => !heads.has(p.help)).map((p) => p.path)).toEqual([]);
});

test("every page stands in one group, and every group holds pages", () => {
  expect(groups.flatMap((g) => g.pages).sort()).toEqual([...heads.keys()].sort());
});

test("Markdown becomes a tree of text", () => {
  const doc = parse(
    "x",
    "# A & B\n\nSay `a < b` to *[you](y.md#z)*, <b>not</b> [s](../s.go).\n\n## Two words, 1\n\n| n | m |\n|---:|---|\n| 1 | a\\|b |\n\n1. one\n   - in it\n",
  );
  expect(doc).toEqual({
    page: "x",
    title: "A & B",
    blocks: [
      {
        t: "p",
        c: [
          "Say ",
          { t: "code", s: "a < b" },
          " to ",
          { t: "em", c: [{ t: "page", page: "y", at: "z", c: ["you"] }] },
          ", ",
          "<b>",
          "not",
          "</b>",
          " ",
          "s",
          ".",
        ],
      },
      { t: "head", depth: 2, id: "two-words-1", c: ["Two words, 1"] },
      { t: "table", head: [["n"], ["m"]], right: [true, false], rows: [[["1"], ["a|b"]]] },
      {
        t: "list",
        ordered: true,
        start: 1,
        items: [
          [
            { t: "p", c: ["one"] },
            { t: "list", ordered: false, start: 1, items: [[{ t: "p", c: ["in it"] }]] },
          ],
        ],
      },
    ],
  });
});

function links(of: (Block | Inline)[]): { page: string; at: string }[] {
  return of.flatMap((b) => {
    if (typeof b === "string") return [];
    if (b.t === "page") return [b];
    if (b.t === "list") return b.items.flatMap(links);
    if (b.t === "table") return [...b.head, ...b.rows.flat()].flatMap(links);
    return "c" in b ? links(b.c) : [];
  });
}
