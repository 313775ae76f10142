import { isValidElement, type ReactElement, type ReactNode } from "react";
import { expect, test } from "vitest";
import { conjunction, disjunction, plural, rich } from "./format";

const accounts = { one: "# account", other: "# accounts" };

test("a noun has the form of its number, and the number its commas", () => {
  expect([1, 0, 2, 2808].map((n) => plural(n, accounts))).toEqual(["1 account", "0 accounts", "2 accounts", "2,808 accounts"]);
  expect([undefined, null].map((n) => plural(n, accounts))).toEqual(["0 accounts", "0 accounts"]);
});

test("a sentence keeps its words and elements in order", () => {
  const sentence = rich`Merged into ${"Ann"} on ${3}.`;
  expect(isValidElement(sentence)).toBe(true);
  const { children } = (sentence as ReactElement<{ children: ReactNode[] }>).props;
  expect(children.join("")).toBe("Merged into Ann on 3.");
});

test("names are listed as the language lists them", () => {
  expect(conjunction(["Ann", "Bob", "Eve"])).toBe("Ann, Bob, and Eve");
  expect(disjunction(["Ann", "Bob"])).toBe("Ann or Bob");
  expect(conjunction([])).toBe("");
});
