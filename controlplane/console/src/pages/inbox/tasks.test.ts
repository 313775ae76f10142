import { expect, test } from "vitest";
import { groupsOf, keysOf, mainOf, queryOf, sharedActions, type Task, windowOf, words } from "./tasks";

const action = (key: string, style: "positive" | "negative" | "neutral", ...requires: string[]) => ({ key, label: key, style, requires });
const task = (id: string, more: object): Task =>
  ({
    id,
    kind: "request_approval",
    subject: { type: "access_request_item", id: "i" },
    source: { type: "access_request", id: "r" },
    links: [],
    actions: [],
    ...more,
  }) as never;

test("the address says what is asked for", () => {
  const now = new Date(2026, 10, 22, 15);
  expect(queryOf({}, false, now)).toEqual({ assigned: "mine" });
  expect(queryOf({}, true, now)).toEqual({ assigned: "all" });
  expect(queryOf({ due: "overdue", risk: "high", kind: "sync_hold" }, false, now)).toEqual({
    assigned: "mine",
    overdue: "true",
    risk_level: "high",
    kind: "sync_hold",
  });
  expect(queryOf({ due: "today" }, false, now).due_before).toBe(new Date(2026, 10, 23).toISOString());
  expect(queryOf({ state: "closed" }, false, now)).toEqual({
    assigned: "mine",
    state: "expired,cancelled,superseded",
    sort: "-created_at",
  });
});

test("tasks are put together by what they have in common", () => {
  const ann = { type: "identity", id: "1", display: "Ann" };
  const all = [task("a", { links: [ann] }), task("b", {}), task("c", { subject: ann })];
  expect(groupsOf(all, "person").map((g) => [g.words, g.tasks.map((t) => t.id)])).toEqual([
    ["Ann", ["a", "c"]],
    ["Without a person", ["b"]],
  ]);
  expect(groupsOf(all, undefined)[0]?.tasks).toHaveLength(3);
});

test("one key for yes, one for no, digits for the rest", () => {
  const keys = keysOf([action("link", "positive"), action("disable", "negative"), action("delete", "negative"), action("keep", "neutral")]);
  expect([...keys]).toEqual([
    ["a", "link"],
    ["r", "disable"],
    ["1", "delete"],
    ["2", "keep"],
  ]);
});

test("many are decided by what all of them take, with a reason where one needs it", () => {
  const some = task("a", { actions: [action("approve", "positive"), action("reject", "negative")] });
  const strict = task("b", { actions: [action("approve", "positive"), action("reject", "negative", "comment")] });
  const other = task("c", { actions: [action("link", "positive", "inputs.identity_id"), action("reject", "negative")] });
  expect(sharedActions([some, strict]).map((a) => [a.key, a.requires])).toEqual([
    ["approve", []],
    ["reject", ["comment"]],
  ]);
  expect(sharedActions([some, other]).map((a) => a.key)).toEqual(["reject"]);
  expect(sharedActions([other]).map((a) => a.key)).toEqual(["reject"]);
});

test("many decisions can be undone for longer", () => {
  expect([windowOf(1), windowOf(25), windowOf(500)]).toEqual([10, 11, 30]);
});

test("what is not there is not said", () => {
  expect(words({ a: { b: "x" } }, "a", "b")).toBe("x");
  expect(words({ a: null }, "a", "b")).toBeUndefined();
});

test("an account of somebody who has left is offered to be disabled first", () => {
  const actions = [action("link", "positive"), action("disable", "negative")];
  const of = (reason: string, kind = "orphan_account") => mainOf({ kind, context: { reason }, actions } as never);
  expect(of("owner_deactivated")).toBe("disable");
  expect(of("owner_archived")).toBe("disable");
  expect(of("no_owner")).toBe("link");
  expect(of("owner_deactivated", "request_approval")).toBe("link");
});

test("groups of the same words say what tells them apart", () => {
  const what = { type: "entitlement", id: "e", display: "app-warehouse 1" };
  const of = (id: string, key: string, system: string, stage: string, kind = "grant") =>
    task(id, { group_key: key, links: [what], context: { item: { system }, stage: { name: stage }, request: { kind } } });
  const words = (...tasks: Task[]) => groupsOf(tasks, "alike").map((g) => g.words.replace(/^.*app-warehouse 1/, ""));
  expect(words(of("a", "1", "SAP", "Manager"), of("b", "2", "LDAP", "Manager"))).toEqual([" · SAP", " · LDAP"]);
  expect(words(of("a", "1", "SAP", "Manager"), of("b", "2", "SAP", "Owner"))).toEqual([" · Manager", " · Owner"]);
  expect(words(of("a", "1", "SAP", "Manager"), of("b", "2", "SAP", "Manager", "extend"))).toEqual(["", " · extension"]);
  expect(words(of("a", "1", "SAP", "Manager"), of("b", "2", "SAP", "Manager"))).toEqual(["", " · 2"]);
  expect(words(of("a", "1", "SAP", "Manager"), of("b", "1", "SAP", "Manager"))).toEqual([""]);
});
