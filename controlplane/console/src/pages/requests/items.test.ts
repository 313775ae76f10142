import { expect, test } from "vitest";
import { itemsOf, itemsParam } from "./items";

const a = "01a204eb-6fdd-79e6-893a-142b8ba40403";
const b = "01a204ef-9e65-7268-b160-ba3146edcaa4";

test("roles and entitlements stand in the address, each once", () => {
  const all = itemsOf(`${a},role:${b},${a}`);
  expect(all.map((t) => t.kind)).toEqual(["entitlement", "role"]);
  expect(itemsParam(all)).toBe(`${a},role:${b}`);
  expect(itemsOf(`entitlement:${a}`)).toEqual(itemsOf(a));
});

test("what is no id is not asked for", () => {
  expect(itemsOf("javascript:alert(1),,role:,42")).toEqual([]);
  expect(itemsOf(undefined)).toEqual([]);
});
