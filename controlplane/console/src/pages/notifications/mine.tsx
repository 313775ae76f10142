import * as text from "#text/notifications";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Failure, Note, Part, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { type Group, groups, hours, type Mode, modeName, modes } from "./modes";

type Own = Of<"OwnNotifications">;
const path = "/settings/notifications/me";

/** The notification settings of the user who is signed in. */
export function Mine() {
  const own = useGet<Own>(path);
  return (
    <Part title={text.notifications}>
      <div className="card padded">
        {own.isPending ? (
          <Skeleton rows={5} />
        ) : own.isError ? (
          <Failure error={own.error} retry={() => void own.refetch()} />
        ) : (
          <Editor key={own.data.version} of={own.data} again={() => void own.refetch()} />
        )}
      </div>
    </Part>
  );
}

type Value = Record<Group, Mode | ""> & { hour: string; zone: string };

const chosen = (of: Own, group: Group) => (of.modes[group] ?? "") as Mode | "";

function Editor({ of, again }: { of: Own; again: () => void }) {
  const first: Value = {
    tasks: chosen(of, "tasks"),
    requests: chosen(of, "requests"),
    operations: chosen(of, "operations"),
    hour: of.digest_hour == null ? "" : String(of.digest_hour),
    zone: of.time_zone ?? "",
  };
  const form = useForm(first, async (v, key) => {
    const body = {
      modes: { tasks: v.tasks || null, requests: v.requests || null, operations: v.operations || null },
      digest_hour: v.hour === "" ? null : Number(v.hour),
      time_zone: v.zone || null,
    };
    await ask("PATCH", path, { body, ifMatch: of.version, key });
    showToast(text.saved);
    again();
  });
  return (
    <div className="stack">
      <Where of={of} />
      <Form of={form} verb={text.save}>
        <div className="fields">
          {groups.map(([name, label]) => {
            const now = of.groups.find((g) => g.group === name);
            return (
              <SelectField
                key={name}
                label={label}
                value={now?.locked ? now.mode : form.value[name]}
                set={(v) => form.set(name, v)}
                options={modes}
                none={text.defaultOfYourTenant(modeName(now?.default ?? "smart"))}
                disabled={now?.locked ?? false}
                hint={now?.locked ? text.setByYourAdministrators : undefined}
              />
            );
          })}
          <SelectField
            label={text.hourOfTheDigest}
            value={form.value.hour}
            set={(v) => form.set("hour", v)}
            options={hours}
            none={text.inUse(text.hourOfTheDay(String(of.effective_digest_hour).padStart(2, "0")))}
            error={form.wrong("digest_hour")}
          />
          <TextField
            label={text.timeZone}
            value={form.value.zone}
            set={(v) => form.set("zone", v)}
            suggestions={Intl.supportedValuesOf("timeZone")}
            hint={text.inUse(of.effective_time_zone)}
            error={form.wrong("time_zone")}
          />
        </div>
        <EditConflict refused={form.refused} again={again} />
      </Form>
    </div>
  );
}

/** Where messages go, and what keeps them from going there. */
function Where({ of }: { of: Own }) {
  if (!of.ready) return <Note>{text.noMailServer}</Note>;
  if (!of.address) return <Note tone="warn">{text.thereIsNoAddress}</Note>;
  if (of.bounced) return <Note tone="warn">{text.aMailServerRejectedYourAddress}</Note>;
  return <p className="muted">{text.messagesAreSentTo(of.address)}</p>;
}
