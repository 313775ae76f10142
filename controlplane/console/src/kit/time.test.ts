import { expect, test } from "vitest";
import { exactTime, relativeTime } from "./time";

const now = Date.parse("2026-03-01T12:00:00Z");

test("moments are told in words, far ones by their date", () => {
  expect(relativeTime("2026-03-01T11:46:00Z", now)).toBe("14 min ago");
  expect(relativeTime("2026-03-01T13:00:00Z", now)).toBe("in 1 hr");
  expect(relativeTime("2026-02-28T12:00:00Z", now)).toBe("yesterday");
  expect(relativeTime("2025-03-01T11:46:00Z", now)).toBe("2025-03-01");
  expect(relativeTime("soon", now)).toBe("soon");
});

test("a moment is told exactTime as people read it", () => {
  expect(exactTime("2026-11-23T08:39:26.303134Z")).toMatch(/^2[2-4] Nov 2026, \d\d:39:26 \S+$/);
  expect(exactTime("soon")).toBe("soon");
});
