import { expect, test } from "vitest";
import { addProgress, ended, noProgress, type Progress, throughput } from "./progress";

const counters = {
  identities_read: 0,
  accounts_discovered: 0,
  entitlements_mapped: 0,
  grants_recorded: 0,
  errors: 0,
  unresolved_references: 0,
};
const told = (seq: number, more: Partial<Progress> = {}, n = 0) =>
  ({
    event: "sync.progress",
    run_id: "r",
    seq,
    at: new Date(seq * 1000).toISOString(),
    status: "running",
    phase: "read_accounts",
    chunks: 0,
    started_at: null,
    counters: { ...counters, accounts_discovered: n },
    ...more,
  }) as Progress;

test("what is told twice after a cut counts once", () => {
  const once = addProgress(addProgress(noProgress, told(1, {}, 10)), told(2, {}, 40));
  const again = addProgress(once, told(2, {}, 40));
  expect(again.points).toHaveLength(2);
  expect(again.log).toHaveLength(1);
  expect(addProgress(again, told(1)).last?.seq).toBe(2);
});

test("the log says what changes, and how it ends", () => {
  const f = addProgress(
    addProgress(noProgress, told(1)),
    told(2, {
      event: "sync.failed",
      status: "failed",
      phase: "read_grants",
      error_detail: { class: "auth", code: "x", message: "refused", retryable: false },
    }),
  );
  expect(f.log.map((l) => l.words)).toEqual(["Reading accounts", "Reading grants", "refused"]);
  expect(ended("sync.failed")).toBe(true);
  expect(ended("sync.progress")).toBe(false);
});

test("speed is records a second between two moments", () => {
  expect(
    throughput([
      { at: 0, records: 0 },
      { at: 2000, records: 100 },
      { at: 2000, records: 120 },
    ]),
  ).toEqual([{ at: 2000, rate: 50 }]);
});
