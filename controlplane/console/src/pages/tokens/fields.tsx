import * as text from "#text/tokens";
import { DurationField } from "../../kit/durationfield";
import { TextField, WordsField } from "../../kit/form";

/** The limits of a token, as they are typed. */
export type Limits = { cidrs: string[]; rps: string; burst: string; idle: string };

export const noLimits: Limits = { cidrs: [], rps: "", burst: "", idle: "P60D" };

/** As the API takes them. Nothing typed is the usual rate. */
export const sent = (l: Limits) => ({
  allowed_cidrs: l.cidrs,
  rate_limit: l.rps ? { rps: Number(l.rps), burst: Number(l.burst || Number(l.rps) * 2) } : null,
  ...(l.idle ? { idle_disable_after: l.idle } : {}),
});

type Props = { value: Limits; set: (l: Limits) => void; wrong: (pointer: string) => string | undefined };

export function LimitFields({ value, set, wrong }: Props) {
  const put = <K extends keyof Limits>(name: K, v: Limits[K]) => set({ ...value, [name]: v });
  return (
    <>
      <WordsField
        label={text.allowedNetworks}
        value={value.cidrs}
        set={(v) => put("cidrs", v)}
        mono
        rows={2}
        hint={text.networksOnePerLine}
        error={wrong("allowed_cidrs") ?? wrong("allowed_cidrs/0")}
      />
      <div className="fields">
        <TextField
          label={text.requestsPerSecond}
          type="number"
          value={value.rps}
          set={(v) => put("rps", v)}
          hint={text.leaveEmptyForTheDefaultOf}
          error={wrong("rate_limit/rps") ?? wrong("rate_limit")}
        />
        <TextField
          label={text.burst}
          type="number"
          value={value.burst}
          set={(v) => put("burst", v)}
          disabled={!value.rps}
          hint={text.maximumNumberOfSimultaneousRequestsDefault}
          error={wrong("rate_limit/burst")}
        />
      </div>
      <DurationField
        label={text.disableIfUnusedFor}
        value={value.idle}
        set={(v) => put("idle", v)}
        hint={text.oneHourTo365Days}
        error={wrong("idle_disable_after")}
      />
    </>
  );
}
