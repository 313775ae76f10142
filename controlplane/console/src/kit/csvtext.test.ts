import { expect, test } from "vitest";
import { cell, csvOf } from "./csvtext";

test("cells cannot become formulas, nor break their line", () => {
  expect(["=1+1", "+49", "-3", "@x", " =cmd"].map(cell)).toEqual(["'=1+1", "'+49", "'-3", "'@x", "' =cmd"]);
  expect(cell('a "b", c\nd')).toBe('"a ""b"", c\nd"');
  expect(cell(-3)).toBe("-3");
  expect(cell(null)).toBe("");
});

test("only columns with a text are told", () => {
  const columns = [
    { title: "Name", cell: () => null, text: (r: { n: string }) => r.n },
    { title: "Picture", cell: () => null },
  ];
  expect(csvOf(columns, [{ n: "Zoë" }])).toBe("\ufeffName\r\nZoë\r\n");
});
