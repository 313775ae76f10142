import * as text from "#text/inbox";
import type { Of } from "../../api/types";

/** What waits for a decision, as lists tell it, and as it is told alone. */
export type Task = Of<"DecisionTask">;
export type Detail = Of<"DecisionTaskDetail">;
export type Action = Of<"DecisionAction">;

/** What the address says of the inbox. */
export type Search = Partial<Record<"kind" | "risk" | "due" | "group" | "task" | "assigned" | "state" | "q" | "sort", string>>;

const kinds: Record<string, string> = {
  request_approval: text.request,
  request_blocked: text.noApprover,
  external_wait: text.waitingRequest,
  emergency_review: text.emergencyAccess,
  role_proposal: text.roleApproval,
  sync_hold: text.heldSync,
  schema_diff: text.schemaChange,
  account_correlation: text.disputedAccount,
  orphan_account: text.orphanAccount,
  manual_provisioning: text.manualTask,
  provisioning_failure: text.failedTask,
  provisioning_hold: text.heldTask,
  pack_conflict: text.packConflict,
  native_grant: text.reappearedAccess,
  sod_violation: text.violation,
  blind_policy: text.blindPolicy,
  mitigation_approval: text.mitigation,
  mitigation_evidence: text.evidenceDue,
  mitigation_review: text.evidenceReview,
  mitigation_end: text.mitigationEnd,
  requirement_gap: text.requirementGap,
  lifecycle_exception: text.accessToReview,
  mail_bounce: text.rejectedAddress,
};

/** What a kind of task is called; one that is not known here by its own name. */
export const kindWords = (kind: string) => kinds[kind] ?? sentence(kind);

/** Every kind that is known here, and what it is called. */
export const kindOptions = Object.entries(kinds) as [string, string][];

/** Kinds that are looked at together, above the list. */
export const themes: [string, string[]][] = [
  [text.requests, ["request_approval", "request_blocked", "external_wait", "emergency_review"]],
  [text.accounts, ["account_correlation", "orphan_account"]],
  [text.reappearedAccess, ["native_grant"]],
  [
    text.violations,
    [
      "sod_violation",
      "blind_policy",
      "mitigation_approval",
      "mitigation_evidence",
      "mitigation_review",
      "mitigation_end",
      "requirement_gap",
    ],
  ],
  [text.accessToReview, ["lifecycle_exception"]],
  [text.provisioning, ["manual_provisioning", "provisioning_failure", "provisioning_hold"]],
  [text.syncsAndSchemas, ["sync_hold", "schema_diff"]],
  [text.rolesAndPacks, ["role_proposal", "pack_conflict"]],
  [text.rejectedAddresses, ["mail_bounce"]],
];

/** orphan_account becomes Orphan account. */
export function sentence(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the API is asked for. now is when the days of due are counted from. */
export function queryOf(s: Search, readOnly: boolean, now: Date): Record<string, string> {
  const q: Record<string, string> = { assigned: s.assigned ?? (readOnly ? "all" : "mine") };
  if (s.kind) q.kind = s.kind;
  if (s.risk) q.risk_level = s.risk;
  if (s.q) q.q = s.q;
  if (s.state === "decided") q.state = "decided";
  if (s.state === "closed") q.state = "expired,cancelled,superseded";
  if (s.sort) q.sort = s.sort;
  else if (s.state) q.sort = "-created_at";
  if (s.due === "overdue") q.overdue = "true";
  if (s.due === "today") q.due_before = endOfDay(now, 0);
  if (s.due === "week") q.due_before = endOfDay(now, 6);
  return q;
}

function endOfDay(now: Date, days: number): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days + 1).toISOString();
}

/** Tasks that belong together, and what they have in common. */
export type Group = { key: string; words: string; tasks: Task[] };

/** Puts tasks together by whom or what they are about, in the order in which they first appear. */
export function groupsOf(tasks: Task[], by: string | undefined): Group[] {
  if (!by) return [{ key: "", words: "", tasks }];
  const found = new Map<string, Group>();
  for (const task of tasks) {
    const [key, words] = common(task, by);
    const group = found.get(key) ?? { key, words, tasks: [] };
    group.tasks.push(task);
    found.set(key, group);
  }
  return by === "alike" ? apart([...found.values()]) : [...found.values()];
}

/** Says of groups with the same words what tells them apart: the system, the kind of request, the step, or else their number. */
function apart(groups: Group[]): Group[] {
  const same = new Map<string, Group[]>();
  for (const g of groups) same.set(g.words, [...(same.get(g.words) ?? []), g]);
  return groups.map((g) => {
    const alike = same.get(g.words) ?? [];
    if (alike.length < 2) return g;
    const of = alike.map((x) => marksOf(x.tasks[0]));
    const mine = of[alike.indexOf(g)] ?? [];
    const own = mine.filter((mark, i) => mark && of.some((other) => other[i] !== mark));
    const again = of.filter((other, i) => i < alike.indexOf(g) && other.join() === mine.join()).length;
    return { ...g, words: [g.words, ...own, ...(again ? [`${again + 1}`] : [])].join(" · ") };
  });
}

const asks: Record<string, string> = { extend: text.extension, revoke: text.endOfAccess, return: text.returnLabel };

const marksOf = (task: Task | undefined) => [
  words(task?.context, "item", "system") ?? words(task?.context, "connector", "display") ?? "",
  asks[words(task?.context, "request", "kind") ?? ""] ?? "",
  words(task?.context, "stage", "name") ?? "",
];

function common(task: Task, by: string): [string, string] {
  if (by === "alike") return task.group_key ? [task.group_key, alike(task)] : ["", text.noGrouping];
  const ref = by === "person" ? personOf(task) : resourceOf(task);
  return ref ? [ref.id, ref.display || text.withoutAName] : ["", by === "person" ? text.withoutAPerson : text.withoutASubject];
}

/** What tasks of one group_key have in common, in words: their kind, and what they come from where that is one thing. */
function alike(task: Task): string {
  const from = task.source.type === "access_request" || task.source.type === "provisioning_task" ? resourceOf(task) : task.source;
  return [kindWords(task.kind), from?.display].filter(Boolean).join(" · ");
}

type Ref = { type: string; id: string; display?: string | undefined };

/** Whom a task is about. */
export function personOf(task: Task): Ref | undefined {
  const all: Ref[] = [task.subject, ...task.links];
  return all.find((r) => r.type === "identity");
}

/** What a task is about: access, an account, a role, a system. */
export function resourceOf(task: Task): Ref | undefined {
  const all: Ref[] = [...task.links, task.subject, task.source];
  const first = ["entitlement", "role", "account", "connector", "sector_pack"];
  for (const type of first) {
    const found = all.find((r) => r.type === type);
    if (found) return found;
  }
  return undefined;
}

/**
 * The action that a task offers first. An account whose owner has left is disabled: whose it was is known, so that linking it anew is not
 * what is asked.
 */
export function mainOf(task: Pick<Task, "kind" | "context" | "actions">): string | undefined {
  const left = task.kind === "orphan_account" && /^owner_(deactivated|archived)$/.test(words(task.context, "reason") ?? "");
  if (left && task.actions.some((a) => a.key === "disable")) return "disable";
  return task.actions.find((a) => a.style === "positive")?.key;
}

/** The key that takes an action: A for the first that is good, R for the first that refuses, digits for the others. */
export function keysOf(actions: Action[]): Map<string, string> {
  const keys = new Map<string, string>();
  const yes = actions.find((a) => a.style === "positive");
  const no = actions.find((a) => a.style === "negative");
  let digit = 0;
  for (const a of actions) {
    if (a === yes) keys.set("a", a.key);
    else if (a === no) keys.set("r", a.key);
    else if (digit < 9) keys.set(String(++digit), a.key);
  }
  return keys;
}

/**
 * The actions that all of these tasks take, and that say the same of each: nothing has to be chosen task by task. For violations of one
 * policy, that is also the control that mitigates them.
 */
export function sharedActions(tasks: Task[]): Action[] {
  const [first, ...rest] = tasks;
  if (!first) return [];
  const alike = first.kind === "sod_violation" && tasks.every((t) => t.group_key && t.group_key === first.group_key);
  const plain = (a: Action) => a.requires.every((r) => r === "comment" || (alike && r === "inputs.mitigation_policy_id"));
  return first.actions
    .filter((a) => rest.every((t) => t.actions.some((b) => b.key === a.key && plain(b))) && plain(a))
    .map((a) => ({
      ...a,
      label: rest.every((t) => t.actions.some((b) => b.key === a.key && b.label === a.label)) ? a.label : sentence(a.key),
      requires: [
        ...(tasks.some((t) => t.actions.some((b) => b.key === a.key && b.requires.includes("comment"))) ? ["comment"] : []),
        ...a.requires.filter((r) => r !== "comment"),
      ],
    }));
}

/** For how long many decisions can be undone, in seconds: undoing them takes a call each, and the service takes 100 in a second. */
export const windowOf = (count: number) => (count === 1 ? 10 : 10 + Math.ceil(count / 25));

/** Reads a member of what a task tells, however deep; undefined where it is not there. */
export function at(of: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((o, name) => (typeof o === "object" && o !== null ? (o as Record<string, unknown>)[name] : undefined), of);
}

/** The same as text, where it is one that says something. */
export function words(of: unknown, ...path: string[]): string | undefined {
  const value = at(of, ...path);
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
}

/** The same as a list of objects. */
export function rows(of: unknown, ...path: string[]): Record<string, unknown>[] {
  const value = at(of, ...path);
  return Array.isArray(value) ? value.filter((v) => typeof v === "object" && v !== null) : [];
}
