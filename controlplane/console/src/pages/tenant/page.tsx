import * as text from "#text/tenant";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Facts, Failure, Head, Part, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { Lifecycle } from "./lifecycle";
import { Orphans } from "./orphans";
import { Writing } from "./writing";

/** What holds for the whole tenant. */
export default function Tenant() {
  return (
    <>
      <Head title={text.tenant} lead={text.settingsForTheWholeTenant} up={<Link to="/settings">{text.settings}</Link>} />
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
    <Part title={text.general}>
      <div className="card padded stack">
        <Facts
          of={[
            [text.address, <code key="a">{t.base_url}</code>],
            [text.shortName, <code key="s">{t.slug}</code>],
            [text.region, t.region],
            [text.state, <State key="st" of={t.status} />],
            [text.stage, <State key="f" of={t.funnel_state} />],
            [text.created, <When key="w" at={t.created_at} />],
          ]}
        />
        <Names key={t.version} of={t} saved={() => void tenant.refetch()} />
      </div>
    </Part>
  );
}

const facts = [
  ["no", text.auditLogOnly],
  ["yes", text.auditLogAndWebhook],
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
    showToast(text.saved);
    saved();
  });
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <TextField label={text.name} {...form.field("name")} required max={200} />
      <TextField
        label={text.timeZone}
        hint={text.timeZoneOfDatesSuchAs}
        {...form.field("timezone", "settings/timezone")}
        suggestions={Intl.supportedValuesOf("timeZone")}
      />
      <SelectField label={text.notificationWhenAServiceOperatorWorks} {...form.field("notify")} options={facts} />
      <TextField
        label={text.callbackHosts}
        hint={text.hostsThatSyncProgressMayBe}
        {...form.field("callbacks", "settings/callback_hosts")}
      />
    </Form>
  );
}
