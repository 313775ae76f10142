import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Part, Skeleton } from "../../kit/kit";
import { say } from "../../kit/toast";

type Settings = Of<"LifecycleSettings">;

const durations: [keyof Settings & string, string, string][] = [
  ["pre_hire_lead", "Access is made before the first day by", "P0D: on the day itself."],
  ["notice_lead", "People are on notice before their last day for", "Empty: as soon as the last day is known."],
  ["mover_grace", "Access that no longer follows stays for", "Unless its policy says otherwise."],
  ["delete_after", "A leaver's disabled accounts are deleted after", "Empty: never."],
  ["archive_after", "People who left are archived, and their data minimised, after", "Empty: never."],
];

const leave = [
  ["keep", "Stay as they are"],
  ["disable", "Are disabled until the return"],
] as const;

/** How long before and after things happen to people. */
export function Lifecycle() {
  const settings = useGet<Settings>("/settings/lifecycle");
  return (
    <Part title="Joining, moving, leaving" lead="Durations are written P7D for seven days, P2W for two weeks, PT12H for twelve hours.">
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
    say("Saved");
    saved();
  });
  const text = (name: keyof Settings) => String(form.value[name] ?? "");
  return (
    <Form of={form} verb="Save" closed={!may.admin}>
      <div className="fields">
        {durations.map(([name, label, hint]) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            mono
            value={text(name)}
            set={(v) => form.set(name, (v || null) as never)}
            error={form.wrong(name)}
          />
        ))}
        <SelectField
          label="During leave, accounts"
          value={form.value.leave_access ?? "keep"}
          set={(v) => form.set("leave_access", v)}
          options={leave}
        />
        <TextField
          label="A rehire is recognised by the attribute"
          hint="Besides the employee number, such as a national number. Empty: by nothing else."
          value={text("rehire_attribute")}
          set={(v) => form.set("rehire_attribute", v || null)}
          error={form.wrong("rehire_attribute")}
        />
        <TextField
          label="Days begin in the time zone"
          value={text("timezone")}
          set={(v) => form.set("timezone", v || undefined)}
          error={form.wrong("timezone")}
          suggestions={Intl.supportedValuesOf("timeZone")}
        />
      </div>
    </Form>
  );
}
