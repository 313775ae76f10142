import { expect, test } from "vitest";
import { places } from "./places";

const sources = import.meta.glob("../**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true }) as Record<string, string>;
const screens = new Map(places.map((p) => [p.path, [...p.path.matchAll(/\$(\w+)/g)].map((m) => m[1])]));
const outside = new Set([".", "..", "/", "/login", "/signed-in", "/invited", "/reset-password", "/forgot-password"]);

/** The paths that links and ways name in the source, each with the file and, where it is written beside it, params. */
function written() {
  const found: { file: string; path: string; params?: string }[] = [];
  for (const [file, text] of Object.entries(sources)) {
    if (file.includes(".test.")) continue;
    for (const m of text.matchAll(/\bto(?:=|: )"([^"]*)"(?:,?\s+params(?:=\{|: )\{([^{}]*)\})?/g))
      found.push({ file, path: m[1] ?? "", ...(m[2] === undefined ? {} : { params: m[2] }) });
  }
  return found;
}

test("every link leads to a screen that exists", () => {
  const all = written();
  expect(all.length).toBeGreaterThan(200);
  const dead = all.filter((l) => l.path.startsWith("/") && !screens.has(l.path) && !outside.has(l.path));
  expect(dead).toEqual([]);
});

test("links give the values that the path of their screen asks for", () => {
  const wrong = written().filter(({ path, params }) => {
    if (params === undefined || params.includes("...")) return false;
    const given = params.split(",").map((p) => p.split(":")[0]?.trim());
    return (screens.get(path) ?? []).some((name) => !given.includes(name));
  });
  expect(wrong).toEqual([]);
});
