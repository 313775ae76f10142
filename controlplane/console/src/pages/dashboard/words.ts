import * as texts from "#text/dashboard";
import type { Of } from "../../api/types";

/** Good morning from five until noon, good evening from six; with the first name of somebody who has one. */
export function greeting(name: string, hour: number): string {
  const time = hour < 5 || hour >= 18 ? texts.goodEvening : hour < 12 ? texts.goodMorning : texts.goodAfternoon;
  const first = name.includes("@") ? "" : (name.trim().split(/\s+/)[0] ?? "");
  return first ? `${time}, ${first}` : time;
}

/** What needs somebody, in one sentence. */
export function openTasksText(
  d: Pick<Of<"Dashboard">, "inbox" | "connectors" | "held" | "provisioning"> & Partial<Pick<Of<"Dashboard">, "checklist">>,
): string {
  const all = [
    d.inbox.open > 0 &&
      (d.inbox.overdue > 0
        ? texts.decisionsWaitForYouOverdueOverdue(d.inbox.open, d.inbox.overdue.toLocaleString("en"))
        : texts.decisionsWaitForYou(d.inbox.open)),
    d.connectors && d.connectors.failing_total > 0 && texts.connectorsFail(d.connectors.failing_total),
    d.held && d.held.total > 0 && texts.syncsAreHeld(d.held.total),
  ].filter((s): s is string => Boolean(s));
  // Where nothing was connected, nothing runs by itself.
  if (all.length === 0 && d.checklist && !d.checklist.system_connected) return texts.noSystemsAreConnectedYetStart;
  if (all.length === 0) return texts.noOpenTasks;
  const text = all.length === 1 ? all[0] : `${all.slice(0, -1).join("; ")}; ${all.at(-1)}`;
  return `${text}.`;
}

/** A run on the line of its connector: where it begins and how wide it is, as parts of the whole time, and how it went. */
export type Mark = {
  id: string;
  connector: string;
  from: number;
  width: number;
  tone: "ok" | "warn" | "bad" | "info";
  status: string;
  at: string;
  until: string | null;
};

const tones: Record<string, Mark["tone"]> = {
  succeeded: "ok",
  failed: "bad",
  partial: "warn",
  held: "warn",
  cancelled: "warn",
  discarded: "warn",
};
const narrowest = 0.006;

/** Puts runs on the time from since to at; what began before is cut there. */
export function marks(runs: Of<"DashboardRun">[], since: string, at: string): Mark[] {
  const begin = Date.parse(since);
  const whole = Date.parse(at) - begin || 1;
  const part = (t: string) => Math.min(1, Math.max(0, (Date.parse(t) - begin) / whole));
  return runs.map((r) => {
    const from = part(r.started_at ?? r.created_at);
    const width = Math.max(narrowest, (r.finished_at ? part(r.finished_at) : 1) - from);
    // A run that is held waits for somebody: it is as long as it ran, which nobody knows any more, and not until now.
    const shown = r.status === "held" ? narrowest : width;
    return {
      id: r.id,
      connector: r.connector_id,
      from: Math.min(from, 1 - Math.min(shown, 1)),
      width: shown,
      tone: tones[r.status] ?? "info",
      status: r.status,
      at: r.started_at ?? r.created_at,
      until: r.finished_at,
    };
  });
}

/** Every third full hour between two moments, in the time of the browser. */
export function hours(since: string, at: string): { part: number; words: string }[] {
  const begin = Date.parse(since);
  const end = Date.parse(at);
  const first = new Date(begin);
  first.setMinutes(0, 0, 0);
  const found = [];
  for (let t = first.getTime() + 3_600_000; t <= end; t += 3_600_000) {
    const d = new Date(t);
    if (d.getHours() % 3 === 0) found.push({ part: (t - begin) / (end - begin), words: `${String(d.getHours()).padStart(2, "0")}:00` });
  }
  return found;
}
