import { useQueryClient } from "@tanstack/react-query";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Note, Part, Skeleton, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { Stale } from "./stale";
import { many } from "./words";

type View = Of<"ScheduleView">;

const crons = ["", "*/15 * * * *", "0 * * * *", "*/15 6-20 * * mon-fri", "0 2 * * *", "0 3 * * sun"];
const zones = Intl.supportedValuesOf("timeZone");
const jitters = [
  ["PT0S", "none"],
  ["PT1M", "up to 1 minute"],
  ["PT5M", "up to 5 minutes"],
  ["PT15M", "up to 15 minutes"],
  ["PT1H", "up to 1 hour"],
] as const;

/** When a connector is read by itself, and what comes of it. */
export default function Schedule({ of: c }: { of: Connector }) {
  const found = useGet<View>(`/connectors/${c.id}/schedule`);
  if (found.isPending) return <Skeleton rows={5} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  return (
    <div className="connectors-sides">
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
      showToast(
        v.incremental_cron || v.full_cron
          ? "Saved. The next runs are shown on the right."
          : "Saved. The connector syncs only when you start a run.",
      );
    },
  );
  const jitterOptions = jitters.some(([v]) => v === form.value.jitter)
    ? jitters
    : [...jitters, [form.value.jitter, form.value.jitter] as const];
  return (
    <Form of={form} verb="Save" closed={!may.admin}>
      <TextField
        label="Incremental sync"
        mono
        {...form.field("incremental_cron")}
        suggestions={crons.filter(Boolean)}
        placeholder="no schedule"
        hint="A cron expression: minute, hour, day of month, month, day of week, such as */15 6-20 * * mon-fri. At least five minutes apart."
      />
      <TextField
        label="Full sync"
        mono
        {...form.field("full_cron")}
        suggestions={crons.filter(Boolean)}
        placeholder="no schedule"
        hint="For example 0 2 * * *. If both schedules are due, a full sync runs."
      />
      <div className="fields">
        <TextField label="Time zone" {...form.field("timezone")} suggestions={zones} required hint="Daylight saving time is applied." />
        <SelectField
          label="Random delay"
          {...form.field("jitter")}
          options={jitterOptions}
          hint="Spreads the starts of several connectors."
        />
      </div>
      <Stale of={form.refused} path={`/connectors/${c.id}`} />
    </Form>
  );
}

function Next({ of: view }: { of: View }) {
  const last = view.last_occurrence;
  return (
    <Part title="Next runs">
      {view.upcoming.length === 0 ? (
        <p className="muted">Only manual runs.</p>
      ) : (
        <ol className="stack tight">
          {view.upcoming.map((r) => (
            <li key={`${r.at} ${r.kind}`}>
              <time dateTime={r.at} title={r.at} className="mono">
                {r.local.replace("T", " ").slice(0, 16)}
              </time>{" "}
              <span className="muted">{r.kind === "full" ? "everything" : "incremental sync"}</span>
            </li>
          ))}
        </ol>
      )}
      {view.skipped > 0 && (
        <Note tone="warn">
          {many(view.skipped, "time")} skipped since the last scheduled run. The system may be too slow for this schedule.
        </Note>
      )}
      {last && (
        <p className="small muted">
          Last scheduled run, <When at={last.at} />: <State of={last.outcome} tone={last.outcome === "started" ? "ok" : "warn"} />{" "}
          {last.reason?.replaceAll("_", " ")} {last.caught_up && "(replaces several skipped runs)"}
        </p>
      )}
    </Part>
  );
}
