import { expect, test } from "vitest";
import { fitting } from "./values";
import { reachable } from "./words";

test("an upgrade does not go back", () => {
  const versions = ["1.10.0", "1.9.0", "1.0.0"];
  expect(reachable(versions, "1.9.0")).toEqual(["1.10.0", "1.9.0"]);
  expect(reachable(versions, undefined)).toEqual(versions);
  expect(reachable(versions, "0.9.0")).toEqual(versions);
});

test("a version is given what it asks for", () => {
  const asks = (key: string, value: unknown) => ({ key, default: value }) as never;
  expect(fitting([asks("shelf", "A"), asks("floor", "2")], { shelf: "B", gone: "x" })).toEqual({ shelf: "B", floor: "2" });
  expect(fitting([asks("count", 3)], { count: undefined })).toEqual({});
});
