import { expect, test } from "vitest";
import { carried, filledOf, patchOf } from "./fields";

test("a patch holds what became different, and null for what was emptied", () => {
  const was = filledOf({ display_name: "Ann Lee", title: "Clerk", department: "Sales", attributes: { badge: 7, floor: "2" } });
  const is = filledOf({ display_name: "Ann Lee", title: "", department: "Finance", attributes: { badge: 8, floor: "" } });
  expect(patchOf(was, is)).toEqual({ title: null, department: "Finance", attributes: { badge: 8, floor: null } });
});

test("nothing changed is an empty patch", () => {
  const was = filledOf({ display_name: "Ann Lee", attributes: { tags: [] } });
  expect(patchOf(was, filledOf({ display_name: "Ann Lee", attributes: {} }))).toEqual({});
});

test("what somebody else changed meanwhile comes, and what was typed stays", () => {
  const was = filledOf({ display_name: "Ann", title: "Clerk", department: "Sales" });
  const typed = filledOf({ display_name: "Ann", title: "Head", department: "Sales" });
  const now = filledOf({ display_name: "Ann", title: "Clerk", department: "Finance" });
  const both = carried(was, typed, now);
  expect([both.fields.title, both.fields.department]).toEqual(["Head", "Finance"]);
  expect(patchOf(now, both)).toEqual({ title: "Head" });
});
