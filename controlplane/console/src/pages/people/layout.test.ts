import { expect, test } from "vitest";
import type { Grant } from "../../api/types";
import { draw } from "./layout";
import { matches, standing, waysOf } from "./words";

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
  const p = draw([grant(1), grant(2), grant(4, { compliance_status: "native", reasons: [] })], "Ann");
  expect(p.marks.map((m) => m.length)).toEqual([1, 2, 2, 3]);
  expect(p.marks[3]?.find((m) => m.words === "Access 4")?.tone).toBe("odd");
  expect(p.collapsed).toBe(false);
});

test("however much somebody holds, the picture stays small and says how much", () => {
  const many = Array.from({ length: 5000 }, (_, n) => grant(n, { account_id: `a${n}`, account: { id: `a${n}`, display: `l${n}` } }));
  const p = draw([...many, grant(9001, { compliance_status: "orphaned" })], "Ann");
  expect(p.marks.flat().length).toBeLessThan(60);
  expect(p.marks[3]?.some((m) => m.words === "5,000 accesses")).toBe(true);
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
      { kind: "nested", entitlement_ids: ["e1", "e7"] },
      { kind: "nested", entitlement_ids: ["e1", "e3", "e7"] },
    ],
  });
  expect(waysOf(g, new Map([["e1", "Staff"]])).map((w) => w.words)).toEqual(["In: Staff"]);
  expect(standing(g).words).toBe("comes with a group");
});

test("a search looks at names and reasons, each word for itself", () => {
  expect([matches(grant(1), "clerk ACCESS"), matches(grant(1), "clerk payroll")]).toEqual([true, false]);
});

test("accounts of the same login are told apart by their systems, where these are known", () => {
  const at = (n: number, connector_id: string) =>
    grant(n, { account_id: connector_id, account: { id: connector_id, display: "mara" } as never, connector_id });
  const held = [at(1, "hr"), at(2, "mail")];
  const words = (systems?: Map<string, string>) => (draw(held, "Mara", systems).marks[1] ?? []).map((m) => m.words).sort();
  const systems = new Map([
    ["hr", "Payroll"],
    ["mail", "Post"],
  ]);
  expect(words(systems)).toEqual(["Payroll: mara", "Post: mara"]);
  expect(words()).toEqual(["mara", "mara"]);
  expect(draw([at(1, "hr")], "Mara", systems).marks[1]?.map((m) => m.words)).toEqual(["mara"]);
});
