import { useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { Button, Note, Part, Table, Text } from "../../kit/kit";
import { people, Pick, type Picked } from "../../kit/pick";
import { shown } from "./trial";
import { Requests } from "./requests";
import { EditTemplate } from "./template-edit";

type View = Of<"ProvisioningView">;

/** How accounts are made: the rule of each attribute, and what comes of it for a person. */
export function Template({ of: c, view }: { of: Connector; view: View }) {
  const may = useMay();
  const [editing, setEditing] = useState(false);
  const a = view.account;
  return (
    <Part
      title="How accounts are made"
      lead={
        view.defaults.some((d) => d.startsWith("account"))
          ? "Partly as every connector of its type begins with."
          : "As somebody has set it for this connector."
      }
      actions={may.admin && <Button onClick={() => setEditing(true)}>Change the template</Button>}
    >
      <Table label="Account template">
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            <th scope="col">Made by</th>
            <th scope="col">When</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>user name</td>
            <td className="connectors-tall">
              <code>{a.username.expression}</code>
            </td>
            <td>{a.username.on === "always" ? "always: the account is renamed" : "when it is made"}</td>
          </tr>
          {a.container && (
            <tr>
              <td>container</td>
              <td className="connectors-tall">
                <code>{a.container.expression}</code>
              </td>
              <td>{a.container.on === "always" ? "always: the account is moved" : "when it is made"}</td>
            </tr>
          )}
          {a.attributes.map((r) => (
            <tr key={r.target}>
              <td>
                <code>
                  <Text of={r.target} />
                </code>
                {r.required && <span className="small muted"> needed</span>}
              </td>
              <td className="connectors-tall">
                <code>{r.expression}</code>
              </td>
              <td>{r.on === "create" ? "when it is made" : "always"}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {may.admin && <TryTemplate of={c} />}
      {editing && <EditTemplate of={c} view={view} close={() => setEditing(false)} />}
    </Part>
  );
}

/** What the template makes for a person, to the exact request. Nothing is sent. */
function TryTemplate({ of: c }: { of: Connector }) {
  const [person, setPerson] = useState<Picked | null>(null);
  const [made, setMade] = useState<Of<"AccountPreview">>();
  const preview = useAct({
    act: (id: string, key) =>
      ask<Of<"AccountPreview">>("POST", `/connectors/${c.id}/provisioning/preview`, { key, body: { identity_id: id, exact: true } }),
    after: setMade,
  });
  return (
    <div className="stack tight">
      <div className="row">
        <Pick label="Try it for a person" source={people} value={person} set={setPerson} />
        <Button disabled={!person || preview.isPending} onClick={() => person && preview.mutate(person.id)}>
          {preview.isPending ? "Trying…" : "Show the account"}
        </Button>
      </div>
      {made && (
        <>
          {!made.makable && <Note tone="warn">The account cannot be made: something that is needed is missing.</Note>}
          <Table label="The account that would be made">
            <thead>
              <tr>
                <th scope="col">Attribute</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {made.attributes.map((a) => (
                <tr key={a.target}>
                  <td>
                    <code>{a.target}</code>
                  </td>
                  <td className={a.error ? "bad connectors-tall" : "connectors-tall"}>
                    {a.error ? (
                      a.error.message
                    ) : (
                      <Text of={shown(a.value)} none={a.missing.length > 0 ? `left out: ${a.missing.join(", ")} not known` : "left out"} />
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
          {made.exact?.error && <Note tone="bad">{made.exact.error.message}</Note>}
          {made.exact && <Requests of={made.exact.plan} />}
        </>
      )}
    </div>
  );
}
