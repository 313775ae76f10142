import { Link } from "@tanstack/react-router";
import { useState, useSyncExternalStore } from "react";
import { actingAs, subscribeActing } from "../../api/acting";
import type { Me as Who } from "../../api/types";
import { useMe } from "../../api/use";
import { appearance, setAppearance } from "../../app/appearance";
import { Check } from "../../kit/form";
import { Facts, Head, Note, Part, Skeleton } from "../../kit/kit";
import { Factor } from "./factor";
import { Password } from "./password";
import { Sessions } from "./sessions";
import "./settings.css";

/** Who is signed in, how the console looks to them, and how they sign in. */
export default function Me() {
  const me = useMe();
  const acting = useSyncExternalStore(subscribeActing, actingAs);
  return (
    <>
      <Head title="Account and appearance" lead="Your roles, the appearance of the console, and your sign-in methods." />
      {me ? <You of={me} /> : <Skeleton rows={4} />}
      <Appearance />
      {/* One's own sign-in is everybody's to look after, of those too who only read. */}
      <div className="stack" data-reads="">
        {acting ? (
          <Note>You are working in another tenant. Leave it to change your sign-in methods.</Note>
        ) : (
          me && (
            <>
              <Password set={me.password_set !== false} />
              <Factor of={me} />
              <Sessions />
            </>
          )
        )}
      </div>
    </>
  );
}

const roles: Record<string, string> = {
  admin: "Administrator: sees and changes the whole tenant.",
  auditor: "Auditor: sees the whole tenant and changes nothing.",
  manager: "Manager: sees direct and indirect reports and their access.",
  resource_owner: "Owner: sees the holders of owned access and decides about it.",
};

const because: Record<string, string> = {
  own_record: "your own record",
  reports: "your team",
  owned_resources: "what you own",
  whole_tenant: "the whole tenant",
};

function sees(of: Who): string {
  const why = of.visibility.because.map((b) => because[b] ?? b).join(" and ");
  return of.visibility.identities > 0 ? `${of.visibility.identities.toLocaleString("en")}, by ${why}` : why || "nobody";
}

function You({ of }: { of: Who }) {
  const person = of.user?.identity_id;
  return (
    <section className="card padded stack" aria-label="Account">
      <Facts
        of={[
          ["Name", of.user?.display_name],
          ["E-mail", <bdi key="e">{of.user?.email ?? of.display}</bdi>],
          ["Tenant", <bdi key="t">{of.tenant.name}</bdi>],
          [
            "Person",
            person ? (
              <Link key="p" to="/people/$id" params={{ id: person }}>
                Your own record
              </Link>
            ) : (
              "Not linked to a person"
            ),
          ],
          ["Visible people", sees(of)],
        ]}
      />
      <ul className="me-roles">
        {of.roles.map((r) => (
          <li key={r}>{roles[r] ?? r}</li>
        ))}
        {of.control_plane_admin && <li>Operator: manages the tenants of this service.</li>}
        {of.roles.length === 0 && <li>You see your own record, your requests and your decision tasks.</li>}
      </ul>
    </section>
  );
}

const themes = [
  ["", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;
const densities = [
  ["", "Comfortable"],
  ["compact", "Compact"],
] as const;

function Appearance() {
  const [now, set] = useState(appearance);
  const change = (c: ReturnType<typeof appearance>) => {
    setAppearance(c);
    set(appearance());
  };
  return (
    <Part title="Appearance and keyboard" lead="These settings apply to this browser only.">
      <div className="card padded stack" data-reads="">
        <Choices name="Colours" of={themes} value={now.theme ?? ""} set={(v) => change({ theme: v || undefined })} />
        <Choices name="Rows" of={densities} value={now.density ?? ""} set={(v) => change({ density: v || undefined })} />
        <Check
          reads
          label="Single-key shortcuts"
          hint="J and K in lists, G and a letter for navigation. Ctrl K, arrows and Escape always work."
          value={now.singleKeys !== "off"}
          set={(on) => change({ singleKeys: on ? undefined : "off" })}
        />
      </div>
    </Part>
  );
}

type ChoicesProps<V extends string> = { name: string; of: readonly (readonly [V, string])[]; value: V; set: (v: V) => void };

function Choices<V extends string>({ name, of, value, set }: ChoicesProps<V>) {
  return (
    <fieldset className="me-choices">
      <legend>{name}</legend>
      {of.map(([v, words]) => (
        <label key={v}>
          <input type="radio" name={name} checked={v === value} onChange={() => set(v)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}
