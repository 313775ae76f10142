import * as text from "#text/api";

/** Refusals that are about the one thing: it has changed, has gone on, is no more, or cannot be as it is asked. */
const own = new Set([404, 409, 412, 422]);

/** What came of doing the same for several: how many it was done for, and why not for the others. */
export type BatchResult = { good: number; refused: Error[] };

/**
 * Does the same for each of several, a few at a time. Those that the service refuses for a reason of their own are told in the end; anything
 * else, such as a service that is away, ends it and is thrown. Write with the version that is seen, where there is one: nothing is done twice then.
 */
export async function forEachSettled<T>(of: readonly T[], act: (one: T) => Promise<unknown>): Promise<BatchResult> {
  const left = [...of];
  const refused: Error[] = [];
  const next = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      try {
        await act(one);
      } catch (e) {
        if (!(e instanceof Error && "status" in e && own.has(e.status as number))) {
          left.length = 0;
          throw e;
        }
        refused.push(e);
      }
    }
  };
  await Promise.all(Array.from({ length: 6 }, next));
  return { good: of.length - refused.length, refused };
}

/** "; 2 could not be: …" with the first reason, when there is one. */
export const failureSummary = (r: BatchResult) =>
  r.refused.length > 0 ? text.countFailedMessage(r.refused.length, r.refused[0]?.message) : ".";
