import { expect, test } from "vitest";
import { type Content, contentOf, described, describedPatch, figuresInterval, nameOf, patchOf, rereadRoles, risksFrom } from "./model";

test("only what was changed is sent", () => {
  const was: Content = { name: "Nurse", entitlement_ids: ["a", "b"], membership_rule: null };
  expect(patchOf(was, { ...was, entitlement_ids: ["a", "b"] })).toEqual({});
  expect(patchOf(was, { ...was, entitlement_ids: ["a"], risk_level: "high" })).toEqual({ entitlement_ids: ["a"], risk_level: "high" });
});

test("what cannot be changed is left out", () => {
  expect(contentOf({ name: "Nurse", id: "1", holder_count: 3 } as never)).toEqual({ name: "Nurse" });
});

test("members have names", () => {
  expect([nameOf("entitlement_ids"), nameOf("labels")]).toEqual(["Entitlements", "Labels"]);
});

test("owners send what they changed, and null for labels they took away", () => {
  const was = described({ description: "Nights", labels: { site: "hq", tag: "ehr" } });
  expect(describedPatch(was, was)).toEqual({});
  expect(describedPatch(was, { ...was, labels: { tag: "ehr" } })).toEqual({ labels: { tag: "ehr", site: null } });
  expect(describedPatch(was, { ...was, duty_tags: ["pay"] })).toEqual({ duty_tags: ["pay"] });
});

test("owners raise the risk of a role in use as far as nobody else has to agree", () => {
  const words = (level: string, inUse: boolean) => risksFrom(level, inUse).map(([r]) => r);
  expect(words("low", true)).toEqual(["low", "medium"]);
  expect(words("high", true)).toEqual(["high"]);
  expect(words("medium", false)).toEqual(["medium", "high", "critical"]);
});

test("the figures of a role are read again after it was published", () => {
  expect(figuresInterval("r")).toBe(false);
  const queries = { setQueryData: () => undefined, invalidateQueries: () => Promise.resolve() };
  void rereadRoles(queries as never, "r");
  expect([figuresInterval("r"), figuresInterval("r", Date.now() + 120_000), figuresInterval("r", Date.now() + 3_600_000)]).toEqual([
    2_000,
    15_000,
    false,
  ]);
  expect(figuresInterval("other")).toBe(false);
});
