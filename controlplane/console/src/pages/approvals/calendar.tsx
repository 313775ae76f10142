import { Plus, X } from "lucide-react";
import * as text from "#text/approvals";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Check, Form, TextField, useForm } from "../../kit/form";
import { Button } from "../../kit/kit";

export const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
type Day = (typeof days)[number];
type Hours = { from: string; to: string };

/** A calendar of working time, to be written. */
export function CalendarDialog({ of, close }: { of: Of<"ApprovalCalendar"> | undefined; close: () => void }) {
  const save = useAct({
    quiet: true,
    act: (v: { body: object; key: string }) =>
      of
        ? ask("PATCH", `/approval-rules/calendars/${of.id}`, { body: v.body, key: v.key, ifMatch: of.version })
        : ask("POST", "/approval-rules/calendars", { body: v.body, key: v.key }),
    done: text.calendarSaved,
    changes: ["/approval-rules"],
  });
  const usual = { from: "09:00", to: "17:00" };
  const week = Object.fromEntries(days.map((d, i) => [d, (of ? of.week?.[d] : i < 5 ? [usual] : []) ?? []])) as Record<Day, Hours[]>;
  const form = useForm(
    {
      name: of?.name ?? "",
      timezone: of?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      usual: of?.usual ?? false,
      week,
      holidays: (of?.holidays ?? []).map((h) => ({ date: h.date, name: h.name ?? "" })),
    },
    async (v, key) => {
      await save.mutateAsync({ body: v, key });
      close();
    },
  );
  const v = form.value;
  const hours = (d: Day, h: Hours[]) => form.set("week", { ...v.week, [d]: h });
  return (
    <Dialog open close={close} title={of ? text.editName(of.name) : text.addACalendar} wide>
      <Form of={form} verb={text.save} cancel={close} always>
        <div className="fields">
          <TextField label={text.name} value={v.name} set={(t) => form.set("name", t)} error={form.wrong("name")} required />
          <TextField
            label={text.timeZone}
            value={v.timezone}
            set={(t) => form.set("timezone", t)}
            error={form.wrong("timezone")}
            suggestions={Intl.supportedValuesOf("timeZone")}
            required
          />
        </div>
        <Check label={text.defaultCalendar} hint={text.appliesWhereNoCalendarIsSet} value={v.usual} set={(on) => form.set("usual", on)} />
        {days.map((d) => (
          <fieldset key={d} className="work-day">
            <legend className="field-label">{d}</legend>
            {v.week[d].map((h, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: hours have no other name than their place
              <div key={i} className="row">
                <TextField
                  label={text.dFrom(d)}
                  type="time"
                  value={h.from}
                  set={(from) =>
                    hours(
                      d,
                      v.week[d].map((x, j) => (j === i ? { ...x, from } : x)),
                    )
                  }
                  error={form.wrong(`week/${d}/${i}/from`)}
                />
                <TextField
                  label={text.dTo(d)}
                  type="time"
                  value={h.to === "24:00" ? "23:59" : h.to}
                  set={(to) =>
                    hours(
                      d,
                      v.week[d].map((x, j) => (j === i ? { ...x, to: to === "23:59" ? "24:00" : to } : x)),
                    )
                  }
                  error={form.wrong(`week/${d}/${i}/to`) ?? form.wrong(`week/${d}/${i}`)}
                />
                <Button
                  tone="quiet"
                  className="icon"
                  aria-label={text.removeHoursIOfD(i + 1, d)}
                  onClick={() =>
                    hours(
                      d,
                      v.week[d].filter((_, j) => j !== i),
                    )
                  }
                >
                  <X aria-hidden size={14} />
                </Button>
              </div>
            ))}
            <Button tone="quiet" onClick={() => hours(d, [...v.week[d], usual])}>
              <Plus aria-hidden size={14} /> {v.week[d].length ? text.addHours : text.closedAddHours}
              <span className="sr"> {text.onD(d)}</span>
            </Button>
          </fieldset>
        ))}
        <fieldset className="work-day">
          <legend className="field-label">{text.holidays}</legend>
          {v.holidays.map((h, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: holidays have no other name than their place
            <div key={i} className="row">
              <TextField
                label={text.date}
                type="date"
                value={h.date}
                set={(date) =>
                  form.set(
                    "holidays",
                    v.holidays.map((x, j) => (j === i ? { ...x, date } : x)),
                  )
                }
                error={form.wrong(`holidays/${i}/date`)}
              />
              <TextField
                label={text.name}
                value={h.name}
                set={(name) =>
                  form.set(
                    "holidays",
                    v.holidays.map((x, j) => (j === i ? { ...x, name } : x)),
                  )
                }
                required
                error={form.wrong(`holidays/${i}/name`)}
              />
              <Button
                tone="quiet"
                className="icon"
                aria-label={text.removeHolidayI(i + 1)}
                onClick={() =>
                  form.set(
                    "holidays",
                    v.holidays.filter((_, j) => j !== i),
                  )
                }
              >
                <X aria-hidden size={14} />
              </Button>
            </div>
          ))}
          <Button tone="quiet" onClick={() => form.set("holidays", [...v.holidays, { date: "", name: "" }])}>
            <Plus aria-hidden size={14} /> {text.holiday}
          </Button>
        </fieldset>
      </Form>
    </Dialog>
  );
}
