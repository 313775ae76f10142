import { Plus, X } from "lucide-react";
import * as text from "#text/policies";
import { DurationField } from "../../kit/durationfield";
import { Check, Checks, FieldError, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { type Constraints, dayNames, employmentTypes, type Schedule, type Window } from "./terms";

type Wrong = (pointer: string) => string | undefined;

/** What a policy requires of people, and of requests if it lets people request access. */
export function ConstraintFields({
  value: c,
  set,
  wrong,
  requests,
}: {
  value: Constraints;
  set: (c: Constraints) => void;
  wrong: Wrong;
  requests: boolean;
}) {
  const put = <K extends keyof Constraints>(name: K, v: Constraints[K]) => set({ ...c, [name]: v });
  return (
    <fieldset className="stack tight closed">
      <legend className="field-label">{text.constraints}</legend>
      {requests && (
        <>
          <DurationField
            label={text.longestDuration}
            value={c.maxDuration}
            set={(v) => put("maxDuration", v)}
            none={text.noLimit}
            error={wrong("constraints/max_duration")}
          />
          <Check label={text.requiresAJustification} value={c.justification} set={(v) => put("justification", v)} />
          <Check label={text.requiresATicket} value={c.reference} set={(v) => put("reference", v)} />
          <Check label={text.requiresASecondFactor} value={c.mfa} set={(v) => put("mfa", v)} />
        </>
      )}
      <Checks
        label={text.employmentTypes}
        value={c.employmentTypes}
        set={(v) => put("employmentTypes", v)}
        options={employmentTypes.map((t) => [t, t] as const)}
      />
      <TextField
        label={text.countries}
        hint={text.separateCountriesWithCommas}
        value={c.countries}
        set={(v) => put("countries", v)}
        error={wrong("constraints/countries")}
      />
      <TextField
        label={text.training}
        hint={text.aMemberOfTheAttributeTrainings}
        value={c.training}
        set={(v) => put("training", v)}
        max={200}
        error={wrong("constraints/needs_training")}
      />
      <Check label={text.needsAManager} value={c.manager} set={(v) => put("manager", v)} />
    </fieldset>
  );
}

/** When a policy applies: a period, and windows of the week. */
export function ScheduleFields({ value: s, set, wrong }: { value: Schedule; set: (s: Schedule) => void; wrong: Wrong }) {
  const change = (i: number, w: Window) => set({ ...s, weekly: s.weekly.map((x, j) => (j === i ? w : x)) });
  return (
    <fieldset className="stack tight closed">
      <legend className="field-label">{text.schedule}</legend>
      <div className="fields">
        <TextField
          label={text.appliesFrom}
          type="datetime-local"
          value={s.from}
          set={(v) => set({ ...s, from: v })}
          error={wrong("schedule/from")}
        />
        <TextField
          label={text.appliesUntil}
          type="datetime-local"
          value={s.to}
          set={(v) => set({ ...s, to: v })}
          error={wrong("schedule/to") ?? wrong("schedule")}
        />
      </div>
      {s.weekly.map((w, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: windows have no other identity
        <fieldset className="stack tight closed card padded" key={i}>
          <legend className="small muted">{text.windowNumber(i + 1)}</legend>
          <Checks label={text.days} value={w.days} set={(days) => change(i, { ...w, days })} options={dayNames} />
          <FieldError of={wrong(`schedule/weekly/${i}/days`)} />
          <div className="fields">
            <TextField
              label={text.starts}
              type="time"
              required
              value={w.starts}
              set={(v) => change(i, { ...w, starts: v })}
              error={wrong(`schedule/weekly/${i}/starts`)}
            />
            <TextField
              label={text.ends}
              type="time"
              required
              value={w.ends}
              set={(v) => change(i, { ...w, ends: v })}
              error={wrong(`schedule/weekly/${i}/ends`)}
            />
          </div>
          <div>
            <Button tone="quiet" onClick={() => set({ ...s, weekly: s.weekly.filter((_, j) => j !== i) })}>
              <X aria-hidden size={14} /> {text.removeWindowNumber(i + 1)}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          onClick={() =>
            set({ ...s, weekly: [...s.weekly, { days: ["mon", "tue", "wed", "thu", "fri"], starts: "08:00", ends: "18:00" }] })
          }
        >
          <Plus aria-hidden size={14} /> {text.addWeeklyWindow}
        </Button>
      </div>
      <p className="small muted">{text.windowsAreInTheTimeZone}</p>
    </fieldset>
  );
}
