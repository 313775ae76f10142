import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Note, Part, Skeleton, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { Stale } from "./stale";

type View = Of<"ScheduleView">;

const crons = ["", "*/15 * * * *", "0 * * * *", "*/15 6-20 * * mon-fri", "0 2 * * *", "0 3 * * sun"];
const zones = Intl.supportedValuesOf("timeZone");
const jitters = [
  ["PT0S", text.none],
  ["PT1M", text.upTo1Minute],
  ["PT5M", text.upTo5Minutes],
  ["PT15M", text.upTo15Minutes],
  ["PT1H", text.upTo1Hour],
] as const;

/** When a connector is read by itself, and what comes of it. */
export default function Schedule({ of: c }: { of: Connector }) {
  const found = useGet<View>(`/connectors/${c.id}/schedule`);
  if (found.isPending) return <Skeleton rows={5} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return (
    <div className="connectors-columns">
      <Fields of={c} view={found.data} />
      <Next of={found.data} />
    </div>
  );
}

function Fields({ of: c, view }: { of: Connector; view: View }) {
  const may = useMay();
  const queries = useQueryClient();
  const form = useForm(
    { incremental_cron: view.incremental_cron ?? "", full_cron: view.full_cron ?? "", timezone: view.timezone, jitter: view.jitter },
    async (v, key) => {
      const body = { ...v, incremental_cron: v.incremental_cron || null, full_cron: v.full_cron || null };
      await ask("PUT", `/connectors/${c.id}/schedule`, { body, key, ifMatch: c.version });
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/connectors") });
      showToast(v.incremental_cron || v.full_cron ? text.savedTheNextRunsAreShown : text.savedTheConnectorSyncsOnlyWhen);
    },
  );
  const jitterOptions = jitters.some(([v]) => v === form.value.jitter)
    ? jitters
    : [...jitters, [form.value.jitter, form.value.jitter] as const];
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <TextField
        label={text.incrementalSync}
        mono
        {...form.field("incremental_cron")}
        suggestions={crons.filter(Boolean)}
        placeholder={text.noSchedule}
        hint={text.aCronExpressionMinuteHourDay}
      />
      <TextField
        label={text.fullSync}
        mono
        {...form.field("full_cron")}
        suggestions={crons.filter(Boolean)}
        placeholder={text.noSchedule}
        hint={text.forExample02IfBoth}
      />
      <div className="fields">
        <TextField label={text.timeZone} {...form.field("timezone")} suggestions={zones} required hint={text.daylightSavingTimeIsApplied} />
        <SelectField
          label={text.randomDelay}
          {...form.field("jitter")}
          options={jitterOptions}
          hint={text.spreadsTheStartsOfSeveralConnectors}
        />
      </div>
      <Stale of={form.refused} path={`/connectors/${c.id}`} />
    </Form>
  );
}

function Next({ of: view }: { of: View }) {
  const last = view.last_occurrence;
  return (
    <Part title={text.nextRuns}>
      {view.upcoming.length === 0 ? (
        <p className="muted">{text.onlyManualRunsSentence}</p>
      ) : (
        <ol className="stack tight">
          {view.upcoming.map((r) => (
            <li key={`${r.at} ${r.kind}`}>
              <time dateTime={r.at} title={r.at} className="mono">
                {r.local.replace("T", " ").slice(0, 16)}
              </time>{" "}
              <span className="muted">{r.kind === "full" ? text.fullSyncLower : text.incrementalSyncLower}</span>
            </li>
          ))}
        </ol>
      )}
      {view.skipped > 0 && <Note tone="warn">{text.timesSkippedSinceTheLastScheduled(view.skipped)}</Note>}
      {last && (
        <p className="small muted">
          {text.lastScheduledRunAtOutcomeReason(
            <When at={last.at} />,
            <State of={last.outcome} tone={last.outcome === "started" ? "ok" : "warn"} />,
            last.reason?.replaceAll("_", " "),
          )}{" "}
          {last.caught_up && text.replacesSeveralSkippedRuns}
        </p>
      )}
    </Part>
  );
}
