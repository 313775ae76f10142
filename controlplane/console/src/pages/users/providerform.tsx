import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Check, Checks, Form, SecretField, TextField, useForm, WordsField } from "../../kit/form";
import { Button } from "../../kit/kit";

export type Provider = Of<"Provider">;
type Role = "manager" | "resource_owner" | "admin" | "auditor";
type Mapped = { group: string; roles: Role[] };

const roles = [
  ["admin", "Administrator"],
  ["manager", "Manager"],
  ["resource_owner", "Resource owner"],
  ["auditor", "Auditor"],
] as const;

const empty = {
  name: "",
  issuer: "",
  client_id: "",
  client_secret: "",
  scopes: [] as string[],
  domains: [] as string[],
  create_users: false,
  group_claim: "",
  mapped: [] as Mapped[],
};

function first(of: Provider | undefined): typeof empty {
  if (!of) return empty;
  const { name, issuer, client_id, scopes, domains, create_users, group_claim } = of;
  const mapped = Object.entries(of.role_mapping).map(([group, r]) => ({ group, roles: (r ?? []) as Role[] }));
  return { name, issuer, client_id, client_secret: "", scopes, domains, create_users, group_claim, mapped };
}

/** The settings of a provider, new ones or those of one that is there. */
export function ProviderForm({ of, done }: { of: Provider | undefined; done: () => void }) {
  const save = useAct({
    act: (v: { body: Record<string, unknown>; key: string }) =>
      of
        ? ask("PATCH", `/settings/identity-providers/${of.id}`, { body: v.body, key: v.key, ifMatch: of.version })
        : ask("POST", "/settings/identity-providers", { body: { ...v.body, enabled: true }, key: v.key }),
    done: of ? "Saved" : "Provider added",
    changes: ["/settings/identity-providers"],
    quiet: true,
    after: done,
  });
  const form = useForm(first(of), ({ mapped, client_secret, ...rest }, key) => {
    const role_mapping = Object.fromEntries(mapped.filter((m) => m.group.trim()).map((m) => [m.group.trim(), m.roles]));
    return save.mutateAsync({ body: { ...rest, role_mapping, ...(client_secret ? { client_secret } : {}) }, key });
  });
  const { value, set } = form;
  const [more, setMore] = useState(value.scopes.length > 0);
  return (
    <Form of={form} verb={of ? "Save" : "Add"} cancel={done}>
      <div className="fields">
        <TextField label="Name" hint="Lower-case letters, digits and hyphens." mono required {...form.field("name")} />
        <TextField
          label="Issuer"
          hint="Exactly as in the tokens of the provider."
          type="url"
          mono
          required
          placeholder="https://login.example.com"
          {...form.field("issuer")}
        />
        <TextField label="Client ID" mono required {...form.field("client_id")} />
        <SecretField
          label="Client secret"
          hint="Empty for a public client. Enter it again after you change the issuer."
          kept={of?.client_secret.set ?? false}
          {...form.field("client_secret")}
        />
        <WordsField label="Allowed e-mail domains, one per line" hint="Leave empty to allow any." {...form.field("domains")} />
        <TextField label="Claim with the groups" mono placeholder="groups" {...form.field("group_claim")} />
      </div>
      <Check label="Create a user at the first sign-in" hint="Requires allowed e-mail domains." {...form.field("create_users")} />
      <Mapping of={value.mapped} set={(v) => set("mapped", v)} />
      {more ? (
        <WordsField label="Additional scopes, one per line" hint="Default: profile and email." {...form.field("scopes")} />
      ) : (
        <div>
          <Button reads tone="quiet" onClick={() => setMore(true)}>
            More settings
          </Button>
        </div>
      )}
    </Form>
  );
}

function Mapping({ of, set }: { of: Mapped[]; set: (v: Mapped[]) => void }) {
  const change = (at: number, m: Partial<Mapped>) => set(of.map((was, i) => (i === at ? { ...was, ...m } : was)));
  return (
    <fieldset className="checks">
      <legend>Groups and their roles</legend>
      {of.map((m, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group is typed letter by letter, and there is nothing else
        <div key={i} className="card padded stack tight">
          <TextField label="Group" mono value={m.group} set={(group) => change(i, { group })} />
          <Checks label="Role" value={m.roles} set={(r) => change(i, { roles: r })} options={roles} />
          <div>
            <Button tone="danger" onClick={() => set(of.filter((_, at) => at !== i))}>
              <Trash2 aria-hidden size={15} /> Remove
            </Button>
          </div>
        </div>
      ))}
      <div>
        <Button onClick={() => set([...of, { group: "", roles: [] }])}>
          <Plus aria-hidden size={15} /> Add group
        </Button>
      </div>
    </fieldset>
  );
}
