import { Plus, X } from "lucide-react";
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
    done: "Calendar saved.",
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
    <Dialog open close={close} title={of ? `Edit ${of.name}` : "Add a calendar"} wide>
      <Form of={form} verb="Save" cancel={close} always>
        <div className="fields">
          <TextField label="Name" value={v.name} set={(t) => form.set("name", t)} error={form.wrong("name")} required />
          <TextField
            label="Time zone"
            value={v.timezone}
            set={(t) => form.set("timezone", t)}
            error={form.wrong("timezone")}
            suggestions={Intl.supportedValuesOf("timeZone")}
            required
          />
        </div>
        <Check
          label="Default calendar"
          hint="Applies where no calendar is set. It replaces the current default calendar."
          value={v.usual}
          set={(on) => form.set("usual", on)}
        />
        {days.map((d) => (
          <fieldset key={d} className="work-day">
            <legend className="field-label">{d}</legend>
            {v.week[d].map((h, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: hours have no other name than their place
              <div key={i} className="row">
                <TextField
                  label={`${d} from`}
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
                  label={`${d} to`}
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
                  aria-label={`Remove hours ${i + 1} of ${d}`}
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
              <Plus aria-hidden size={14} /> {v.week[d].length ? "add hours" : "closed: add hours"}
              <span className="sr"> on {d}</span>
            </Button>
          </fieldset>
        ))}
        <fieldset className="work-day">
          <legend className="field-label">Holidays</legend>
          {v.holidays.map((h, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: holidays have no other name than their place
            <div key={i} className="row">
              <TextField
                label="Date"
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
                label="Name"
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
                aria-label={`Remove holiday ${i + 1}`}
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
            <Plus aria-hidden size={14} /> Holiday
          </Button>
        </fieldset>
      </Form>
    </Dialog>
  );
}
