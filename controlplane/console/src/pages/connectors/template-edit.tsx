import { useState } from "react";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { Check, SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { settingOverrides } from "./overrides";

type View = Of<"ProvisioningView">;
type Rule = Of<"AttributeRule">;

const whens = [
  ["always", text.always],
  ["create", text.onCreation],
] as const;

/** Changes the expressions by which accounts are made. The rest of what is set for writing stays. */
export function EditTemplate({ of: c, view, close }: { of: Connector; view: View; close: () => void }) {
  const [username, setUsername] = useState(view.account.username.expression ?? "");
  const [container, setContainer] = useState(view.account.container?.expression ?? "");
  const [attributes, setAttributes] = useState<Rule[]>(view.account.attributes);
  const [enabled, setEnabled] = useState(view.account.enabled_on_create);
  const save = useAct({
    act: (_, key) => {
      const was = view.account;
      const differs = (now: unknown, before: unknown) => JSON.stringify(now) !== JSON.stringify(before);
      const own = settingOverrides(view);
      const { container: place, ...account } = { container: undefined, ...own.account };
      const body = {
        ...own,
        account: {
          ...account,
          ...(differs(username, was.username.expression) ? { username: { ...was.username, expression: username } } : {}),
          ...(differs(attributes, was.attributes) ? { attributes } : {}),
          ...(enabled !== was.enabled_on_create ? { enabled_on_create: enabled } : {}),
          ...(container === (was.container?.expression ?? "")
            ? place
              ? { container: place }
              : {}
            : container
              ? { container: { ...was.container, expression: container } }
              : {}),
        },
      };
      return ask("PUT", `/connectors/${c.id}/provisioning`, { key, ifMatch: c.version, body });
    },
    changes: [`/connectors/${c.id}`],
    done: text.savedAccountsAreComparedWithThe,
    quiet: true,
  });
  const change = (at: number, more: Partial<Rule>) => setAttributes(attributes.map((r, i) => (i === at ? { ...r, ...more } : r)));
  return (
    <ConfirmDialog
      open
      wide
      close={close}
      title={text.accountTemplate}
      lead={text.pythonExpressionsOverIdentityAndUsername}
      verb={text.save}
      act={() => save.mutateAsync()}
    >
      <TextField label={text.username} mono rows={2} value={username} set={setUsername} required />
      <TextField label={text.container} mono value={container} set={setContainer} hint={text.theParentEntryOfTheAccount} />
      {attributes.map((r, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name of an attribute is typed here
        <div key={i} className="fields">
          <TextField label={text.attribute} mono value={r.target} set={(target) => change(i, { target })} required />
          <TextField label={text.expression} mono value={r.expression} set={(expression) => change(i, { expression })} required />
          <SelectField label={text.when} value={r.on ?? "always"} set={(on) => change(i, { on })} options={whens} />
          <div className="row">
            <Check label={text.required} value={r.required ?? false} set={(required) => change(i, { required })} />
            <Button
              tone="quiet"
              onClick={() => setAttributes(attributes.filter((_, at) => at !== i))}
              aria-label={text.removeTarget(r.target)}
            >
              {text.remove}
            </Button>
          </div>
        </div>
      ))}
      <div>
        <Button onClick={() => setAttributes([...attributes, { target: "", expression: "", on: "always" }])}>{text.addAttribute}</Button>
      </div>
      <Check label={text.createAccountsAsEnabled} value={enabled} set={setEnabled} />
    </ConfirmDialog>
  );
}
