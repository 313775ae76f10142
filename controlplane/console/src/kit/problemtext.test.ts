import { expect, test } from "vitest";
import { memberWords, split } from "./problemtext";

const wrong = (pointer: string, detail: string) => ({ pointer, detail, code: "invalid" });
const name = { words: "is taken", label: "Name" };
const owner = { words: "has left", label: "Owner" };

test("what stands at fields is not said again", () => {
  expect(split([wrong("#/owner_id", "has left"), wrong("#/name", "is taken")], [name, owner])).toEqual({ placed: [name, owner], rest: [] });
});

test("what has no field is said whole", () => {
  const inside = wrong("#/rule/0", "names nobody");
  expect(split([wrong("#/name", "is taken"), inside], [name])).toEqual({ placed: [name], rest: [inside] });
});

test("what fields say by themselves is not counted", () => {
  expect(split([wrong("#/name", "is taken")], [name, { words: "This is no JSON yet.", label: "Value" }])).toEqual({
    placed: [name],
    rest: [],
  });
});

test("words of two members at one field are told of both", () => {
  const both = [wrong("#/name", "is taken"), wrong("#/key", "is taken")];
  expect(split(both, [name])).toEqual({ placed: [], rest: both });
});

test("one member at two fields is at both", () => {
  const again = { words: "is taken", label: "Key" };
  expect(split([wrong("#/name", "is taken")], [name, again])).toEqual({ placed: [name, again], rest: [] });
});

test("members are named in words", () => {
  expect(memberWords({ pointer: "#/business_description" })).toBe("Business description");
  expect(memberWords({ pointer: "#/rules/0/value" })).toBe("Rules 1 value");
  expect(memberWords({ pointer: "#/owner_ids" })).toBe("Owners");
  expect(memberWords({ parameter: "limit" })).toBe("Limit");
  expect(memberWords({})).toBe("This request");
});
