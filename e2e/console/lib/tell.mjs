// What a test has to tell in the end: which steps it took, how long they were, and what was wrong.
const failures = [];
const steps = [];

/** Something is wrong; the test goes on. The same is told once. */
export const fail = (what) => failures.includes(what) || failures.push(what);

/** What comes next, in words. Failures that are thrown name it. */
export const step = (words) => steps.push(words);

/** Fails unless something is so. */
export const expect = (is, what) => is || fail(`${steps.at(-1) ?? "at first"}: ${what}`);

/** Fails unless two things are the same. */
export const same = (got, want, what) =>
  expect(JSON.stringify(got) === JSON.stringify(want), `${what} is ${JSON.stringify(got)}; want ${JSON.stringify(want)}`);

/** Prints what there is to tell, as JSON, for whoever started the test. */
export function tell(more = {}) {
  console.log(JSON.stringify({ failures, steps, ...more }));
}

/** What was wrong so far. */
export const wrong = () => [...failures];

/** Where the test is. */
export const at = () => steps.at(-1) ?? "the beginning";
