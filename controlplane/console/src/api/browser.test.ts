import { expect, test } from "vitest";
import { uuid } from "./browser";

test("keys are UUIDs of version 4, and differ", () => {
  const made = new Set(Array.from({ length: 1000 }, uuid));
  expect(made.size).toBe(1000);
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
