import * as text from "#text/approvals";
import { DurationField } from "../../kit/durationfield";
import { Check, Checks, SelectField, TextField } from "../../kit/form";
import { ConditionField } from "../policies/condition";
import { matchAll } from "../policies/language";
import type { Stage, Wait } from "./model";
import type { ProblemLookup } from "./resolvers";

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
type Props = { of: Stage; set: (s: Stage) => void; at: string; wrong: ProblemLookup };

/** What a stage waits for before anybody is asked, and when it may be decided. */
export function Waiting({ of: s, set, at, wrong }: Props) {
  const w = s.wait;
  const put = (x: Wait) => set({ ...s, wait: x });
  const { wait: _, decision_window: __, ...bare } = s;
  const here = (m: string) => wrong(`${at}/wait/${m}`);
  const win = s.decision_window;
  return (
    <>
      <SelectField
        label={text.waitBeforeTheFirstStep}
        value={w?.kind ?? ""}
        set={(kind) => (kind ? put(fresh(kind as Wait["kind"])) : set({ ...bare, ...(win ? { decision_window: win } : {}) }))}
        none={text.noWait}
        options={[
          ["duration", text.forAPeriod],
          ["time_of_day", text.untilATimeOfDay],
          ["condition", text.untilAConditionOnThePerson],
          ["external", text.untilAnAdministratorContinuesIt],
        ]}
        error={here("kind")}
      />
      {w?.kind === "duration" && (
        <DurationField
          label={text.period}
          value={w.duration ?? ""}
          set={(duration) => put({ ...w, duration })}
          error={here("duration")}
          required
        />
      )}
      {w?.kind === "time_of_day" && (
        <div className="fields">
          <TextField label={text.timeOfDay} type="time" value={w.at ?? ""} set={(t) => put({ ...w, at: t })} error={here("at")} required />
          <TextField
            label={text.timeZone}
            value={w.tz ?? ""}
            set={(tz) => put({ ...w, tz })}
            hint={text.forExampleEuropeBerlin}
            error={here("tz")}
          />
        </div>
      )}
      {w?.kind === "condition" && (
        <ConditionField
          label={text.condition}
          value={w.condition ?? matchAll}
          set={(condition) => put({ ...w, condition })}
          wrong={wrong}
          at={`${at}/wait/condition`}
        />
      )}
      {(w?.kind === "condition" || w?.kind === "external") && (
        <div className="fields">
          <DurationField
            label={text.maximumWait}
            value={w.timeout ?? ""}
            set={(timeout) => put({ ...w, timeout })}
            error={here("timeout")}
            required
          />
          <SelectField
            label={text.thenLabel}
            value={w.on_timeout ?? "reject"}
            set={(on_timeout) => put({ ...w, on_timeout })}
            options={[
              ["continue", text.continueLabel],
              ["reject", text.refuse],
            ]}
            error={here("on_timeout")}
          />
        </div>
      )}
      <Check
        label={text.allowDecisionsOnlyAtCertainTimes}
        value={Boolean(win)}
        set={(on) =>
          set({
            ...bare,
            ...(w ? { wait: w } : {}),
            ...(on ? { decision_window: { days: days.slice(0, 5), from: "09:00", to: "17:00" } } : {}),
          })
        }
      />
      {win && (
        <>
          <Checks
            label={text.days}
            value={(win.days ?? []) as (typeof days)[number][]}
            set={(d) => set({ ...s, decision_window: { ...win, days: d } })}
            options={days.map((d) => [d, d] as const)}
          />
          <div className="fields">
            <TextField
              label={text.from}
              type="time"
              value={win.from ?? ""}
              set={(from) => set({ ...s, decision_window: { ...win, from } })}
              error={wrong(`${at}/decision_window/from`)}
            />
            <TextField
              label={text.to}
              type="time"
              value={win.to ?? ""}
              set={(to) => set({ ...s, decision_window: { ...win, to } })}
              error={wrong(`${at}/decision_window/to`)}
            />
            <TextField
              label={text.timeZone}
              value={win.tz ?? ""}
              set={(tz) => set({ ...s, decision_window: { ...win, tz } })}
              hint={text.forExampleEuropeBerlin}
              error={wrong(`${at}/decision_window/tz`) ?? wrong(`${at}/decision_window`)}
            />
          </div>
        </>
      )}
    </>
  );
}

const fresh = (kind: Wait["kind"]): Wait => {
  if (kind === "duration") return { kind, duration: "P1D" };
  if (kind === "time_of_day") return { kind, at: "09:00" };
  return kind === "condition"
    ? { kind, condition: matchAll, timeout: "P7D", on_timeout: "reject" }
    : { kind, timeout: "P7D", on_timeout: "reject" };
};
