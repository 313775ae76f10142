import { useRef, useState } from "react";
import * as text from "#text/inbox";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import type { Decision } from "./decisions";
import { InputsOf } from "./inputs";
import type { Action, Task } from "./tasks";

type Props = {
  /** One task, or several that get the same answer. */
  tasks: Task[];
  action: Action;
  close: () => void;
  /** key is the Idempotency-Key of this answer: the same while the same is sent again. */
  act: (choice: Decision, key: string) => Promise<unknown>;
};

/** Asks for what an action takes: a reason, and what is particular to it. */
export default function ActionForm({ tasks, action, close, act }: Props) {
  const [comment, setComment] = useState("");
  const [inputs, setInputs] = useState<Record<string, unknown>>({});
  const meant = useRef({ what: "", key: "" });
  const [task] = tasks;
  if (!task) return null;
  const needsReason = action.requires.includes("comment");
  const needed = action.requires.filter((r) => r.startsWith("inputs.")).map((r) => r.slice("inputs.".length));
  const lacking = (needsReason && !comment.trim()) || needed.some((n) => !given(inputs[n]));
  const many = tasks.length > 1;
  const send = () => {
    const told = Object.fromEntries(Object.entries(inputs).filter(([, v]) => given(v)));
    const choice: Decision = {
      action: action.key,
      label: action.label,
      comment,
      ...(Object.keys(told).length > 0 ? { inputs: told } : {}),
    };
    const what = JSON.stringify(choice);
    if (meant.current.what !== what) meant.current = { what, key: crypto.randomUUID() };
    return act(choice, meant.current.key);
  };
  return (
    <ConfirmDialog
      open
      close={close}
      wide={task.kind === "schema_diff" || task.kind === "pack_conflict"}
      title={many ? `${action.label}: ${text.taskCount(tasks.length)}` : action.label}
      lead={many ? text.theSameDecisionAppliesToAll : <bdi>{task.title}</bdi>}
      verb={many ? `${action.label} (${tasks.length.toLocaleString("en")})` : action.label}
      tone={action.style === "negative" ? "danger" : "primary"}
      disabled={lacking}
      act={send}
    >
      {(!many || needed.length > 0) && (
        <InputsOf task={task} action={action} value={inputs} set={(name, v) => setInputs((was) => ({ ...was, [name]: v }))} />
      )}
      <TextField
        label={needsReason ? text.reason : text.reasonOptional}
        hint={text.shownToEveryoneWhoCanSee}
        rows={3}
        max={2000}
        required={needsReason}
        value={comment}
        set={setComment}
      />
    </ConfirmDialog>
  );
}

function given(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return true;
}
