import { useQueryClient } from "@tanstack/react-query";
import * as text from "#text/users";
import { ask } from "../../api/client";
import { EditConflict } from "../../kit/editconflict";
import { Checks, Form, TextField, useForm } from "../../kit/form";
import { Part } from "../../kit/kit";
import { Pick, type Picked, people } from "../../kit/pick";
import { showToast } from "../../kit/toast";
import { type RoleName, roleNames, type User } from "./words";

type Change = { email: string; name: string; roles: RoleName[]; person: Picked | null };

/** Changes a user. What was typed stays when somebody else has changed them meanwhile. */
export function Edit({ of, self, again }: { of: User; self: boolean; again: () => void }) {
  const queries = useQueryClient();
  const first: Change = {
    email: of.email,
    name: of.display_name,
    roles: of.roles as RoleName[],
    person: of.identity_id ? { id: of.identity_id, words: of.identity?.display_name || of.identity_id } : null,
  };
  const form = useForm<Change>(first, async (v, key) => {
    const body = {
      ...(v.email.trim() === of.email ? {} : { email: v.email.trim() }),
      ...(v.name.trim() === of.display_name ? {} : { display_name: v.name.trim() }),
      ...(same(v.roles, of.roles) ? {} : { roles: v.roles }),
      ...((v.person?.id ?? null) === of.identity_id ? {} : { identity_id: v.person?.id ?? null }),
    };
    await ask("PATCH", `/settings/users/${of.id}`, { body, key, ifMatch: of.version });
    showToast(text.savedTheChangeIsEffectiveAt);
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/settings/users") });
  });
  return (
    <Part title={text.edit}>
      <div className="card padded">
        <Form of={form} verb={text.save}>
          <TextField label={text.name} {...form.field("name")} max={256} error={form.wrong("display_name")} />
          <TextField label={text.eMail} type="email" {...form.field("email")} max={254} required error={form.wrong("email")} />
          <fieldset className="checks" disabled={self}>
            <Checks label={text.roles} {...form.field("roles")} options={roleNames} />
          </fieldset>
          <Pick
            label={text.person}
            source={people}
            {...form.field("person")}
            hint={text.managersAndOwnersSeeWhatThis}
            error={form.wrong("identity_id")}
          />
          <EditConflict refused={form.refused} again={again} />
        </Form>
      </div>
    </Part>
  );
}

const same = (a: string[], b: string[]) => [...a].sort().join() === [...b].sort().join();
