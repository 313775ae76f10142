import * as text from "#text/provisioning";
import type { Of } from "../../api/types";

export type Task = Of<"Task">;
export type TaskDetail = Of<"TaskDetail">;

const operations: Record<Task["operation"], string> = {
  create_account: text.createAccount,
  update_account: text.updateAccount,
  rename_account: text.renameAccount,
  enable: text.enableAccount,
  disable: text.disableAccount,
  delete_account: text.deleteAccount,
  unlock: text.unlockAccount,
  set_password: text.setPassword,
  grant: text.grantAccess,
  revoke: text.revokeAccess,
};

export const operationOptions = Object.entries(operations);
export const operationWords = (of: string) => operations[of as Task["operation"]] ?? of.replaceAll("_", " ");

const sources: Record<Task["created_from"], string> = {
  birthright: text.birthright,
  policy: text.policy,
  role: "role",
  request: text.request,
  certification: text.review,
  violation: text.violation,
  lifecycle: text.joiningMovingOrLeaving,
  drift: text.driftLower,
  manual: text.manual,
};

export const sourceOptions = Object.entries(sources);
export const sourceWords = (of: string) => sources[of as Task["created_from"]] ?? of.replaceAll("_", " ");

const states: Record<Task["state"], string> = {
  queued: text.queued,
  blocked: text.blocked,
  running: text.inProgressLower,
  verifying: text.inDoubtLower,
  retrying: text.retrying,
  done: text.done,
  failed: text.failedLower,
  manual: text.waitingForAPersonLower,
  cancelled: text.cancelled,
  simulated: text.simulated,
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
