import { expect, test } from "vitest";
import { filledOf, mergeEdits, patchOf, sourceOf } from "./fields";

test("a patch holds what became different, and null for what was emptied", () => {
  const was = filledOf({ display_name: "Ann Lee", title: "Clerk", department: "Sales", attributes: { badge: 7, floor: "2" } });
  const is = filledOf({ display_name: "Ann Lee", title: "", department: "Finance", attributes: { badge: 8, floor: "" } });
  expect(patchOf(was, is)).toEqual({ title: null, department: "Finance", attributes: { badge: 8, floor: null } });
});

test("nothing changed is an empty patch", () => {
  const was = filledOf({ display_name: "Ann Lee", attributes: { tags: [] } });
  expect(patchOf(was, filledOf({ display_name: "Ann Lee", attributes: {} }))).toEqual({});
});

test("what somebody else changed in the meantime comes, and what was typed stays", () => {
  const was = filledOf({ display_name: "Ann", title: "Clerk", department: "Sales" });
  const typed = filledOf({ display_name: "Ann", title: "Head", department: "Sales" });
  const now = filledOf({ display_name: "Ann", title: "Clerk", department: "Finance" });
  const both = mergeEdits(was, typed, now);
  expect([both.fields.title, both.fields.department]).toEqual(["Head", "Finance"]);
  expect(patchOf(now, both)).toEqual({ title: "Head" });
});

test("the manager that a source names is that source's, and nobody's by hand", () => {
  const manual = { kind: "manual", connector_id: null, pinned: false } as never;
  const p = { manager_from_source: true, source_connector_id: "hr", attribute_sources: { manager_external_id: manual } } as never;
  expect(sourceOf(p, "manager_external_id", manual).connector_id).toBe("hr");
  const told = { ...(p as object), attribute_sources: { manager: { kind: "hr", connector_id: "other" } } } as never;
  expect(sourceOf(told, "manager_external_id", manual)).toMatchObject({ connector_id: "other", kind: "hr" });
  expect(sourceOf(p, "title", manual).connector_id).toBe(null);
  const pinned = { ...(manual as object), pinned_by: { id: "u", display: "Ann" } } as never;
  expect(sourceOf(p, "manager_external_id", pinned).connector_id).toBe(null);
});
