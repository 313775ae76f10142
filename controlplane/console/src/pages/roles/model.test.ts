import { expect, test } from "vitest";
import { contentOf, nameOf, patchOf } from "./model";

test("only what was changed is sent", () => {
  const was = { name: "Nurse", entitlement_ids: ["a", "b"], membership_rule: null };
  expect(patchOf(was, { ...was, entitlement_ids: ["a", "b"] })).toEqual({});
  expect(patchOf(was, { ...was, entitlement_ids: ["a"], risk_level: "high" })).toEqual({ entitlement_ids: ["a"], risk_level: "high" });
});

test("what cannot be changed is left out", () => {
  expect(contentOf({ name: "Nurse", id: "1", holder_count: 3 } as never)).toEqual({ name: "Nurse" });
});

test("members have names", () => {
  expect([nameOf("entitlement_ids"), nameOf("labels")]).toEqual(["Access", "Labels"]);
});
