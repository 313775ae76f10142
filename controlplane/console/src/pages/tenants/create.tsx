import * as text from "#text/tenants";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet } from "../../api/use";
import { Checks, Form, TextField, useForm } from "../../kit/form";

const empty = { name: "", slug: "", region: "", admin_email: "", admin_display_name: "", timezone: "", packs: [] as string[] };

/** Founds a tenant with its first administrator, and with the sector packs that it begins with: all or nothing. */
export function CreateTenant({ done, cancel }: { done: (t: Of<"Founded">) => void; cancel: () => void }) {
  const packs = useGet<Page<Of<"SectorPack">>>("/sector-packs", { limit: 100 });
  const found = useAct({
    act: (v: { body: unknown; key: string }) => ask<Of<"Founded">>("POST", "/control-plane/tenants", v),
    changes: ["/control-plane/tenants"],
    after: done,
    quiet: true,
  });
  const form = useForm(empty, ({ packs: sector_packs, timezone, region, admin_display_name, ...rest }, key) =>
    found.mutateAsync({
      body: {
        ...rest,
        ...(region ? { region } : {}),
        ...(admin_display_name ? { admin_display_name } : {}),
        ...(timezone ? { settings: { timezone } } : {}),
        ...(sector_packs.length ? { sector_packs } : {}),
      },
      key,
    }),
  );
  const { value, set, wrong } = form;
  const choices = (packs.data?.items ?? []).map((p) => [p.key, p.name] as const);
  return (
    <Form of={form} verb={text.create} cancel={cancel}>
      <div className="fields">
        <TextField label={text.name} required autoFocus max={200} value={value.name} set={(v) => set("name", v)} error={wrong("name")} />
        <TextField
          label={text.shortName}
          hint={text.lowerCaseLettersDigitsAndHyphens}
          mono
          required
          max={63}
          value={value.slug}
          set={(v) => set("slug", v)}
          error={wrong("slug") && text.useOnlyLowerCaseLettersDigits}
        />
        <TextField
          label={text.eMailOfTheFirstAdministrator}
          type="email"
          required
          value={value.admin_email}
          set={(v) => set("admin_email", v)}
          error={wrong("admin_email")}
        />
        <TextField
          label={text.nameOfTheFirstAdministrator}
          value={value.admin_display_name}
          set={(v) => set("admin_display_name", v)}
          error={wrong("admin_display_name")}
        />
        <TextField
          label={text.region}
          hint={text.locationOfTheDataAsFree}
          value={value.region}
          set={(v) => set("region", v)}
          error={wrong("region")}
        />
        <TextField
          label={text.timeZone}
          value={value.timezone}
          set={(v) => set("timezone", v)}
          error={wrong("settings/timezone")}
          suggestions={Intl.supportedValuesOf("timeZone")}
        />
      </div>
      {choices.length > 0 && <Checks label={text.sectorPacks} value={value.packs} set={(v) => set("packs", v)} options={choices} />}
    </Form>
  );
}
