import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as text from "#text/users";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { Checks, Form, TextField, useForm } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { OneTimeLink } from "./link";
import { type RoleName, roleNames } from "./words";

type New = { email: string; name: string; roles: RoleName[]; person: Picked | null };

/** Makes a user, and shows the link by which they come in. */
export function Invite({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const [made, setMade] = useState<Of<"InvitedUser">>();
  const form = useForm<New>({ email: "", name: "", roles: [], person: null }, async (v, key) => {
    const body = { email: v.email.trim(), display_name: v.name.trim(), roles: v.roles, identity_id: v.person?.id ?? null };
    const user = await ask<Of<"InvitedUser">>("POST", "/settings/users", { body, key });
    void queries.invalidateQueries({ queryKey: ["/settings/users"] });
    setMade(user);
  });
  if (made) return <OneTimeLink of={made.invitation} who={made.display_name || made.email} close={close} />;
  const needsPerson = form.value.roles.some((r) => r === "manager" || r === "resource_owner") && !form.value.person;
  return (
    <Dialog open close={close} title={text.inviteUser} lead={text.theUserGetsALinkFrom}>
      <Form of={form} verb={text.invite} cancel={close}>
        <TextField label={text.eMail} type="email" {...form.field("email")} max={254} required autoFocus error={form.wrong("email")} />
        <TextField label={text.name} {...form.field("name")} max={256} error={form.wrong("display_name")} />
        <Checks label={text.roles} {...form.field("roles")} options={roleNames} />
        <Pick
          label={text.person}
          source={people}
          {...form.field("person", "identity_id")}
          hint={needsPerson ? text.managersAndOwnersWithoutALinked : text.theUserSeesThePersonsOwn}
        />
      </Form>
    </Dialog>
  );
}
