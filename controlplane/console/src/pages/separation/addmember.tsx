import { useState } from "react";
import * as text from "#text/duties";
import { SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { access, connectors, Pick, type Picked, roles } from "../../kit/pick";
import type { Member } from "./members";

const kinds = Object.entries(text.memberKinds) as [Member["kind"], string][];

/** Adds a member to a group: an entitlement, a role, a tag, a system, or an entitlement by its ID in a system. */
export function AddMember({ add }: { add: (m: Member) => void }) {
  const [kind, setKind] = useState<Member["kind"]>("entitlement");
  const [typed, setTyped] = useState("");
  const [system, setSystem] = useState<Picked | null>(null);
  const given = (p: Picked | null, of: (p: Picked) => Partial<Member>) => p && add({ kind, name: p.words, ...of(p) });
  const done = (m: Partial<Member>) => {
    add({ kind, ...m });
    setTyped("");
  };
  return (
    <fieldset className="duty-add closed" aria-label={text.addAMember}>
      <SelectField label={text.kindOfMember} value={kind} set={setKind} options={kinds} />
      {kind === "entitlement" && (
        <Pick label={text.entitlementLabel} source={access} value={null} set={(p) => given(p, ({ id }) => ({ entitlement_id: id }))} />
      )}
      {kind === "role" && <Pick label={text.roleLabel} source={roles} value={null} set={(p) => given(p, ({ id }) => ({ role_id: id }))} />}
      {kind === "connector" && (
        <Pick label={text.systemLabel} source={connectors} value={null} set={(p) => given(p, ({ id }) => ({ connector_id: id }))} />
      )}
      {kind === "duty_tag" && (
        <>
          <TextField label={text.dutyTagLabel} hint={text.dutyTagHint} value={typed} set={setTyped} max={100} />
          <Button disabled={!typed.trim()} onClick={() => done({ duty_tag: typed.trim() })}>
            {text.add}
          </Button>
        </>
      )}
      {kind === "external" && (
        <>
          <Pick label={text.systemLabel} source={connectors} value={system} set={setSystem} />
          <TextField label={text.externalIdLabel} hint={text.externalIdHint} value={typed} set={setTyped} max={1000} mono />
          <Button
            disabled={!system || !typed.trim()}
            onClick={() => done({ ...(system ? { connector_id: system.id } : {}), external_id: typed.trim() })}
          >
            {text.add}
          </Button>
        </>
      )}
    </fieldset>
  );
}
