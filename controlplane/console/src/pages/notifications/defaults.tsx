import * as text from "#text/notifications";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useMay } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { Check, Form, SelectField, TextField, useForm } from "../../kit/form";
import { Part } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { groups, hours, modes } from "./modes";

type Settings = Of<"NotificationSettings">;

/** What applies to people who have chosen nothing, and what they cannot change. */
export function Defaults({ of, again }: { of: Settings; again: () => void }) {
  const may = useMay();
  const first = { modes: of.modes, locked: of.locked, hour: String(of.digest_hour), quiet: of.quiet_hours };
  const form = useForm(first, async (v, key) => {
    const body = { modes: v.modes, locked: v.locked, digest_hour: Number(v.hour), quiet_hours: v.quiet };
    await ask("PATCH", "/settings/notifications", { body, ifMatch: of.version, key });
    showToast(text.saved);
    again();
  });
  const { quiet, locked } = form.value;
  return (
    <Part title={text.defaults}>
      <div className="card padded">
        <Form of={form} verb={text.save} closed={!may.admin}>
          <div className="fields">
            {groups.map(([name, label]) => (
              <div key={name} className="stack tight">
                <SelectField
                  label={label}
                  value={form.value.modes[name] ?? "smart"}
                  set={(v) => form.set("modes", { ...form.value.modes, [name]: v })}
                  options={modes}
                  error={form.wrong("modes")}
                />
                <Check
                  label={text.peopleCannotChangeIt}
                  value={locked.includes(name)}
                  set={(on) => form.set("locked", on ? [...locked, name] : locked.filter((g) => g !== name))}
                />
              </div>
            ))}
            <SelectField
              label={text.hourOfTheDigest}
              {...form.field("hour", "digest_hour")}
              options={hours}
              hint={text.inTheTimeZoneOfThePerson}
            />
            <TextField
              label={text.quietHoursFrom}
              type="time"
              value={quiet.from}
              set={(from) => form.set("quiet", { ...quiet, from })}
              hint={text.onlyUrgentMessages}
              error={form.wrong("quiet_hours")}
            />
            <TextField label={text.quietHoursTo} type="time" value={quiet.to} set={(to) => form.set("quiet", { ...quiet, to })} />
            <Check label={text.weekendsAreQuiet} value={quiet.weekends} set={(weekends) => form.set("quiet", { ...quiet, weekends })} />
          </div>
          <EditConflict refused={form.refused} again={again} />
        </Form>
      </div>
    </Part>
  );
}
