import { useParams } from "@tanstack/react-router";
import { Download, Upload } from "lucide-react";
import { useState } from "react";
import * as text from "#text/decisiontables";
import { ask, download } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { SelectField, TextField, useForm } from "../../kit/form";
import { Button, Failure, Head, Note, Part, Problems, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { useShown } from "../../kit/shown";
import { State } from "../../kit/state";
import { PolicyActions } from "../policies/actions";
import { useConfirmed } from "../policies/confirm";
import { Simulation } from "../policies/simulate";
import { PolicyVersions } from "../policies/versions";
import { policyStatus, stopReason } from "../policies/words";
import { type Check, type Draft, draftOf, edits, hitPolicyOptions, tableOf } from "./draft";
import { Findings } from "./findings";
import { Grid, rowsShown } from "./grid";

type Policy = Of<"AccessPolicy">;

/** One decision table: its rows, what a check finds of them, and what they would do. */
export default function DecisionTablePage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const [show, turn] = useShown();
  const may = useMay();
  const policy = useGet<Policy>(`/policies/access-grant/${id}`, {}, { keep: true });
  const get = useAct({ act: () => download(`/policies/decision-tables/${id}/export`, "decision-table.csv") });
  const p = policy.data;
  const up = <Link to="/decision-tables">{text.decisionTables}</Link>;
  if (policy.isError && !p) return <Failure page error={policy.error} retry={() => void policy.refetch()} />;
  if (!p)
    return (
      <div className="stack">
        <Head title={text.table} up={up} lead="…" />
        <Skeleton rows={10} />
      </div>
    );
  const is = policyStatus(p);
  return (
    <div className="stack">
      <Head title={p.name} up={up} lead={p.description}>
        <Button reads onClick={() => get.mutate()}>
          <Download aria-hidden size={15} /> {text.exportCsv}
        </Button>
        {may.admin && (
          <PolicyActions of={p}>
            <Link className="button" to="/decision-tables/import" search={{ table: p.id }}>
              <Upload aria-hidden size={15} /> {text.importTable}
            </Link>
            <Button reads onClick={() => turn(show === "simulate" ? "" : "simulate")} aria-expanded={show === "simulate"}>
              {text.simulate}
            </Button>
          </PolicyActions>
        )}
      </Head>
      <div className="row">
        <State of={p.mode} tone={is.tone} words={is.words} />
        <Link to="/policies/$id" params={{ id: p.id }}>
          {text.policySettings}
        </Link>
      </div>
      {p.tripped_at && <Note tone="bad">{stopReason(p.tripped_reason)}</Note>}
      {p.enabled && p.mode === "shadow" && <Note>{text.isDryRun}</Note>}
      {show === "simulate" && may.admin && <Simulation id={p.id} version={p.version} close={() => turn("")} />}
      {p.table && <TableEditor key={`${p.id} ${p.version}`} of={p} table={p.table} closed={!may.admin} />}
      <PolicyVersions id={p.id} />
    </div>
  );
}

/** The rows with their check. What is checked is what is in the form, saved or not. */
function TableEditor({ of: p, table, closed }: { of: Policy; table: NonNullable<Policy["table"]>; closed: boolean }) {
  const confirmed = useConfirmed<Policy>(["/policies"]);
  const [version, read] = useState(p.version);
  const [from, go] = useState(0);
  const [checked, keep] = useState<{ of: Draft; found: Check }>();
  const form = useForm(draftOf(table), async (v) => {
    const made = await confirmed.attempt({
      verb: text.saveAnyway,
      done: text.nameSaved(p.name ?? ""),
      act: (query, key) =>
        ask<Policy>("PATCH", `/policies/access-grant/${p.id}`, { body: { table: tableOf(v) }, query, ifMatch: version, key }),
    });
    if (!made) throw new Refusal(0, "confirmation_required", "");
  });
  const d = form.value;
  const set = (next: Draft) => form.replace(next);
  const check = useAct({
    quiet: true,
    act: (of: Draft, key) =>
      form.dirty
        ? ask<Check>("POST", "/policies/decision-tables/check", {
            body: { table: tableOf(of), subject: p.subject, constraints: p.constraints, lifecycle: p.lifecycle },
            key,
          })
        : ask<Check>("GET", `/policies/decision-tables/${p.id}/check`),
    after: (found, of) => keep({ of, found }),
  });
  const refused = form.refused instanceof Refusal && form.refused.code === "confirmation_required" ? undefined : form.refused;
  const wrong = (at: string) => form.wrong(`table/${at}`);
  const first = d.rows.length <= from ? Math.max(0, Math.floor((d.rows.length - 1) / rowsShown) * rowsShown) : from;
  const add = (cells?: string[]) => {
    set(edits.add(d, cells));
    go(Math.floor(d.rows.length / rowsShown) * rowsShown);
  };
  const found = checked?.found;
  return (
    <>
      <EditConflict refused={form.refused} again={() => read(p.version)} />
      <Part
        title={text.rows}
        lead={text.gridLead}
        actions={
          <Button reads aria-disabled={check.isPending || undefined} onClick={() => !check.isPending && check.mutate(d)}>
            {check.isPending ? text.checking : found ? text.checkAgain : text.check}
          </Button>
        }
      >
        <div className="stack">
          <SelectField
            label={text.hitPolicy}
            value={d.hit}
            set={(hit) => set({ ...d, hit })}
            options={hitPolicyOptions}
            disabled={closed}
          />
          <Grid of={d} set={set} wrong={wrong} check={checked?.of === d ? found : undefined} closed={closed} from={first} />
          <Pages from={first} of={d.rows.length} go={go} />
          {!closed && (
            <div className="row">
              <Button onClick={() => add()}>{text.addRow}</Button>
              <AddColumn add={(c) => set(edits.addColumn(d, c))} taken={d.columns} />
            </div>
          )}
          {wrong("columns") && <Note tone="bad">{wrong("columns")}</Note>}
          <Problems of={refused ?? check.error} />
          {!closed && (
            <div className="row">
              <Button
                tone="primary"
                disabled={!form.dirty && !form.busy}
                aria-disabled={form.busy || undefined}
                onClick={() => !form.busy && void form.submit()}
              >
                {form.busy ? text.saving : text.save}
              </Button>
              {form.dirty && <Button onClick={() => set(draftOf(table))}>{text.discard}</Button>}
            </div>
          )}
        </div>
      </Part>
      {found && (
        <Part title={text.findings} lead={text.findingsLead}>
          <div className="stack" aria-live="polite">
            {checked?.of !== d && <Note>{text.changedSince}</Note>}
            <Findings of={found} hit={d.hit} add={closed || found.columns.join() !== d.columns.join() ? undefined : add} />
          </div>
        </Part>
      )}
      {confirmed.dialog}
    </>
  );
}

/** Turns through the rows of a large table. */
function Pages({ from, of, go }: { from: number; of: number; go: (to: number) => void }) {
  if (of <= rowsShown) return null;
  return (
    <nav className="row" aria-label={text.rows}>
      <Button reads disabled={from === 0} onClick={() => go(from - rowsShown)}>
        {text.previous}
      </Button>
      <span>{text.rowsFromTo(from + 1, Math.min(of, from + rowsShown), of)}</span>
      <Button reads disabled={from + rowsShown >= of} onClick={() => go(from + rowsShown)}>
        {text.next}
      </Button>
    </nav>
  );
}

/** Adds a column for a field. */
function AddColumn({ add, taken }: { add: (field: string) => void; taken: string[] }) {
  const [field, type] = useState("");
  const name = field.trim();
  return (
    <div className="row">
      <TextField label={text.fieldOfTheColumn} value={field} set={type} max={200} />
      <Button
        disabled={!name || taken.includes(name)}
        onClick={() => {
          add(name);
          type("");
        }}
      >
        {text.addColumn}
      </Button>
    </div>
  );
}
