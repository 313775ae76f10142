import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import * as text from "#text/wizard";
import { ask } from "../../api/client";
import { followStream } from "../../api/stream";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Button, Note, Problems, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { State } from "../../kit/state";
import { settingOverrides } from "../connectors/overrides";
import { type StepProps, serverStep, WizardFooter } from "./frame";
import { TargetError } from "./probe";
import { addProgress, ended, noProgress, type Progress, type ProgressHistory, phaseName } from "./progress";
import { Counts, Log, Throughput } from "./throughput";
import { type WriteMode, WritingChoice } from "./writing";

const over = new Set(["succeeded", "partial", "failed", "cancelled", "discarded", "expired", "previewed"]);

/** Step 5: the first sync, as it goes. It goes on by itself: the page may be left, and shows it again. */
export default function SyncStep({ id, wizard, connector }: StepProps) {
  const step = serverStep(wizard, "sync");
  const run = step?.first_sync;
  const [started, setStarted] = useState<string>();
  const at = started ?? run?.run_id;
  const shown = useProgressHistory(id, at);
  const queries = useQueryClient();
  const [mode, setMode] = useState<WriteMode>("off");
  const start = useAct<WriteMode, Of<"Started">>({
    act: async (write, key) => {
      // Before the connector becomes active, so that nothing is written to it meanwhile.
      const view = await ask<Of<"ProvisioningView">>("GET", `/connectors/${id}/provisioning`);
      const body = { ...settingOverrides(view), write_mode: write };
      if (view.write_mode !== write) await ask("PUT", `/connectors/${id}/provisioning`, { body });
      return ask<Of<"Started">>("POST", `/connectors/${id}/wizard/first-sync`, { body: {}, key });
    },
    after: (r) => setStarted(r.run_id),
    changes: [`/connectors/${id}`],
    quiet: true,
  });
  const last = shown.followed.last;
  const status = last?.status ?? (at === run?.run_id ? run?.status : "queued");
  const running = Boolean(at) && !over.has(status ?? "") && status !== "held";
  const finished = last ? ended(last.event) : false;
  useEffect(() => {
    if (finished) void queries.invalidateQueries({ predicate: (q) => /^\/(connectors|dashboard)/.test(String(q.queryKey[0])) });
  }, [finished, queries]);
  const undecided = serverStep(wizard, "mapping")?.mapping?.undecided ?? 0;
  const again = at && !running && status !== "held" && !wizard.done;
  return (
    <>
      {!at && <Note>{text.theFirstSyncReadsNameIn(<bdi>{connector.name}</bdi>)}</Note>}
      {!running && !wizard.done && status !== "held" && <WritingChoice value={mode} set={setMode} />}
      {undecided > 0 && !wizard.done && (
        <Note tone="warn">
          {text.openFieldsAreIgnoredInThe(
            undecided,
            <Link to="/connectors/new/$id/$step" params={{ id, step: "mapping" }}>
              {text.mapFields}
            </Link>,
          )}
        </Note>
      )}
      {at && (
        <>
          <Outcome id={id} run={at} last={last} status={status ?? ""} lost={shown.lost} wizard={wizard} />
          <Counts of={last} done={finished && (status === "succeeded" || status === "partial")} />
          <Throughput of={shown.followed.points} running={running} />
          <Log of={shown.followed.log} />
          <Problems of={shown.refused} />
        </>
      )}
      <Problems of={start.error} />
      {wizard.done && status !== "held" ? (
        <>
          {!connector.next_run_at && <Unscheduled id={id} />}
          <Written id={id} />
          <Next id={id} run={at} />
        </>
      ) : (
        <WizardFooter
          id={id}
          back="mapping"
          {...(running
            ? {}
            : status === "held"
              ? {}
              : { go: () => start.mutate(mode), busy: start.isPending, words: again ? text.runAgain : text.runTheFirstSync })}
        >
          {running && <Cancel id={id} run={at ?? ""} />}
          <span className="small muted">{running && text.youCanLeaveThisPageThe}</span>
        </WizardFooter>
      )}
    </>
  );
}

/** Follows a run to its end, over cuts of the line. */
function useProgressHistory(id: string, run: string | undefined) {
  const [followed, setFollowed] = useState<ProgressHistory>(noProgress);
  const [lost, setLost] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const received = useCallback((p: Progress) => setFollowed((was) => addProgress(was, p)), []);
  const at = useRef<string>(undefined);
  useEffect(() => {
    if (!run) return;
    if (at.current !== run) setFollowed(noProgress);
    at.current = run;
    const stop = new AbortController();
    setRefused(undefined);
    followStream(`/connectors/${id}/sync-runs/${run}/events`, {
      signal: stop.signal,
      ends: (t) => ended(t.event),
      event: (t) => received(t.data as Progress),
      cut: setLost,
    }).then(
      () => setLost(false),
      (e: unknown) => setRefused(e),
    );
    return () => stop.abort();
  }, [id, run, received]);
  return { followed, lost, refused };
}

/** Where the run stands, in one line. */
function Outcome({
  id,
  run,
  last,
  status,
  lost,
  wizard,
}: {
  id: string;
  run: string;
  last: Progress | undefined;
  status: string;
  lost: boolean;
  wizard: StepProps["wizard"];
}) {
  if (status === "held")
    return (
      <Note tone="warn">
        {text.strongItsChangesExceedTheSafety(<strong>{text.theSyncIsHeld}</strong>)}
        {last?.held_until && <>{text.theyAreDiscardedHeldUntil(<When at={last.held_until} />)}</>}.{" "}
        <Link to="/connectors/$id/runs/$run" params={{ id, run }}>
          {text.reviewHeldChanges}
        </Link>
      </Note>
    );
  if (wizard.done)
    return (
      <Note tone="ok">
        <strong role="status">{text.nameIsConnected(wizard.name)}</strong>
        {last?.started_at && last.finished_at && (
          <span className="muted"> {text.inParseS(((Date.parse(last.finished_at) - Date.parse(last.started_at)) / 1000).toFixed(1))}</span>
        )}
      </Note>
    );
  return (
    <div className="stack tight">
      <p className="row" role="status">
        <State of={status || "queued"} /> {last && !ended(last.event) && <span>{phaseName(last.phase)}</span>}
        {lost && <span className="small muted">{text.theConnectionWasLostReconnectingThe}</span>}
      </p>
      {last?.error_detail && <TargetError of={last.error_detail} />}
    </div>
  );
}

function Cancel({ id, run }: { id: string; run: string }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>{text.cancelSync}</Button>
      <ConfirmDialog
        open={asking}
        close={() => setAsking(false)}
        title={text.cancelTheFirstSync}
        lead={text.theSyncStopsYouCanStart}
        verb={text.cancelSync}
        keep={text.continueSync}
        tone="danger"
        act={() => ask("POST", `/connectors/${id}/sync-runs/${run}/cancel`, { key: crypto.randomUUID() })}
      />
    </>
  );
}

/** Nothing is read by itself before somebody has said when. */
function Unscheduled({ id }: { id: string }) {
  return (
    <Note>
      {text.noScheduleYetOnlyManualSyncs(
        <Link className="wizard-link" to="/connectors/$id/$tab" params={{ id, tab: "settings" }} search={{ section: "schedule" }}>
          {text.setASchedule}
        </Link>,
      )}
    </Note>
  );
}

/** Whether changes are written to the system, with the way to change that. */
function Written({ id }: { id: string }) {
  const view = useGet<Of<"ProvisioningView">>(`/connectors/${id}/provisioning`);
  if (!view.data) return null;
  const words = { off: text.writingIsOffGrantwrightOnlyReads, simulate: text.writingIsSimulatedNothingIsSent };
  return (
    <Note>
      {words[view.data.write_mode as keyof typeof words] ?? text.writingIsOnPoliciesRolesAnd}{" "}
      <Link className="wizard-link" to="/connectors/$id/$tab" params={{ id, tab: "settings" }} search={{ section: "writing" }}>
        {text.changeWriteMode}
      </Link>
    </Note>
  );
}

/** What comes next: whose the accounts are is the first question of a system that was read. */
function Next({ id, run }: { id: string; run: string | undefined }) {
  const navigate = useGo();
  return (
    <WizardFooter id={id} words={text.matchAccountsToPeople} go={() => void navigate({ to: "/accounts", search: { connector_id: id } })}>
      <Link className="button" to="/connectors/$id" params={{ id }}>
        {text.openTheConnector}
      </Link>
      {run && (
        <Link className="button" to="/connectors/$id/runs/$run" params={{ id, run }}>
          {text.viewSyncedData}
        </Link>
      )}
      <Link className="button" to="/roles/new">
        {text.createARole}
      </Link>
    </WizardFooter>
  );
}
