import { expect, test } from "vitest";
import { confidenceText, orphanWords, ownerWords, ruleWords } from "./words";

test("how sure a match is, is said in words", () => {
  expect([0.999, 0.95, 0.8, 0.5, 0.2].map(confidenceText)).toEqual(["almost certain", "very likely", "likely", "possible", "unlikely"]);
});

test("what a rule says is said in words, and what is not known as it is", () => {
  expect(ruleWords("employee_number", "not_matched")).toBe("employee number differs");
  expect([ownerWords("disputed").words, ownerWords("odd").words, orphanWords("owner_deactivated"), orphanWords(null)]).toEqual([
    "disputed",
    "odd",
    "owner has left",
    "orphaned",
  ]);
});
