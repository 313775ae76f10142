import { expect, test } from "vitest";
import type { Grant } from "../../api/types";
import { draw } from "./layout";
import { basisOf, matches, pathsOf, reasonsOf } from "./words";

function grant(n: number, more: Partial<Grant> = {}): Grant {
  return {
    id: `g${n}`,
    entitlement_id: `e${n}`,
    entitlement: { id: `e${n}`, display: `Access ${n}` },
    account_id: `a${n % 3}`,
    account: { id: `a${n % 3}`, display: `login${n % 3}` },
    directness: "direct",
    status: "active",
    desired: true,
    observed: true,
    compliance_status: "implied",
    reasons: [
      {
        id: `r${n}`,
        kind: "role",
        effect: "allow",
        state: "active",
        role: { id: "clerk", display: "Clerk" },
        source: { id: "clerk", display: "Clerk" },
      },
    ],
    ...more,
  } as unknown as Grant;
}

test("a picture has a mark for each account, way and access", () => {
  const p = draw([grant(1), grant(2), grant(4, { compliance_status: "native", review_state: "unmanaged", reasons: [] })], "Ann");
  expect(p.marks.map((m) => m.length)).toEqual([1, 2, 2, 3]);
  expect(p.marks[3]?.find((m) => m.words === "Access 4")?.tone).toBe("odd");
  expect(p.collapsed).toBe(false);
});

test("however much somebody holds, the picture stays small and says how much", () => {
  const many = Array.from({ length: 5000 }, (_, n) => grant(n, { account_id: `a${n}`, account: { id: `a${n}`, display: `l${n}` } }));
  const p = draw([...many, grant(9001, { compliance_status: "orphaned" })], "Ann");
  expect(p.marks.flat().length).toBeLessThan(60);
  expect(p.marks[3]?.some((m) => m.words === "5,000 entitlements")).toBe(true);
  expect(p.marks[3]?.find((m) => m.words === "Access 9001")?.tone).toBe("bad");
  expect(p.marks[1]?.reduce((n, m) => n + m.count, 0)).toBe(5001);
});

test("nothing held is an empty picture", () => {
  expect(draw([], "Ann").lines).toEqual([]);
});

test("ways are told once, and a group by the name of what is held in it", () => {
  const g = grant(7, {
    directness: "inherited",
    reasons: [],
    paths: [
      { kind: "nested", entitlement_ids: ["e1", "e7"], steps: [] },
      { kind: "nested", entitlement_ids: ["e1", "e3", "e7"], steps: [] },
    ],
  });
  expect(reasonsOf(g, new Map([["e1", "Staff"]])).map((w) => w.words)).toEqual(["In: Staff", "In: Staff → another group"]);
  expect(basisOf(g).words).toBe("inherited");
});

test("a group that brings access has the name that the path gives it", () => {
  const steps = [
    { id: "e1", display: "Staff" },
    { id: "e7", display: "Access 7" },
  ];
  const g = grant(7, { directness: "inherited", reasons: [], paths: [{ kind: "nested", entitlement_ids: ["e1", "e7"], steps }] as never });
  expect(reasonsOf(g, new Map()).map((w) => w.words)).toEqual(["In: Staff"]);
});

test("what the first import found is no finding until it is reviewed, and what came later is one", () => {
  const native = { compliance_status: "native", reasons: [{ kind: "native", effect: "allow", state: "active" }] } as const;
  const found = (review_state: string | null) => grant(1, { ...native, review_state } as never);
  const seen = (g: Grant) => [
    basisOf(g).words,
    basisOf(g).tone,
    draw([g], "Ann")
      .marks.flat()
      .some((m) => m.tone !== "plain"),
  ];
  expect(seen(found("found_at_first_import"))).toEqual(["found at first import", "neutral", false]);
  expect(seen(found("accepted"))).toEqual(["accepted as found", "ok", false]);
  expect(seen(found("unmanaged"))).toEqual(["unmanaged", "warn", true]);
  expect(seen(found(null))).toEqual(["unmanaged", "neutral", false]);
});

test("a search looks at names and reasons, each word for itself", () => {
  expect([matches(grant(1), "clerk ACCESS"), matches(grant(1), "clerk payroll")]).toEqual([true, false]);
});

test("accounts of the same login are told apart by their systems, where these are known", () => {
  const at = (n: number, connector_id: string) =>
    grant(n, { account_id: connector_id, account: { id: connector_id, display: "mara" } as never, connector_id });
  const held = [at(1, "hr"), at(2, "mail")];
  const words = (systems?: Map<string, string>) =>
    (draw(held, "Mara", systems).marks[1] ?? []).map((m) => [m.words, m.system].filter(Boolean).join(" ")).sort();
  const systems = new Map([
    ["hr", "Payroll"],
    ["mail", "Post"],
  ]);
  expect(words(systems)).toEqual(["mara Payroll", "mara Post"]);
  expect(words()).toEqual(["mara", "mara"]);
});

test("the same name in two systems makes two marks, and each says its system", () => {
  const inSystem = (n: number, connector_id: string) =>
    grant(n, {
      connector_id,
      entitlement: { id: `e${n}`, display: "all-staff" },
      account_id: `a ${connector_id}`,
      account: { id: `a ${connector_id}`, display: "anna" },
      compliance_status: "native",
      reasons: [{ kind: "native", effect: "allow", state: "active" }] as never,
    });
  const systems = new Map([
    ["c1", "Corporate directory"],
    ["c2", "Lab directory"],
  ]);
  const p = draw([inSystem(1, "c1"), inSystem(2, "c2")], "Ann", systems);
  for (const column of [1, 2, 3]) expect(p.marks[column]?.map((m) => m.system).sort()).toEqual(["Corporate directory", "Lab directory"]);
});

test("an answer names the system for a user who may not list connectors", () => {
  const g = { ...grant(1), connector_id: "c1", connector_name: "Lab directory" } as never;
  expect(draw([g], "Ann").marks[3]?.map((m) => m.system)).toEqual(["Lab directory"]);
});

test("a path has all of its steps, and no step for what is held directly", () => {
  const g = grant(7, { paths: [{ kind: "nested", entitlement_ids: ["e1", "e3", "e7"], steps: [] }] });
  expect(pathsOf(g)).toEqual([["e1", "e3", "e7"]]);
  expect(pathsOf(grant(1))).toEqual([]);
});
