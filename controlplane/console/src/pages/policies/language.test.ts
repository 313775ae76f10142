import { expect, test } from "vitest";
import { asGroup, kindOf, matchAll, typedAs, unfinished, vocabulary, withField, withOperator } from "./language";

test("a condition is a group, whatever it was", () => {
  const rule = { field: "department", op: "eq", value: "Finance" };
  expect(asGroup(rule)).toEqual({ match: "all", rules: [rule] });
  expect(asGroup({ expression: "True" })).toEqual({ match: "all", rules: [{ expression: "True" }] });
  expect(asGroup(null)).toEqual(matchAll);
  expect(asGroup({ match: "none", rules: [] })).toEqual({ match: "none", rules: [] });
});

test("another field keeps what still fits", () => {
  const rule = { field: "department", op: "in", value: ["Finance", "Legal"] };
  expect(withField(rule, "title")).toEqual({ field: "title", op: "in", value: ["Finance", "Legal"] });
  expect(withField(rule, "start_date")).toEqual({ field: "start_date", op: "eq", value: "" });
  expect(withField(rule, "is_disabled")).toEqual({ field: "is_disabled", op: "eq", value: true });
  expect(withField(rule, "has_role")).toEqual({ op: "has_role", value: "" });
});

test("another operator keeps the value in its shape", () => {
  expect(withOperator({ field: "title", op: "eq", value: "Nurse" }, "in")).toEqual({ field: "title", op: "in", value: ["Nurse"] });
  expect(withOperator({ field: "title", op: "in", value: ["a", "b"] }, "eq")).toEqual({ field: "title", op: "eq", value: "a" });
  expect(withOperator({ field: "title", op: "eq", value: "a" }, "exists")).toEqual({ field: "title", op: "exists", value: true });
});

test("values have the type of their field", () => {
  expect(kindOf({ op: "has_role", value: "x" })).toBe("role");
  expect(typedAs("any", "7")).toBe(7);
  expect(typedAs("code", "0042")).toBe("0042");
  expect(vocabulary("people").length).toBe(1);
  expect(
    vocabulary("requests")
      .flatMap(([, t]) => t)
      .some((t) => t.name === "item.tags"),
  ).toBe(true);
});

test("a clause without a value is unfinished, and not wrong", () => {
  const of = (value: unknown) => ({ match: "all", rules: [{ field: "department", op: "eq", value }] });
  expect(unfinished(of(""), "#/rules/0/value")).toBe(true);
  expect(unfinished(of([]), "#/rules/0")).toBe(true);
  expect(unfinished(of("Finance"), "#/rules/0/value")).toBe(false);
  expect(unfinished({ match: "any", rules: [] }, "#")).toBe(false);
  expect(unfinished({ match: "all", rules: [of("")] }, "#/rules/0/rules/0/value")).toBe(true);
});
