import * as texts from "#text/tenant";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { durationSeconds } from "../../kit/duration";
import { DurationField } from "../../kit/durationfield";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Part, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";

type Settings = Of<"LifecycleSettings">;

type Span = "pre_hire_lead" | "notice_lead" | "mover_grace" | "delete_after" | "archive_after";

/** What each length of time is called, what nothing means, what else has to be known, and what is sent for nothing. */
const durations: { name: Span; label: string; none: string; hint?: string; nothing: string | null }[] = [
  { name: "pre_hire_lead", label: texts.leadTimeBeforeTheFirstDay, none: texts.onTheFirstDay, nothing: "PT0S" },
  { name: "notice_lead", label: texts.noticePeriodBeforeTheLastDay, none: texts.asSoonAsTheLastDay, nothing: null },
  {
    name: "mover_grace",
    label: texts.gracePeriodAfterAMove,
    none: texts.accessEndsAtOnce,
    hint: texts.aPolicyCanOverrideIt,
    nothing: "PT0S",
  },
  { name: "delete_after", label: texts.deleteDisabledAccountsOfLeaversAfter, none: "never", nothing: null },
  { name: "archive_after", label: texts.archiveLeaversAndMinimizeTheirData, none: "never", nothing: null },
];

const leave = [
  ["keep", texts.stayUnchanged],
  ["disable", texts.areDisabledUntilTheReturn],
] as const;

/** How long before and after things happen to people. */
export function Lifecycle() {
  const settings = useGet<Settings>("/settings/lifecycle");
  return (
    <Part title={texts.joinersMoversAndLeavers}>
      <div className="card padded">
        {settings.isPending ? (
          <Skeleton rows={6} />
        ) : settings.isError ? (
          <Failure error={settings.error} retry={() => void settings.refetch()} />
        ) : (
          <Editor key={JSON.stringify(settings.data)} of={settings.data} saved={() => void settings.refetch()} />
        )}
      </div>
    </Part>
  );
}

function Editor({ of, saved }: { of: Settings; saved: () => void }) {
  const may = useMay();
  const form = useForm<Settings>(of, async (v, key) => {
    await ask("PUT", "/settings/lifecycle", { body: v, key });
    showToast(texts.saved);
    saved();
  });
  const text = (name: keyof Settings) => String(form.value[name] ?? "");
  return (
    <Form of={form} verb={texts.save} closed={!may.admin}>
      <div className="fields">
        {durations.map(({ name, nothing, ...told }) => (
          <DurationField
            key={name}
            {...told}
            value={durationSeconds(text(name)) === 0 ? "" : text(name)}
            set={(v) => form.set(name, (v || nothing) as never)}
            error={form.wrong(name)}
          />
        ))}
        <SelectField
          label={texts.accountsDuringLeave}
          value={form.value.leave_access ?? "keep"}
          set={(v) => form.set("leave_access", v)}
          options={leave}
        />
        <TextField
          label={texts.matchRehiresByTheAttribute}
          hint={texts.inAdditionToTheEmployeeNumber}
          value={text("rehire_attribute")}
          set={(v) => form.set("rehire_attribute", v || null)}
          error={form.wrong("rehire_attribute")}
        />
        <TextField
          label={texts.timeZoneForFirstAndLast}
          value={text("timezone")}
          set={(v) => form.set("timezone", v || undefined)}
          error={form.wrong("timezone")}
          suggestions={Intl.supportedValuesOf("timeZone")}
        />
      </div>
    </Form>
  );
}
