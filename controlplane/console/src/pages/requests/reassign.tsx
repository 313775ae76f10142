import { useState } from "react";
import * as text from "#text/requests";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { problemAt, SelectField, TextField } from "../../kit/form";
import { colleagues, Pick, type Picked, people } from "../../kit/pick";

/** Has somebody else asked about an item. */
export function ReassignItem({
  request: r,
  item: i,
  close,
}: {
  request: Of<"AccessRequest">;
  item: Of<"AccessRequestItem">;
  close: () => void;
}) {
  const [to, setTo] = useState<Picked | null>(null);
  const [reason, setReason] = useState("");
  const seats = i.stages
    .filter((s) => s.state === "open")
    .flatMap((s) => s.groups.flatMap((g) => g.slots))
    .filter((x) => x.state === "open" && x.task_id);
  const [task, setTask] = useState(seats[0]?.task_id ?? "");
  const act = useAct({
    quiet: true,
    act: (_: string, key) =>
      ask("POST", `/access-requests/${r.id}/items/${i.id}/reassign`, {
        body: { to: to?.id, reason, ...(task ? { task_id: task } : {}) },
        key,
      }),
    done: text.reassignedToWords(to?.words ?? text.anotherPersonLower),
    changes: ["/access-requests", "/decision-tasks"],
  });
  const whom = { label: text.newApprover, value: to, set: setTo, required: true, error: problemAt(act.error, "to/0") };
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.reassignTheDecisionAboutI(i.display)}
      verb={text.reassign}
      disabled={!to || !reason.trim()}
      act={() => act.mutateAsync(`${to?.id}${reason}${task}`)}
    >
      {seats.length > 1 && (
        <SelectField
          label={text.currentApprover}
          value={task}
          set={setTask}
          options={seats.map((x) => [x.task_id ?? "", x.display] as const)}
        />
      )}
      {task ? <Pick source={colleagues(`/decision-tasks/${task}`)} {...whom} /> : <Pick source={people} {...whom} />}
      <TextField label={text.reason} rows={2} value={reason} set={setReason} required max={2000} />
    </ConfirmDialog>
  );
}
