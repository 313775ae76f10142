import { expect, test } from "vitest";
import { failureSummary, forEachSettled } from "./batch";

const refusal = (status: number, words: string) => Object.assign(new Error(words), { status });
const one = (n: number) => (n % 2 === 0 ? Promise.resolve() : Promise.reject(refusal(412, "it has changed")));

test("what is refused for a reason of its own is told, and the others are done", async () => {
  const r = await forEachSettled([1, 2, 3, 4, 5, 6, 7, 8, 9], one);
  expect(r.good).toBe(4);
  expect(failureSummary(r)).toBe("; 5 failed: it has changed");
  expect(failureSummary(await forEachSettled([], one))).toBe(".");
});

test("anything else ends it, and is thrown", async () => {
  const done: number[] = [];
  const of = Array.from({ length: 100 }, (_, n) => n);
  const act = async (n: number) => {
    done.push(n);
    if (n === 3) throw refusal(400, "no UUID");
  };
  await expect(forEachSettled(of, act)).rejects.toThrow("no UUID");
  expect(done.length).toBeLessThan(20);
});
