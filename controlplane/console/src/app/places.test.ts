import { expect, test } from "vitest";
import { loaders } from "./pages";
import { placeAt, places } from "./places";

test("an address is the screen that says most", () => {
  expect(placeAt("/people/compare")?.path).toBe("/people/compare");
  expect(placeAt("/people/x-1")?.path).toBe("/people/$id");
  expect(placeAt("/connectors/7/rediscover")?.path).toBe("/connectors/$id/rediscover");
  expect(placeAt("/connectors/7/runs")?.path).toBe("/connectors/$id/$tab");
  expect(placeAt("/nowhere/at/all")).toBeUndefined();
});

test("every screen has its page, and every page its screen", () => {
  expect(Object.keys(loaders).sort()).toEqual(places.map((p) => p.path).sort());
});

test("no two keys lead to different screens", () => {
  const keys = places.flatMap((p) => p.key ?? []);
  expect(new Set(keys).size).toBe(keys.length);
});
