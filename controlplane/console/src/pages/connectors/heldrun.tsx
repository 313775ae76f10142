import { useState } from "react";
import * as text from "#text/syncruns";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Failure, Note, Part, Skeleton, Table, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { Release } from "./release";
import { guardWords, n } from "./words";

type Hold = Of<"Hold">;

const rules: Record<Hold["rule"], (h: Hold) => string> = {
  limit: (h) =>
    h.recent > 0
      ? text.nAndN2MoreRecentlyOf(n(h.observed), n(h.recent), n(h.population), n(h.allowed))
      : text.nOfN2InTotalThe(n(h.observed), n(h.population), n(h.allowed)),
  total_loss: (h) => text.nOfN2WouldBeRemoved(n(h.observed), n(h.population)),
  settings_changed: (h) => text.nAreAbsentAndTheConnectors(n(h.observed)),
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
      title={text.changesHeld(found.data.held)}
      lead={text.theOtherChangesOfTheRun(<When at={run.held_until} />)}
      actions={
        may.admin && (
          <>
            <Button tone="primary" onClick={() => setDoing("release")}>
              {text.release}
            </Button>
            <Button tone="danger" onClick={() => setDoing("discard")}>
              {text.discardEllipsis}
            </Button>
          </>
        )
      }
    >
      <Table label={text.heldChanges}>
        <thead>
          <tr>
            <th scope="col">{text.kind}</th>
            <th scope="col" className="num">
              {text.held}
            </th>
            <th scope="col">{text.reason}</th>
            <th scope="col">{text.pattern}</th>
            <th scope="col">{text.state}</th>
          </tr>
        </thead>
        <tbody>
          {found.data.items.map((h) => (
            <tr key={h.id}>
              <td className="connectors-cell">{guardWords(h.kind)}</td>
              <td className="num">{n(h.held)}</td>
              <td className="connectors-cell">{rules[h.rule](h)}</td>
              <td className="connectors-cell">{h.cause || <span className="faint">{text.noPattern}</span>}</td>
              <td>
                <State of={h.state} tone={h.state === "open" || h.state === "partly_released" ? "warn" : "neutral"} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {open.some((h) => h.rule === "settings_changed") && <Note>{text.ifTheChangeOfSettingsWas}</Note>}
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
    done: text.discardedTheHeldChangesAreNot,
    quiet: true,
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.discardChanges(held)}
      verb={text.discard}
      tone="danger"
      disabled={!comment.trim()}
      act={() => discard.mutateAsync()}
    >
      <p>{text.theHeldChangesAreNotApplied}</p>
      <TextField label={text.reason} hint={text.recordedInTheAuditLog} value={comment} set={setComment} required rows={2} max={1000} />
    </ConfirmDialog>
  );
}
