import ts from "typescript";
import { expect, test } from "vitest";

const sources = Object.entries(
  import.meta.glob<string>(["../**/*.{ts,tsx}", "!./**", "!../**/*.test.ts", "!../**/*.d.ts"], {
    query: "?raw",
    import: "default",
    eager: true,
  }),
).map(([path, source]) => [path.replace(/^\.\.\//, ""), source] as const);

const catalog = Object.entries(import.meta.glob<string>("./en/*.ts", { query: "?raw", import: "default", eager: true }));

/** Attributes and properties whose values are shown or read out. */
const shown = /^(title|label|aria-label|aria-description|placeholder|description|alt|lead|hint|words|verb|keep|done|heading|summary)$/;
/** Where a value is never a text: names of classes and files, keys, addresses, queries, commands, and the states of a tone. */
const technicalPlace = /^(className|key|id|to|type|path|href|rel|tone|queryKey|role|scope|params|name|csv|command|d|ok|warn|bad|info)$/;
/** Words that are no text: keys of a keyboard, HTTP, and words of other interfaces. */
const technical =
  /^(Enter|Escape|Tab|Backspace|Delete|Home|End|PageUp|PageDown|Arrow\w+|Shift|GET|POST|PUT|PATCH|DELETE|HEAD|Aborted|INPUT|TEXTAREA|SELECT|BUTTON|Mac|Windows|Android|Linux|UTC|Z|[A-Z][\w]*(-[A-Z]\w*)+|Accept|Authorization|[A-Z]\w*([A-Z]\w*)+|Bearer .*|[A-Z][\w ]*\/[\w ]+)$/;

/** Paths of drawings, keys of the browser's storage, and lines of a protocol. */
const machine = /^([ML]x[ ,Lx]|M0 x|recent x|views x|dn: x)/;

/** Whether a string is a text for people: it begins as a sentence or a label does, or it has several words. */
function isText(s: string): boolean {
  const words = s.trim();
  if (!/[A-Za-z]{2}/.test(words) || technical.test(words) || /^(sudo |\(m|https?:|\/)/.test(words)) return false;
  return /^["“(]?[A-Z][a-z]/.test(words) || /^[a-z]+[,;:]? [a-z]+/.test(words) || (s !== words && /^[a-z ,;:.·—]+$/i.test(s));
}

type Finding = { file: string; line: number; text: string };

/** The texts of a source that are not in the catalog. */
function textsOf(file: string, source: string): Finding[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const found: Finding[] = [];
  const add = (n: ts.Node, text: string) =>
    found.push({ file, line: tree.getLineAndCharacterOfPosition(n.getStart(tree)).line + 1, text: text.trim() });
  const visit = (n: ts.Node): void => {
    if (ts.isTypeNode(n) || ts.isImportDeclaration(n) || ts.isTypeAliasDeclaration(n)) return;
    const place = ts.isJsxAttribute(n) || ts.isPropertyAssignment(n) ? n.name.getText(tree) : "";
    if (technicalPlace.test(place)) return;
    if (ts.isJsxText(n) && /[A-Za-z]{2}/.test(n.text) && !code(n.parent)) add(n, n.text);
    if (ts.isStringLiteralLike(n) && !compared(n) && (isText(n.text) || (inShown(n) && /^[A-Z]/.test(n.text) && !technical.test(n.text))))
      add(n, n.text);
    if (ts.isTemplateExpression(n) && !asked(n)) {
      const parts = [n.head.text, ...n.templateSpans.map((s) => s.literal.text)];
      const whole = parts.join("x");
      if (
        !technical.test(whole) &&
        !machine.test(whole) &&
        (parts.some((p) => /(^|\s)[A-Za-z]{2,}(\s|[.,:;]|$)/.test(p) && /\s/.test(p)) || /^[A-Z]/.test(whole))
      )
        add(n, n.getText(tree));
    }
    ts.forEachChild(n, visit);
  };
  visit(tree);
  return found;
}

const code = (n: ts.Node) => ts.isJsxElement(n) && /^(code|kbd|pre)$/.test(n.openingElement.tagName.getText());

/** Whether a string is only compared, looked up, or a name in an interface of the browser. */
function compared(n: ts.Node): boolean {
  const p = n.parent;
  if (ts.isBinaryExpression(p)) return /^[!=]==?$/.test(p.operatorToken.getText());
  if (ts.isPropertyAssignment(p)) return p.name === n;
  return ts.isCaseClause(p) || ts.isElementAccessExpression(p) || ts.isLiteralTypeNode(p) || asked(n);
}

/** Whether it is given to a function that takes no texts. */
function asked(n: ts.Node): boolean {
  const call = n.parent;
  if (!(ts.isCallExpression(call) || ts.isNewExpression(call))) return false;
  const name = call.expression.getText().split(".").at(-1) ?? "";
  return /^(ask|useGet|get|set|has|split|replace|replaceAll|includes|startsWith|endsWith|querySelector|querySelectorAll|closest|matches|useStored|getItem|setItem|getTimezone|test|matchMedia|Error|DOMException|RegExp)$/.test(
    name,
  );
}

function inShown(n: ts.Node): boolean {
  const p = n.parent;
  return (ts.isJsxAttribute(p) || ts.isPropertyAssignment(p)) && shown.test(p.name.getText());
}

test("the walk finds texts and leaves the rest", () => {
  const found = (s: string) => textsOf("a.tsx", s).map((f) => f.text);
  expect(found('const a = <p className="row wide">Hello <b>{x}</b></p>;')).toEqual(["Hello"]);
  expect(found('const a = <One title="Title" to="/people" of="active" />;')).toEqual(["Title"]);
  expect(found('say(x ? "It ends." : `It ends on ${x}.`);')).toEqual(["It ends.", "`It ends on ${x}.`"]);
  expect(found('const a = [" or more", "active", `/people/${id}`, e.key === "Enter", text.saved];')).toEqual(["or more"]);
});

test("texts that people read are in the catalog", { timeout: 60_000 }, () => {
  expect(sources.length).toBeGreaterThan(300);
  const bad = sources.flatMap(([file, source]) => textsOf(file, source));
  expect(bad.map((f) => `${f.file}:${f.line}: ${f.text}`)).toEqual([]);
});

test("a page leaves the form of a noun to the catalog", () => {
  const chosen = sources.flatMap(([file, source]) => [...source.matchAll(/=== 1 \? ["`].*/g)].map((m) => `${file}: ${m[0]}`));
  expect(chosen).toEqual([]);
});

test("keys say which text they are: none is another key with a number", () => {
  const keys = catalog.flatMap(([file, source]) => [...source.matchAll(/^export const (\w+)/gm)].map((m) => `${file} ${m[1]}`));
  expect(keys.length).toBeGreaterThan(3000);
  expect(keys.filter((k) => /\d$/.test(k))).toEqual([]);
});
