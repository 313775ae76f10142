import { expect, test } from "vitest";
import { kindsOf } from "../connectors/kinds";
import type { SchemaObject } from "./fields";
import { counts, duplicates, type Mapping, missing, objectsOf, type Rule, rulesOf, sentOf, valueIn } from "./rules";

const objects = [
  {
    kind: "identity",
    native_type: "u",
    fields: ["mail", "cn", "badge", "token"].map((name) => ({ name, pii: name === "token" ? "secret" : "none" })),
  },
  { kind: "account", native_type: "u", fields: [{ name: "uid", pii: "none" }] },
  { kind: "entitlement", native_type: "g", fields: [{ name: "cn", pii: "none" }] },
] as unknown as SchemaObject[];
const ignore = (source_path: string, note = ""): Mapping => ({
  object: "identity",
  source_path,
  action: "ignore",
  confidence: 0,
  overridden: false,
  note,
});
const map = (source_path: string, target_field: string): Mapping => ({
  object: "identity",
  source_path,
  action: "map",
  target_field,
  heuristic: "synonym",
  confidence: 1,
  overridden: false,
});
const proposals = [map("mail", "email"), ignore("cn", "display_name comes from elsewhere"), ignore("badge"), ignore("token")];

test("a proposal to ignore without a reason is still to be decided", () => {
  const rules = rulesOf(objects, proposals, false, ["identity"]);
  expect(counts(rules)).toEqual({ mapped: 1, todo: 1, ignored: 2 });
  expect(missing(rules, new Map())).toBe("1 open field");
});

test("what was saved is decided, and what it does not name is not", () => {
  const rules = rulesOf(objects, [map("mail", "email"), ignore("cn")], true, kindsOf("both"));
  expect(counts(rules)).toEqual({ mapped: 1, todo: 3, ignored: 1 });
});

test("a kind that is not read is not asked about, and yet sent", () => {
  const rules = rulesOf(objects, proposals, false, kindsOf("source"));
  expect(rules.find((r) => r.object === "account")).toMatchObject({ hidden: true, ignored: true });
  expect(sentOf(rules).map((m) => `${m.object}/${m.source_path} ${m.action}`)).toEqual([
    "identity/mail map",
    "identity/cn ignore",
    "identity/token ignore",
    "account/uid ignore",
  ]);
});

test("two fields do not fill the same one, however it is spelled", () => {
  const rules = rulesOf(objects, [map("mail", "display_name"), map("cn", "displayName")], true, ["identity"]) as Rule[];
  expect([...duplicates(rules).keys()]).toEqual(["identity/mail", "identity/cn"]);
  expect(missing(rules, new Map())).toContain("mapped twice");
});

test("a field whose name has dots is found as it is, or by its way", () => {
  expect(valueIn({ "a.b": 1, a: { b: 2 } }, "a.b")).toBe(1);
  expect(valueIn({ a: { b: 2 } }, "a.b")).toBe(2);
  expect(valueIn({ a: null }, "a.b")).toBe(undefined);
});

test("a field that fills several of ours keeps all of its mappings", () => {
  const rules = rulesOf(objects, [map("mail", "email"), map("mail", "username"), ignore("cn")], true, ["identity"]);
  expect(rules.find((r) => r.field.name === "mail")?.also.map((m) => m.target_field)).toEqual(["username"]);
  expect(sentOf(rules).map((m) => [m.source_path, m.target_field])).toEqual([
    ["mail", "email"],
    ["mail", "username"],
    ["cn", undefined],
    ["uid", undefined],
  ]);
});

const ofGroup = (source_path: string, target_field?: string): Mapping => ({
  ...(target_field ? map(source_path, target_field) : ignore(source_path)),
  object: "entitlement",
});

test("a field of an entitlement may stay without a mapping", () => {
  const rules = rulesOf(objects, [map("mail", "email"), ignore("cn", "why"), ofGroup("cn")], false, kindsOf("both"));
  const group = rules.find((r) => r.key === "entitlement/cn");
  expect(group).toMatchObject({ hidden: false, ignored: false, target: "" });
  expect(counts(rules.filter((r) => r.object === "entitlement"))).toEqual({ mapped: 0, todo: 0, ignored: 0 });
  expect(sentOf(rules).some((m) => m.object === "entitlement")).toBe(false);
  expect(
    objectsOf(
      rules.filter((r) => r.target),
      ["identity"],
    ),
  ).toEqual(["identity"]);
});

test("a field of an entitlement is mapped or ignored as people decide", () => {
  const mapped = rulesOf(objects, [ofGroup("cn", "display_name")], false, kindsOf("target"));
  expect(sentOf(mapped)).toContainEqual({ object: "entitlement", source_path: "cn", action: "map", target_field: "display_name" });
  expect(objectsOf(mapped, ["account"])).toEqual(["account", "entitlement"]);
  const ignored = rulesOf(objects, [ofGroup("cn")], true, kindsOf("target"));
  expect(sentOf(ignored)).toContainEqual({ object: "entitlement", source_path: "cn", action: "ignore" });
});

test("proposals for entitlements of a source of people are left, and what was decided about them is kept", () => {
  expect(sentOf(rulesOf(objects, [ofGroup("cn", "name")], false, kindsOf("source"))).some((m) => m.object === "entitlement")).toBe(false);
  expect(sentOf(rulesOf(objects, [ofGroup("cn", "name")], true, kindsOf("source"))).some((m) => m.object === "entitlement")).toBe(true);
});
