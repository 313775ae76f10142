import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Failure, Note, Part, Skeleton, Table, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { Release } from "./release";
import { guardWords, many, n } from "./words";

type Hold = Of<"Hold">;

const rules: Record<Hold["rule"], (h: Hold) => string> = {
  limit: (h) =>
    `${n(h.observed)}${h.recent > 0 ? ` and ${n(h.recent)} more recently` : ""}, of ${n(h.population)} in total. The limit is ${n(h.allowed)}.`,
  total_loss: (h) => `${n(h.observed)} of ${n(h.population)} would be removed. A change of half or more is always held.`,
  settings_changed: (h) =>
    `${n(h.observed)} are absent, and the connector's settings were changed before this run. Absences are not applied in this case.`,
};

/** What a run holds back, and why; it is released, in part or whole, or discarded. */
export function HeldRunChanges({ of: run }: { of: Of<"Run"> }) {
  const may = useMay();
  const [doing, setDoing] = useState<"release" | "discard">();
  const found = useGet<Of<"Holding">>(`/connectors/${run.connector_id}/sync-runs/${run.id}/holds`);
  if (found.isPending) return <Skeleton rows={4} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const open = found.data.items.filter((h) => h.state === "open" || h.state === "partly_released");
  return (
    <Part
      title={`${many(found.data.held, "change")} held`}
      lead={
        <>
          The other changes of the run were applied. Held changes are discarded <When at={run.held_until} /> unless you release them.
        </>
      }
      actions={
        may.admin && (
          <>
            <Button tone="primary" onClick={() => setDoing("release")}>
              Release…
            </Button>
            <Button tone="danger" onClick={() => setDoing("discard")}>
              Discard…
            </Button>
          </>
        )
      }
    >
      <Table label="Held changes">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col" className="num">
              Held
            </th>
            <th scope="col">Reason</th>
            <th scope="col">Pattern</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {found.data.items.map((h) => (
            <tr key={h.id}>
              <td className="connectors-tall">{guardWords(h.kind)}</td>
              <td className="num">{n(h.held)}</td>
              <td className="connectors-tall">{rules[h.rule](h)}</td>
              <td className="connectors-tall">{h.cause || <span className="faint">no pattern</span>}</td>
              <td>
                <State of={h.state} tone={h.state === "open" || h.state === "partly_released" ? "warn" : "neutral"} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {open.some((h) => h.rule === "settings_changed") && (
        <Note>
          If the change of settings was intended, release these changes. If not, correct the settings and sync again; the next run replaces
          this one.
        </Note>
      )}
      {doing === "release" && <Release run={run} holding={found.data} close={() => setDoing(undefined)} />}
      {doing === "discard" && <Discard run={run} held={found.data.held} close={() => setDoing(undefined)} />}
    </Part>
  );
}

function Discard({ run, held: now, close }: { run: Of<"Run">; held: number; close: () => void }) {
  const [held] = useState(now); // once they are discarded none is held, and the title would say so as it closes
  const [comment, setComment] = useState("");
  const discard = useAct({
    act: (_, key) => ask("POST", `/connectors/${run.connector_id}/sync-runs/${run.id}/discard`, { key, body: { comment } }),
    changes: ["/connectors", "/decision-tasks"],
    done: "Discarded. The held changes are not applied.",
    quiet: true,
  });
  return (
    <AskFirst
      open
      close={close}
      title={`Discard ${many(held, "change")}`}
      verb="Discard"
      tone="danger"
      disabled={!comment.trim()}
      act={() => discard.mutateAsync()}
    >
      <p>
        The held changes are not applied. The next sync reads the system again. If the source still returns the same data, the changes are
        held again.
      </p>
      <TextField label="Reason" hint="Recorded in the audit log." value={comment} set={setComment} required rows={2} max={1000} />
    </AskFirst>
  );
}
