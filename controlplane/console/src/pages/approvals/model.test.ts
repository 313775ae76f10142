import { expect, test } from "vitest";
import { bodyOf, draftOf, resolverWords, withoutEmpty } from "./model";

test("what was left empty is not sent", () => {
  expect(withoutEmpty({ a: "", b: undefined, c: { d: "", e: 0, f: false }, g: ["", "x"] })).toEqual({
    c: { e: 0, f: false },
    g: ["", "x"],
  });
});

test("a rule starts with one stage, and keeps what it had", () => {
  const fresh = bodyOf({ ...draftOf(), name: "Finance" });
  expect(fresh.branches).toEqual([
    {
      outcome: {
        kind: "chain",
        stages: [{ name: "Manager", groups: [{ mode: "any", approvers: [{ kind: "manager" }] }], respond_within: "P3D" }],
      },
    },
  ]);
  expect(fresh.grant).toEqual({});
});

test("a patch takes out what was cleared", () => {
  const patch = bodyOf({ ...draftOf(), grant: { max_duration: "" }, emergency: { allowed: false, max_duration: "" } }, true);
  expect(patch.grant).toEqual({ max_duration: null, default_duration: null, allow_permanent: null });
  expect(patch.emergency).toEqual({ allowed: false, max_duration: null, post_review_within: null, rule_id: null });
});

test("resolvers are told in words", () => {
  expect(resolverWords({ kind: "manager", level: 2 })).toBe("The manager, 2 levels up");
  expect(resolverWords({ kind: "resource_owner" })).toBe("Owners of the requested access");
  expect(resolverWords({ kind: "identity", identity_id: "x" }, () => "Ada")).toBe("Ada");
});
