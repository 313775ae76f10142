import { expect, test } from "vitest";
import { joined, thingsOf } from "./things";

const a = "01a204eb-6fdd-79e6-893a-142b8ba40403";
const b = "01a204ef-9e65-7268-b160-ba3146edcaa4";

test("roles and entitlements stand in the address, each once", () => {
  const all = thingsOf(`${a},role:${b},${a}`);
  expect(all.map((t) => t.kind)).toEqual(["entitlement", "role"]);
  expect(joined(all)).toBe(`${a},role:${b}`);
  expect(thingsOf(`entitlement:${a}`)).toEqual(thingsOf(a));
});

test("what is no id is not asked for", () => {
  expect(thingsOf("javascript:alert(1),,role:,42")).toEqual([]);
  expect(thingsOf(undefined)).toEqual([]);
});
