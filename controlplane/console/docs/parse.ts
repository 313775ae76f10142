import { marked, type Token, type Tokens } from "marked";
import { type Block, type Doc, type Inline, type Listed, plain } from "../src/pages/help/tree.ts";

/** Reads a page of the documentation: Markdown into a tree that the console shows element by element. */
export function parse(page: string, markdown: string): Doc {
  const ids = new Map<string, number>();
  const blocks = marked.lexer(markdown).flatMap((t) => block(t, ids));
  const first = blocks[0];
  if (first?.t !== "head" || first.depth !== 1) throw new Error(`${page}.md does not begin with its title`);
  return { page, title: plain(first.c), blocks: blocks.slice(1) };
}

/** How a page stands in the list of all. */
export function listed(doc: Doc): Listed {
  const lead = doc.blocks.find((b) => b.t === "p");
  const heads = doc.blocks.flatMap((b) => (b.t === "head" ? [{ id: b.id, words: plain(b.c), depth: b.depth }] : []));
  return { page: doc.page, title: doc.title, lead: lead?.t === "p" ? firstSentence(plain(lead.c)) : "", heads };
}

function firstSentence(text: string): string {
  const end = /[.:](?=\s|$)/.exec(text)?.index;
  const said = end === undefined ? text : text.slice(0, end);
  return said.length > 160 ? `${said.slice(0, 159).trimEnd()}…` : `${said}.`;
}

function block(t: Token, ids: Map<string, number>): Block[] {
  switch (t.type) {
    case "space":
    case "def":
      return [];
    case "heading": {
      const c = inlines(t.tokens);
      return [{ t: "head", depth: t.depth as number, id: anchor(plain(c), ids), c }];
    }
    case "paragraph":
    case "text":
      return [{ t: "p", c: inlines(t.tokens, t as Tokens.Text) }];
    case "code":
      return [{ t: "code", lang: String(t.lang ?? ""), s: String(t.text) }];
    case "list": {
      const list = t as Tokens.List;
      const items = list.items.map((i) => i.tokens.flatMap((k) => block(k, ids)));
      return [{ t: "list", ordered: list.ordered, start: Number(list.start) || 1, items }];
    }
    case "table": {
      const table = t as Tokens.Table;
      return [
        {
          t: "table",
          head: table.header.map((c) => inlines(c.tokens)),
          right: table.align.map((a) => a === "right"),
          rows: table.rows.map((r) => r.map((c) => inlines(c.tokens))),
        },
      ];
    }
    case "blockquote":
      return [{ t: "quote", c: (t.tokens ?? []).flatMap((k) => block(k, ids)) }];
    case "hr":
      return [{ t: "hr" }];
    default: // HTML too: it is shown as the text that it is
      return [{ t: "p", c: [t.raw] }];
  }
}

function inlines(tokens: Token[] | undefined, whole?: Tokens.Text): Inline[] {
  if (!tokens) return whole ? [unescaped(whole.text)] : [];
  return tokens.flatMap(inline);
}

function inline(t: Token): Inline[] {
  switch (t.type) {
    case "strong":
    case "em":
    case "del":
      return [{ t: t.type, c: inlines(t.tokens) }];
    case "codespan":
      return [{ t: "code", s: String(t.text) }];
    case "br":
      return [{ t: "br" }];
    case "link":
      return link(t as Tokens.Link);
    case "escape":
    case "text":
      return t.type === "text" && "tokens" in t && t.tokens ? inlines(t.tokens) : [unescaped(String(t.text)).replaceAll("\n", " ")];
    default:
      return [t.raw];
  }
}

/** A link to what the console does not hold, such as a file of the source, is left as its words. */
function link(t: Tokens.Link): Inline[] {
  const c = inlines(t.tokens);
  if (/^https?:/.test(t.href)) return [{ t: "out", href: t.href, c }];
  const inside = /^(?:([a-z0-9-]+)\.md)?(?:#(.+))?$/.exec(t.href);
  return inside ? [{ t: "page", page: inside[1] ?? "", at: inside[2] ?? "", c }] : c;
}

/** marked leaves entities as they were written. */
function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

/** The anchor of a heading, as it is made wherever Markdown is shown. */
function anchor(words: string, ids: Map<string, number>): string {
  const bare = words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  const n = ids.get(bare) ?? 0;
  ids.set(bare, n + 1);
  return n ? `${bare}-${n}` : bare;
}
