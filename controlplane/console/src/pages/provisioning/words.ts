import type { Of } from "../../api/types";

export type Task = Of<"Task">;
export type TaskDetail = Of<"TaskDetail">;

const operations: Record<Task["operation"], string> = {
  create_account: "Create account",
  update_account: "Update account",
  rename_account: "Rename account",
  enable: "Enable account",
  disable: "Disable account",
  delete_account: "Delete account",
  unlock: "Unlock account",
  set_password: "Set password",
  grant: "Grant access",
  revoke: "Revoke access",
};

export const operationOptions = Object.entries(operations);
export const operationWords = (of: string) => operations[of as Task["operation"]] ?? of.replaceAll("_", " ");

const sources: Record<Task["created_from"], string> = {
  birthright: "birthright",
  policy: "policy",
  role: "role",
  request: "request",
  certification: "review",
  violation: "violation",
  lifecycle: "joining, moving or leaving",
  drift: "drift",
  manual: "manual",
};

export const sourceOptions = Object.entries(sources);
export const sourceWords = (of: string) => sources[of as Task["created_from"]] ?? of.replaceAll("_", " ");

const states: Record<Task["state"], string> = {
  queued: "queued",
  blocked: "blocked",
  running: "in progress",
  verifying: "in doubt",
  retrying: "retrying",
  done: "done",
  failed: "failed",
  manual: "waiting for a person",
  cancelled: "cancelled",
  simulated: "simulated",
};

export const stateOptions = Object.entries(states);
export const stateWords = (of: string) => states[of as Task["state"]] ?? of;

/** How serious the state of a task is. */
export function stateTone(of: Task["state"]): "ok" | "warn" | "bad" | "info" | "neutral" {
  if (of === "done") return "ok";
  if (of === "failed") return "bad";
  if (of === "manual" || of === "verifying" || of === "retrying") return "warn";
  return of === "cancelled" || of === "simulated" ? "neutral" : "info";
}

/** What a task does, in a few words. */
export function operationText(t: Task): string {
  const to = t.entitlement ? `: ${t.entitlement.display}` : "";
  return operationWords(t.operation) + to;
}

/** What an administrator may do with a task as it stands. */
export const can = {
  retry: (t: Task) => t.state === "failed" || t.state === "retrying",
  cancel: (t: Task) => ["queued", "blocked", "retrying", "failed", "manual"].includes(t.state),
  complete: (t: Task) => ["manual", "failed"].includes(t.state),
};
