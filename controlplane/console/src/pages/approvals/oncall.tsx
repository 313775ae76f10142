import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { count } from "../../kit/count";
import { Dialog } from "../../kit/dialog";
import { durationSeconds, durationText } from "../../kit/duration";
import { DurationField } from "../../kit/durationfield";
import { Form, TextField, useForm } from "../../kit/form";
import { When } from "../../kit/kit";
import { ManyPick, Named } from "../policies/manypick";
import { Calendar } from "./resolvers";
import { nextShifts } from "./shifts";

type Schedule = Of<"OnCallSchedule">;

/** Who is on call now, and who comes next. */
export function OnCall({ of: s }: { of: Schedule }) {
  const people = s.identity_ids ?? [];
  const next = nextShifts(people.length, s.starts_at ?? "", durationSeconds(s.shift) ?? 0, Date.now(), Math.min(3, people.length));
  return (
    <>
      <p>
        Now: <strong>{s.on_call_identity_id ? <Named kind="people" id={s.on_call_identity_id} /> : "no one"}</strong>
      </p>
      <ol className="small muted">
        {next.map((t) => (
          <li key={t.at}>
            <Named kind="people" id={people[t.who] ?? ""} /> <When at={t.at} />
          </li>
        ))}
      </ol>
      <p className="small muted">
        {count(people.length, "person rotates", "people rotate")} every {durationText(s.shift)}. {s.description}
      </p>
    </>
  );
}

/** An on-call schedule, to be written. */
export function ScheduleDialog({ of, close }: { of: Schedule | undefined; close: () => void }) {
  const save = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) =>
      of
        ? ask("PATCH", `/approval-rules/on-call/${of.id}`, { body: v.body, key: v.key, ifMatch: of.version })
        : ask("POST", "/approval-rules/on-call", { body: v.body, key: v.key }),
    done: "Schedule saved.",
    changes: ["/approval-rules"],
  });
  const calendars = useGet<Page<{ id: string }>>("/approval-rules/calendars", { limit: 200 });
  const form = useForm(
    {
      name: of?.name ?? "",
      description: of?.description ?? "",
      identity_ids: of?.identity_ids ?? [],
      shift: of?.shift ?? "P7D",
      starts: of?.starts_at ? local(of.starts_at) : "",
      calendar: of?.calendar_id ?? "",
    },
    async (v, key) => {
      const { starts, calendar, ...rest } = v;
      const body = { ...rest, calendar_id: calendar || null, ...(starts ? { starts_at: new Date(starts).toISOString() } : {}) };
      await save.mutateAsync({ body, key });
      close();
    },
  );
  const v = form.value;
  return (
    <Dialog open close={close} title={of ? `Edit ${of.name}` : "Add an on-call schedule"} wide>
      <Form of={form} verb="Save" cancel={close} always>
        <TextField label="Name" value={v.name} set={(t) => form.set("name", t)} error={form.wrong("name")} required />
        <TextField label="Description" value={v.description} set={(t) => form.set("description", t)} error={form.wrong("description")} />
        <ManyPick
          label="People"
          kind="people"
          ordered
          ids={v.identity_ids}
          set={(ids) => form.set("identity_ids", ids)}
          hint="In order of rotation. A person can be listed more than once."
          error={form.wrong("identity_ids") ?? form.wrong("identity_ids/0")}
        />
        <div className="fields">
          <DurationField label="Shift length" value={v.shift} set={(t) => form.set("shift", t)} error={form.wrong("shift")} required />
          <TextField
            label="Start of the first shift"
            type="datetime-local"
            value={v.starts}
            set={(t) => form.set("starts", t)}
            hint={of ? undefined : "Leave empty to start now."}
            error={form.wrong("starts_at")}
          />
          {(calendars.data?.items.length ?? 0) > 0 && (
            <Calendar of={v.calendar} set={(id) => form.set("calendar", id)} error={form.wrong("calendar_id")} />
          )}
        </div>
      </Form>
    </Dialog>
  );
}

/** An instant as a field for dates and times shows it, in the browser's zone. */
function local(at: string): string {
  const d = new Date(at);
  return new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
