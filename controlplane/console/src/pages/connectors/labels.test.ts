import { expect, test } from "vitest";
import { labelsChange, labelsOf } from "./labels";

test("labels are lines, and what is taken away becomes null", () => {
  expect(labelsOf({ tag: "ehr, clinical" })).toEqual(["tag=ehr, clinical"]);
  expect(labelsChange({ tag: "ehr", site: "hq" }, ["tag = ehr=2", "new"])).toEqual({ tag: "ehr=2", site: null, new: "" });
});
