import { expect, test } from "vitest";
import { applies, patchOf, type Setting, textOf } from "./settings";

const field = (key: string, more: Partial<Setting> = {}): Setting => ({
  key,
  label: key,
  type: "string",
  required: false,
  secret: false,
  ...more,
});
const method = field("auth_method", { type: "enum", enum: ["none", "basic"], default: "none" });
const user = field("username", { depends_on: "auth_method", depends_vals: ["basic"] });

test("only the fields of what was chosen apply", () => {
  expect(applies(user, [method, user], () => "")).toBe(false);
  expect(applies(user, [method, user], (k) => (k === "auth_method" ? "basic" : ""))).toBe(true);
});

test("only what was typed is sent, in its type", () => {
  const fields = [
    field("host"),
    field("port", { type: "integer" }),
    field("classes", { type: "string_list" }),
    field("streams", { type: "object_list" }),
    field("password", { secret: true }),
    field("base"),
  ];
  expect(patchOf(fields, { host: " a ", port: "636", classes: "x\n\n y", streams: '[{"name":"a"}]', password: "" })).toEqual({
    connection: { host: "a", port: 636, classes: ["x", "y"], streams: [{ name: "a" }] },
    credentials: {},
    wrong: {},
  });
  expect(patchOf(fields, { host: "", password: " s " })).toEqual({
    connection: { host: null },
    credentials: { password: " s " },
    wrong: {},
  });
});

test("what cannot be sent says so at its field", () => {
  const fields = [field("port", { type: "integer" }), field("streams", { type: "object_list" })];
  const { wrong, connection } = patchOf(fields, { port: "ldap", streams: "{}" });
  expect(wrong.port).toContain("whole number");
  expect(wrong.streams).toContain("list");
  expect(connection).toEqual({});
});

test("what is kept is shown as it would be typed", () => {
  expect(textOf(field("classes", { type: "string_list" }), {}, { classes: ["a", "b"] })).toBe("a\nb");
  expect(textOf(field("o", { type: "object" }), {}, { o: { a: 1 } })).toBe('{\n  "a": 1\n}');
  expect(textOf(field("host"), { host: "" }, { host: "x" })).toBe("");
});
