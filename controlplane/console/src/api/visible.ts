import { ask } from "./client";

/** As many IDs as the service takes in one question. */
const most = 100;

type Waiter = { answer: (visible: boolean) => void; fail: (e: unknown) => void };

let waiting = new Map<string, Waiter[]>();

/**
 * Whether the caller may see a person. Everybody who is drawn in the same moment is asked about together: a list of fifty people costs one
 * request.
 */
export function personVisible(id: string): Promise<boolean> {
  return new Promise((answer, fail) => {
    if (waiting.size === 0) setTimeout(() => void send(), 20);
    waiting.set(id, [...(waiting.get(id) ?? []), { answer, fail }]);
  });
}

async function send() {
  const all = [...waiting];
  waiting = new Map();
  for (let i = 0; i < all.length; i += most) {
    const some = all.slice(i, i + most);
    try {
      const { items } = await ask<{ items: { id: string }[] }>("GET", "/identities", {
        query: { ids: some.map(([id]) => id).join(","), limit: most },
      });
      const visible = new Set(items.map((p) => p.id));
      for (const [id, asked] of some) for (const a of asked) a.answer(visible.has(id));
    } catch (e) {
      for (const [, asked] of some) for (const a of asked) a.fail(e);
    }
  }
}
