// What a test has to tell in the end: which steps it took, how long they were, and what was wrong.
const failures = [];
const steps = [];
const begun = [];

/** Something is wrong; the test goes on. The same is told once. */
export const fail = (what) => failures.includes(what) || failures.push(what);

/** What comes next, in words. Failures that are thrown name it. */
export function step(words) {
  steps.push(words);
  begun.push(Date.now());
}

/** Fails unless something is so. */
export const expect = (is, what) => is || fail(`${steps.at(-1) ?? "at first"}: ${what}`);

/** Fails unless two things are the same. */
export const same = (got, want, what) =>
  expect(JSON.stringify(got) === JSON.stringify(want), `${what} is ${JSON.stringify(got)}; want ${JSON.stringify(want)}`);

/** Prints what there is to tell, as JSON, for whoever started the test. */
export function tell(more = {}) {
  const took = steps.map((words, i) => ({ words, seconds: ((begun[i + 1] ?? Date.now()) - begun[i]) / 1000 }));
  const slowest = took.sort((a, b) => b.seconds - a.seconds).slice(0, 3).map((s) => `${s.words} ${s.seconds.toFixed(1)} s`);
  console.log(JSON.stringify({ failures, steps, slowest, ...more }));
}

/** What was wrong so far. */
export const wrong = () => [...failures];

/** Where the test is. */
export const at = () => steps.at(-1) ?? "the beginning";
