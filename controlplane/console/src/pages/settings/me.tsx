import { useState, useSyncExternalStore } from "react";
import * as text from "#text/settings";
import { actingAs, subscribeActing } from "../../api/acting";
import type { Me as Who } from "../../api/types";
import { useMe } from "../../api/use";
import { appearance, setAppearance } from "../../app/appearance";
import { Check } from "../../kit/form";
import { Facts, Head, Note, Part, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Mine } from "../notifications/mine";
import { Factor } from "./factor";
import { Passkeys } from "./passkeys";
import { Password } from "./password";
import { Sessions } from "./sessions";
import "./settings.css";

/** Who is signed in, how the console looks to them, and how they sign in. */
export default function Me() {
  const me = useMe();
  const acting = useSyncExternalStore(subscribeActing, actingAs);
  return (
    <>
      <Head title={text.accountAndAppearance} lead={text.yourRolesTheAppearanceOfThe} />
      {me ? <Profile of={me} /> : <Skeleton rows={4} />}
      <Appearance />
      {/* One's own sign-in is everybody's to look after, of those too who only read. */}
      <div className="stack" data-reads="">
        {acting ? (
          <Note>{text.youAreWorkingInAnotherTenant}</Note>
        ) : (
          me && (
            <>
              <Password set={me.password_set !== false} />
              <Factor of={me} />
              <Passkeys of={me} />
              <Mine />
              <Sessions />
            </>
          )
        )}
      </div>
    </>
  );
}

const roles: Record<string, string> = {
  admin: text.administratorSeesAndChangesTheWhole,
  auditor: text.auditorSeesTheWholeTenantAnd,
  manager: text.managerSeesDirectAndIndirectReports,
  resource_owner: text.ownerSeesTheHoldersOfOwned,
};

const because: Record<string, string> = {
  own_record: text.yourOwnRecordLower,
  reports: text.yourTeam,
  owned_resources: text.whatYouOwn,
  whole_tenant: text.theWholeTenant,
};

function sees(of: Who): string {
  const why = text.andList(of.visibility.because.map((b) => because[b] ?? b));
  return of.visibility.identities > 0 ? text.identitiesByWhy(of.visibility.identities.toLocaleString("en"), why) : why || text.nobody;
}

function Profile({ of }: { of: Who }) {
  const person = of.user?.identity_id;
  return (
    <section className="card padded stack" aria-label={text.account}>
      <Facts
        of={[
          [text.name, of.user?.display_name],
          [text.eMail, <bdi key="e">{of.user?.email ?? of.display}</bdi>],
          [text.tenant, <bdi key="t">{of.tenant.name}</bdi>],
          [
            text.person,
            person ? (
              <Link key="p" to="/people/$id" params={{ id: person }}>
                {text.yourOwnRecord}
              </Link>
            ) : (
              text.notLinkedToAPerson
            ),
          ],
          [text.visiblePeople, sees(of)],
        ]}
      />
      <ul className="settings-roles">
        {of.roles.map((r) => (
          <li key={r}>{roles[r] ?? r}</li>
        ))}
        {of.control_plane_admin && <li>{text.operatorManagesTheTenantsOfThis}</li>}
        {of.roles.length === 0 && <li>{text.youSeeYourOwnRecordYour}</li>}
      </ul>
    </section>
  );
}

const themes = [
  ["", text.system],
  ["light", text.light],
  ["dark", text.dark],
] as const;
const densities = [
  ["", text.comfortable],
  ["compact", text.compact],
] as const;

function Appearance() {
  const [now, set] = useState(appearance);
  const change = (c: ReturnType<typeof appearance>) => {
    setAppearance(c);
    set(appearance());
  };
  return (
    <Part title={text.appearanceAndKeyboard} lead={text.theseSettingsApplyToThisBrowser}>
      <div className="card padded stack" data-reads="">
        <Choices name={text.colours} of={themes} value={now.theme ?? ""} set={(v) => change({ theme: v || undefined })} />
        <Choices name={text.rows} of={densities} value={now.density ?? ""} set={(v) => change({ density: v || undefined })} />
        <Check
          reads
          label={text.singleKeyShortcuts}
          hint={text.jAndKInListsG}
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
    <fieldset className="settings-choices">
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
