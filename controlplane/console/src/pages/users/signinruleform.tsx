import * as text from "#text/signinrules";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { number } from "../../kit/count";
import { Check, Checks, Form, SelectField, TextField, useForm } from "../../kit/form";
import { Button, Note, Problems, Table, Text } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { ConditionField } from "../policies/condition";
import { asGroup } from "../policies/language";

export type SignInRule = Of<"SignInRule">;
type Preview = Of<"SignInRulePreview">;
type Responsibility = "people" | "access";
type Role = "manager" | "resource_owner" | "auditor";

const empty = {
  name: "",
  responsible_for: ["people", "access"] as Responsibility[],
  condition: asGroup(null) as unknown,
  roles: ["manager", "resource_owner"] as Role[],
  invitation: "mail" as SignInRule["invitation"],
  max_loss_percent: "10",
  enabled: false,
};

function first(of: SignInRule | undefined): typeof empty {
  if (!of) return empty;
  const { name, responsible_for, condition, roles, invitation, enabled } = of;
  return {
    name,
    responsible_for: responsible_for as Responsibility[],
    condition,
    roles: roles as Role[],
    invitation,
    max_loss_percent: String(of.max_loss_percent),
    enabled,
  };
}

/** A rule as it is sent. */
const sent = ({ max_loss_percent, ...rest }: typeof empty) => ({ ...rest, max_loss_percent: Number(max_loss_percent) });

/** A new rule or a stored one, with a preview of who would get and lose sign-in. */
export function SignInRuleForm({ of, done }: { of: SignInRule | undefined; done: () => void }) {
  const save = useAct({
    act: (v: { body: ReturnType<typeof sent>; key: string }) =>
      of
        ? ask("PATCH", `/settings/sign-in-rules/${of.id}`, { body: v.body, key: v.key, ifMatch: of.version })
        : ask("POST", "/settings/sign-in-rules", { body: v.body, key: v.key }),
    done: of ? text.saved : text.ruleAdded,
    changes: ["/settings/sign-in-rules", "/settings/users"],
    quiet: true,
    after: done,
  });
  const form = useForm(first(of), (v, key) => save.mutateAsync({ body: sent(v), key }));
  const preview = useAct({
    act: (v: typeof empty) =>
      ask<Preview>("POST", "/settings/sign-in-rules/preview", { body: { rule: sent(v), ...(of ? { rule_id: of.id } : {}) } }),
    quiet: true,
  });
  const { value, set } = form;
  return (
    <Form of={form} verb={of ? text.save : text.add} cancel={done}>
      <TextField label={text.name} required max={200} {...form.field("name")} />
      <Checks
        label={text.responsibleFor}
        value={value.responsible_for}
        set={(v) => set("responsible_for", v)}
        options={[
          ["people", text.managePeople],
          ["access", text.ownAccess],
        ]}
      />
      <small className="muted">{text.oneIsEnough}</small>
      <ConditionField label={text.andMeet} value={value.condition} set={(c) => set("condition", c)} wrong={form.wrong} at="condition" />
      <Checks
        label={text.rolesOfTheUsers}
        value={value.roles}
        set={(v) => set("roles", v)}
        options={[
          ["manager", text.managerSees],
          ["resource_owner", text.ownerSees],
          ["auditor", text.auditorSees],
        ]}
      />
      <div className="fields">
        <SelectField
          label={text.howTheyAreInvited}
          {...form.field("invitation")}
          options={[
            ["mail", text.mailOption],
            ["single_sign_on", text.signOnOption],
          ]}
        />
        <TextField label={text.limit} hint={text.limitHint} type="number" required {...form.field("max_loss_percent")} />
      </div>
      <Check label={text.enabled} hint={text.nothingHappensUntil} {...form.field("enabled")} />
      <div>
        <Button reads disabled={preview.isPending} onClick={() => preview.mutate(value)}>
          {preview.data ? text.previewAgain : text.preview}
        </Button>
      </div>
      <Problems of={preview.error ?? undefined} />
      {preview.data && <Outcome of={preview.data} />}
    </Form>
  );
}

const effects: Record<string, string> = {
  invited: text.invited,
  at_first_sign_in: text.atFirstSignIn,
  enabled: text.enabledAgain,
  has_user: text.hasUser,
  no_email: text.noEmail,
  address_taken: text.addressTaken,
  disabled: text.disabledLower,
  kept: text.kept,
  not_used: text.notUsed,
};

/** What the rule would do: in numbers, and for the first people. */
function Outcome({ of }: { of: Preview }) {
  return (
    <section className="stack tight" aria-label={text.preview} aria-live="polite">
      {of.held && <Note tone="warn">{text.wouldBeHeld(of.limit)}</Note>}
      <p>
        {text.peopleMeet(of.people)} {text.gained(of.gained)} {text.lost(of.lost)}
      </p>
      <ul className="plain">
        {of.effects.map((e) => (
          <li key={e.effect}>{text.effectCount(effects[e.effect] ?? e.effect, number(e.count))}</li>
        ))}
      </ul>
      {of.items.length > 0 && (
        <Table label={text.firstPeople}>
          <thead>
            <tr>
              <th scope="col">{text.person}</th>
              <th scope="col">{text.eMail}</th>
              <th scope="col">{text.effect}</th>
            </tr>
          </thead>
          <tbody>
            {of.items.map((i) => (
              <tr key={i.identity_id}>
                <td>
                  <PersonLink id={i.identity_id}>{i.display_name}</PersonLink>
                </td>
                <td>
                  <Text of={i.email} />
                </td>
                <td>{effects[i.effect] ?? i.effect}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}
