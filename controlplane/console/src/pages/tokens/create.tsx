import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/tokens";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { LimitFields, type Limits, noLimits, sent } from "./fields";
import { Scopes } from "./scopes";
import { TokenSecret } from "./secret";
import { dayIn, endOf, needsIdentity, type Role, roles } from "./words";

type New = { name: string; description: string; role: Role; scopes: string[]; person: Picked | null; until: string; limits: Limits };

/** Makes a token, and shows it once. */
export function CreateToken({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const [made, setMade] = useState<Of<"Issued">>();
  const first: New = { name: "", description: "", role: "auditor", scopes: [], person: null, until: dayIn(90), limits: noLimits };
  const form = useForm(first, async (v, key) => {
    const body = {
      name: v.name.trim(),
      description: v.description.trim(),
      role: v.role,
      scopes: v.scopes,
      bound_identity_id: needsIdentity(v.role) ? (v.person?.id ?? null) : null,
      ...(v.until ? { expires_at: endOf(v.until) } : {}),
      ...sent(v.limits),
    };
    const issued = await ask<Of<"Issued">>("POST", "/settings/api-tokens", { body, key });
    void queries.invalidateQueries({ queryKey: ["/settings/api-tokens"] });
    setMade(issued);
  });
  if (made) return <TokenSecret token={made.token} name={made.name} close={close} />;
  const { value: v, set, wrong } = form;
  return (
    <Dialog open close={close} wide title={text.createApiToken} lead={text.forAProgramItCanDo}>
      <Form of={form} verb={text.create} cancel={close}>
        <TextField label={text.name} value={v.name} set={(n) => set("name", n)} max={100} required autoFocus error={wrong("name")} />
        <TextField
          label={text.purpose}
          value={v.description}
          set={(d) => set("description", d)}
          max={1000}
          rows={2}
          hint={text.helpsYouDecideLaterWhetherThe}
          error={wrong("description")}
        />
        <Scopes value={v.scopes} set={(s) => set("scopes", s)} error={wrong("scopes") ?? wrong("scopes/0")} />
        <SelectField
          label={text.role}
          value={v.role}
          set={(r) => set("role", r)}
          options={roles}
          hint={text.theTokenHasThePermissionsOf}
          error={wrong("role")}
        />
        {needsIdentity(v.role) && (
          <Pick
            label={text.viewOf}
            source={people}
            value={v.person}
            set={(p) => set("person", p)}
            required
            error={wrong("bound_identity_id")}
          />
        )}
        <TextField
          label={text.expiresAtTheEndOf}
          type="date"
          value={v.until}
          set={(d) => set("until", d)}
          required
          hint={text.atMost365Days}
          error={wrong("expires_at")}
        />
        <LimitFields value={v.limits} set={(l) => set("limits", l)} wrong={wrong} />
      </Form>
    </Dialog>
  );
}
