import { Link } from "@tanstack/react-router";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Facts, Failure, Head, Part, Skeleton, When } from "../../kit/kit";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { Lifecycle } from "./lifecycle";
import { Orphans } from "./orphans";
import { Writing } from "./writing";

/** What holds for the whole tenant. */
export default function Tenant() {
  return (
    <>
      <Head title="Tenant" lead="Settings for the whole tenant." up={<Link to="/settings">Settings</Link>} />
      <General />
      <Lifecycle />
      <Writing />
      <Orphans />
    </>
  );
}

function General() {
  const tenant = useGet<Of<"Tenancy">>("/settings/tenant");
  if (tenant.isPending) return <Skeleton rows={4} />;
  if (tenant.isError) return <Failure error={tenant.error} retry={() => void tenant.refetch()} />;
  const t = tenant.data;
  return (
    <Part title="General">
      <div className="card padded stack">
        <Facts
          of={[
            ["Address", <code key="a">{t.base_url}</code>],
            ["Short name", <code key="s">{t.slug}</code>],
            ["Region", t.region],
            ["State", <State key="st" of={t.status} />],
            ["Stage", <State key="f" of={t.funnel_state} />],
            ["Created", <When key="w" at={t.created_at} />],
          ]}
        />
        <Names key={t.version} of={t} saved={() => void tenant.refetch()} />
      </div>
    </Part>
  );
}

const told = [
  ["no", "Audit log only"],
  ["yes", "Audit log and webhook"],
] as const;

function Names({ of, saved }: { of: Of<"Tenancy">; saved: () => void }) {
  const may = useMay();
  const first = {
    name: of.name,
    timezone: of.settings.timezone ?? "",
    notify: of.settings.notify_operator_access ? ("yes" as const) : ("no" as const),
    callbacks: (of.settings.callback_hosts ?? []).join(" "),
  };
  const form = useForm(first, async (v, key) => {
    const settings = {
      timezone: v.timezone || null,
      notify_operator_access: v.notify === "yes",
      callback_hosts: v.callbacks.split(/[\s,]+/).filter(Boolean),
    };
    const body = { name: v.name, settings };
    await ask("PATCH", "/settings/tenant", { body, key, ifMatch: of.version });
    showToast("Saved");
    saved();
  });
  return (
    <Form of={form} verb="Save" closed={!may.admin}>
      <TextField label="Name" {...form.field("name")} required max={200} />
      <TextField
        label="Time zone"
        hint="Time zone of dates, such as Europe/Paris. Empty: UTC."
        {...form.field("timezone", "settings/timezone")}
        suggestions={Intl.supportedValuesOf("timeZone")}
      />
      <SelectField label="Notification when a service operator works in this tenant" {...form.field("notify")} options={told} />
      <TextField
        label="Callback hosts"
        hint="Hosts that sync progress may be sent to, separated by spaces. Leave empty to allow every public host."
        {...form.field("callbacks", "settings/callback_hosts")}
      />
    </Form>
  );
}
