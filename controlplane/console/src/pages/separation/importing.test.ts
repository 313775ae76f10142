import { expect, test } from "vitest";
import { firstItems, formatOf, type Item, optionsBody, usual } from "./importing";

test("the names of files tell their format", () => {
  expect(formatOf(["rules.yaml", "more.YML"])).toBe("yaml");
  expect(formatOf(["risk.txt", "function action.txt"])).toBe("sap-grc-txt");
  expect(formatOf(["rules.zip", "duties.csv"])).toBe("csv");
  expect([formatOf(["rules.zip"]), formatOf(["rules.yaml", "rules.xml"]), formatOf([])]).toEqual([undefined, undefined, undefined]);
});

test("options without a value are not sent", () => {
  expect(optionsBody({ ...usual, ruleSet: " ", systems: [{ name: "P01", connector: null }] })).toEqual({
    format: "auto",
    permissions: "groups",
    systems: {},
  });
  const connector = { id: "c1", words: "ERP" };
  expect(optionsBody({ ...usual, connector, systems: [{ name: " P01 ", connector }] })).toMatchObject({
    connector: "c1",
    systems: { P01: "c1" },
  });
});

test("what is refused stands first, and what stays last", () => {
  const items = ["unchanged", "created", "refused", "updated"].map((action) => ({ action })) as Item[];
  expect(firstItems(items, "", 3).map((i) => i.action)).toEqual(["refused", "created", "updated"]);
  expect(firstItems(items, "unchanged", 9).map((i) => i.action)).toEqual(["unchanged"]);
});
