import * as text from "#text/approvals";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
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
        {text.nowOnCallIdentity(<strong>{s.on_call_identity_id ? <Named kind="people" id={s.on_call_identity_id} /> : text.noOne}</strong>)}
      </p>
      <ol className="small muted">
        {next.map((t) => (
          <li key={t.at}>
            <Named kind="people" id={people[t.who] ?? ""} /> <When at={t.at} />
          </li>
        ))}
      </ol>
      <p className="small muted">{text.peopleRotateEveryShiftDescription(people.length, durationText(s.shift), s.description)}</p>
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
    done: text.scheduleSaved,
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
    <Dialog open close={close} title={of ? text.editName(of.name) : text.addAnOnCallSchedule} wide>
      <Form of={form} verb={text.save} cancel={close} always>
        <TextField label={text.name} value={v.name} set={(t) => form.set("name", t)} error={form.wrong("name")} required />
        <TextField
          label={text.description}
          value={v.description}
          set={(t) => form.set("description", t)}
          error={form.wrong("description")}
        />
        <ManyPick
          label={text.people}
          kind="people"
          ordered
          ids={v.identity_ids}
          set={(ids) => form.set("identity_ids", ids)}
          hint={text.inOrderOfRotationAPerson}
          error={form.wrong("identity_ids") ?? form.wrong("identity_ids/0")}
        />
        <div className="fields">
          <DurationField label={text.shiftLength} value={v.shift} set={(t) => form.set("shift", t)} error={form.wrong("shift")} required />
          <TextField
            label={text.startOfTheFirstShift}
            type="datetime-local"
            value={v.starts}
            set={(t) => form.set("starts", t)}
            hint={of ? undefined : text.leaveEmptyToStartNow}
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
