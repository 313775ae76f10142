import type { QueryClient } from "@tanstack/react-query";
import * as text from "#text/inbox";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { showRefusal } from "../../kit/toast";
import { parts } from "../../kit/viewport";
import { type Task, windowOf } from "./tasks";

/** What somebody answers: an action, and what it takes. */
export type Decision = { action: string; label: string; comment?: string; inputs?: Record<string, unknown> };

/** Decisions that were made together. until is when they take effect, in milliseconds; sent gives the ids that the service has taken. */
export type Batch = { words: string; until: number; sent: Promise<string[]>; undone?: boolean; close?: () => void };

/** What the list shows otherwise than the service has told last: who has gone from it, and what was refused and why. */
export type Overlay = { gone: ReadonlySet<string>; refused: ReadonlyMap<string, { title: string; why: string }> };

const most = 500; // tasks in a call
let overlay: Overlay = { gone: new Set(), refused: new Map() };
let batches: Batch[] = [];
const listeners = new Set<() => void>();

export const currentOverlay = () => overlay;
export const subscribeOverlay = (told: () => void) => {
  listeners.add(told);
  return () => listeners.delete(told);
};

function show(change: Partial<Overlay>) {
  overlay = { ...overlay, ...change };
  for (const told of listeners) told();
}

/** Takes tasks from the list before the service has answered. */
export function hideDecided(ids: string[]) {
  show({ gone: new Set([...overlay.gone, ...ids]), refused: new Map([...overlay.refused].filter(([id]) => !ids.includes(id))) });
}

/** Brings them back. */
export function restoreTasks(ids: string[]) {
  const gone = new Set(overlay.gone);
  for (const id of ids) gone.delete(id);
  show({ gone });
}

/** Says beside tasks why they could not be decided. */
export function refuse(why: [Task, string][]) {
  show({ refused: new Map([...overlay.refused, ...why.map(([t, w]) => [t.id, { title: t.title, why: w }] as const)]) });
}

/** Takes away what was said of refusals: of one task, or of all. */
export function forget(id?: string) {
  show({ refused: new Map(id ? [...overlay.refused].filter(([i]) => i !== id) : []) });
}

/** Has the lists and the counts of tasks read again. */
export function invalidateTasks(queries: QueryClient) {
  return queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/decision-tasks") });
}

/** Decides one task, to take effect when it can no longer be undone. It is decided as it was seen: If-Match. */
export async function decideOne(task: Task, choice: Decision, key: string): Promise<string[]> {
  const path = `/decision-tasks/${task.id}`;
  try {
    await again(() => ask("POST", `${path}/decide`, { body: bodyOf(choice, windowOf(1)), ifMatch: task.version, key }));
  } catch (e) {
    if (e instanceof Refusal && e.status === 412) throw new Error(changed(await ask<Task>("GET", path)));
    throw e;
  }
  return [task.id];
}

/** What has happened to a task that is not any more as it was seen. */
function changed(now: Task): string {
  const d = now.decision;
  if (d) return text.byHasAlreadyDecidedLabel(d.by.display, now.actions.find((a) => a.key === d.action)?.label ?? d.action);
  if (now.closed_reason) return text.theTaskIsClosedClosedReason(now.closed_reason);
  if (now.claimed_by) return text.claimedByHasClaimedThisTask(now.claimed_by.display);
  return text.theTaskHasChangedSinceYou;
}

/** Decides many the same way, 500 a call; told hears how far it has come. What is refused is said beside the tasks and stays. */
export async function decideMany(tasks: Task[], choice: Decision, told: (done: number) => void): Promise<string[]> {
  const taken: string[] = [];
  const seconds = windowOf(tasks.length);
  let done = 0;
  for (const part of parts(tasks, most)) {
    const body = { ...bodyOf(choice, seconds), ids: part.map((t) => t.id) };
    const key = crypto.randomUUID();
    try {
      const answer = await again(() => ask<Of<"DecisionBulk">>("POST", "/decision-tasks/bulk-decide", { body, key }));
      const results = new Map(answer.results.map((r) => [r.id, r]));
      const refused = part.filter((t) => results.get(t.id)?.result === "refused");
      restoreTasks(refused.map((t) => t.id));
      refuse(refused.map((t) => [t, results.get(t.id)?.detail ?? text.theServiceReturnedNoReason]));
      taken.push(...answer.results.filter((r) => r.result !== "refused").map((r) => r.id));
    } catch (e) {
      const rest = tasks.slice(done);
      restoreTasks(rest.map((t) => t.id));
      if (done === 0) throw e;
      refuse(rest.map((t) => [t, refusalText(e)]));
      showRefusal(e);
      break;
    }
    done += part.length;
    told(done);
  }
  return taken;
}

const bodyOf = (c: Decision, seconds: number) => ({
  action: c.action,
  defer_seconds: seconds,
  ...(c.comment?.trim() ? { comment: c.comment.trim() } : {}),
  ...(c.inputs ? { inputs: c.inputs } : {}),
});

/** Tries again once, with the same key, where the service was not there or has asked to wait. */
async function again<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (e) {
    if (!(e instanceof Refusal) || (e.status !== 0 && e.status !== 429 && e.status !== 503)) throw e;
    await new Promise((r) => setTimeout(r, 1500));
    return send();
  }
}

/** A refusal in a sentence. */
export function refusalText(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

/** Remembers decisions so that they can be undone, and shows the tasks again, where they still wait, once that is over. */
export function rememberBatch(batch: Batch, queries: QueryClient) {
  batches = [...batches, batch];
  const over = () => {
    batches = batches.filter((b) => b !== batch);
  };
  const settle = (ids: string[]) => {
    over();
    restoreTasks(ids);
    void invalidateTasks(queries);
  };
  void batch.sent.then((ids) => setTimeout(() => settle(ids), Math.max(0, batch.until - Date.now()) + 4000), over);
}

/** The last decisions that can still be undone. */
export const lastBatch = () => batches.filter((b) => !b.undone && b.until > Date.now()).at(-1);

/** Undoes decisions, a call each; not more than the service takes. Gives how many it was too late for, with the reason of the last. */
export async function undo(batch: Batch, queries: QueryClient): Promise<{ undone: number; late: number; why: string }> {
  batch.undone = true;
  batch.close?.();
  const ids = await batch.sent;
  let why = "";
  const back: string[] = [];
  const queue = [...ids];
  const worker = async () => {
    for (let id = queue.shift(); id; id = queue.shift()) {
      try {
        const path = `/decision-tasks/${id}/undo`;
        const key = crypto.randomUUID();
        await again(() => ask("POST", path, { key }));
        back.push(id);
      } catch (e) {
        why = refusalText(e);
      }
      if (ids.length > 100) await new Promise((r) => setTimeout(r, 60));
    }
  };
  await Promise.all(Array.from({ length: Math.min(5, ids.length) }, worker));
  restoreTasks(back);
  await invalidateTasks(queries);
  return { undone: back.length, late: ids.length - back.length, why };
}
