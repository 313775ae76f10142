import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import * as text from "#text/users";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Check, Checks, Form, SecretField, TextField, useForm, WordsField } from "../../kit/form";
import { Button } from "../../kit/kit";

export type Provider = Of<"Provider">;
type Role = "manager" | "resource_owner" | "admin" | "auditor";
type Mapped = { group: string; roles: Role[] };

const roles = [
  ["admin", text.administrator],
  ["manager", text.manager],
  ["resource_owner", text.resourceOwner],
  ["auditor", text.auditor],
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
    done: of ? text.saved : text.providerAdded,
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
    <Form of={form} verb={of ? text.save : text.add} cancel={done}>
      <div className="fields">
        <TextField label={text.name} hint={text.lowerCaseLettersDigitsAndHyphens} mono required {...form.field("name")} />
        <TextField
          label={text.issuer}
          hint={text.exactlyAsInTheTokensOf}
          type="url"
          mono
          required
          placeholder="https://login.example.com"
          {...form.field("issuer")}
        />
        <TextField label={text.clientId} mono required {...form.field("client_id")} />
        <SecretField
          label={text.clientSecret}
          hint={text.emptyForAPublicClientEnter}
          kept={of?.client_secret.set ?? false}
          {...form.field("client_secret")}
        />
        <WordsField label={text.allowedEMailDomainsOnePer} hint={text.leaveEmptyToAllowAny} {...form.field("domains")} />
        <TextField label={text.claimWithTheGroups} mono placeholder={text.groups} {...form.field("group_claim")} />
      </div>
      <Check label={text.createAUserAtTheFirst} hint={text.requiresAllowedEMailDomains} {...form.field("create_users")} />
      <Mapping of={value.mapped} set={(v) => set("mapped", v)} />
      {more ? (
        <WordsField label={text.additionalScopesOnePerLine} hint={text.defaultProfileAndEmail} {...form.field("scopes")} />
      ) : (
        <div>
          <Button reads tone="quiet" onClick={() => setMore(true)}>
            {text.moreSettings}
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
      <legend>{text.groupsAndTheirRoles}</legend>
      {of.map((m, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group is typed letter by letter, and there is nothing else
        <div key={i} className="card padded stack tight">
          <TextField label={text.group} mono value={m.group} set={(group) => change(i, { group })} />
          <Checks label={text.role} value={m.roles} set={(r) => change(i, { roles: r })} options={roles} />
          <div>
            <Button tone="danger" onClick={() => set(of.filter((_, at) => at !== i))}>
              <Trash2 aria-hidden size={15} /> {text.remove}
            </Button>
          </div>
        </div>
      ))}
      <div>
        <Button onClick={() => set([...of, { group: "", roles: [] }])}>
          <Plus aria-hidden size={15} /> {text.addGroup}
        </Button>
      </div>
    </fieldset>
  );
}
