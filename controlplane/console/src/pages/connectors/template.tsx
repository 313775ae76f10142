import { useState } from "react";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { Button, Note, Part, Table, Text } from "../../kit/kit";
import { Pick, type Picked, people } from "../../kit/pick";
import { previewValue } from "./preview";
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
      title={text.accountTemplate}
      lead={view.defaults.some((d) => d.startsWith("account")) ? text.partlyTheDefaultOfTheConnector : text.customizedForThisConnector}
      actions={may.admin && <Button onClick={() => setEditing(true)}>{text.editTemplate}</Button>}
    >
      <Table label={text.accountTemplate}>
        <thead>
          <tr>
            <th scope="col">{text.attribute}</th>
            <th scope="col">{text.expression}</th>
            <th scope="col">{text.when}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>{text.usernameLower}</td>
            <td className="connectors-cell">
              <code>{a.username.expression}</code>
            </td>
            <td>{a.username.on === "always" ? text.alwaysAccountsAreRenamed : text.onCreation}</td>
          </tr>
          {a.container && (
            <tr>
              <td>{text.containerLower}</td>
              <td className="connectors-cell">
                <code>{a.container.expression}</code>
              </td>
              <td>{a.container.on === "always" ? text.alwaysAccountsAreMoved : text.onCreation}</td>
            </tr>
          )}
          {a.attributes.map((r) => (
            <tr key={r.target}>
              <td>
                <code>
                  <Text of={r.target} />
                </code>
                {r.required && <span className="small muted"> {text.requiredLower}</span>}
              </td>
              <td className="connectors-cell">
                <code>{r.expression}</code>
              </td>
              <td>{r.on === "create" ? text.onCreation : text.always}</td>
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
        <Pick label={text.previewForAPerson} source={people} value={person} set={setPerson} />
        <Button disabled={!person || preview.isPending} onClick={() => person && preview.mutate(person.id)}>
          {preview.isPending ? text.loading : text.previewAccount}
        </Button>
      </div>
      {made && (
        <>
          {!made.makable && <Note tone="warn">{text.theAccountCannotBeCreatedA}</Note>}
          <Table label={text.previewOfTheAccount}>
            <thead>
              <tr>
                <th scope="col">{text.attribute}</th>
                <th scope="col">{text.value}</th>
              </tr>
            </thead>
            <tbody>
              {made.attributes.map((a) => (
                <tr key={a.target}>
                  <td>
                    <code>{a.target}</code>
                  </td>
                  <td className={a.error ? "bad connectors-cell" : "connectors-cell"}>
                    {a.error ? (
                      a.error.message
                    ) : (
                      <Text
                        of={previewValue(a.value)}
                        none={a.missing.length > 0 ? text.omittedNotKnown(a.missing.join(", ")) : text.omitted}
                      />
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
