import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { displayValue } from "../../kit/difftext";
import { Button, Note, Part, Table, When } from "../../kit/kit";

/** Where an account is other than its template makes it. Nothing when it is as it should be, or was never compared. */
export function Drift({ of }: { of: string }) {
  const may = useMay();
  const [chosen, setChosen] = useState<string[]>([]);
  const drift = useGet<Of<"AccountDrift">>(`/accounts/${of}/drift`);
  const settle = useAct<"push" | "accept", Of<"DriftSettled">>({
    act: (direction, key) => ask("POST", `/accounts/${of}/drift/resolve`, { body: { direction, fields: chosen }, key }),
    done: (_, d) => (d === "push" ? text.theTemplateValuesAreBeingWritten : text.theSystemsValuesAreAccepted),
    changes: ["/accounts"],
    after: () => setChosen([]),
  });
  const d = drift.data;
  if (!d) return null;
  const rows = d.attribute_drift ?? [];
  const accepted = Object.entries(d.accepted ?? {});
  const problems = d.problems ?? [];
  if (rows.length + accepted.length + problems.length === 0) return null;
  const toggle = (f: string) => setChosen(chosen.includes(f) ? chosen.filter((x) => x !== f) : [...chosen, f]);
  return (
    <Part
      title={text.driftFromTheTemplate}
      lead={d.looked_at ? text.comparedLookedAt(<When at={d.looked_at} />) : undefined}
      actions={
        may.admin &&
        chosen.length > 0 && (
          <>
            <Button tone="primary" disabled={settle.isPending} onClick={() => settle.mutate("push")}>
              {text.writeTemplateValues}
            </Button>
            <Button
              disabled={settle.isPending || !chosen.every((f) => rows.some((r) => r.field === f))}
              onClick={() => settle.mutate("accept")}
            >
              {text.accept}
            </Button>
          </>
        )
      }
    >
      {problems.map((p) => (
        <Note key={`${p.code}${p.field}`} tone="warn">
          {text.theTemplateCannotMakeFieldMessage(<code>{p.field}</code>, p.message)}
          {(p.missing ?? []).length > 0 && text.missingFromTheOwnersRecordMissing((p.missing ?? []).join(", "))}
        </Note>
      ))}
      {rows.length + accepted.length > 0 && (
        <Table label={text.driftedAttributes}>
          <thead>
            <tr>
              {may.admin && (
                <th scope="col" className="select">
                  <span className="sr">{text.selected}</span>
                </th>
              )}
              <th scope="col">{text.field}</th>
              <th scope="col">{text.templateValue}</th>
              <th scope="col">{text.systemValue}</th>
              <th scope="col">{text.since}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.field}>
                {may.admin && (
                  <td className="select">
                    <input
                      type="checkbox"
                      aria-label={text.selectField(r.field)}
                      checked={chosen.includes(r.field)}
                      onChange={() => toggle(r.field)}
                    />
                  </td>
                )}
                <td>
                  <code>{r.field}</code>
                </td>
                <td className="wide">
                  <bdi>
                    + {displayValue(r.desired) ?? text.noValue} {displayValue(r.desired) ?? text.nothing}
                  </bdi>
                </td>
                <td className="wide">
                  <bdi>
                    − {displayValue(r.observed) ?? text.noValue} {displayValue(r.observed) ?? text.nothing}
                  </bdi>
                </td>
                <td>
                  <When at={r.since} />
                </td>
              </tr>
            ))}
            {accepted.map(([field, a]) => (
              <tr key={field}>
                {may.admin && (
                  <td className="select">
                    <input
                      type="checkbox"
                      aria-label={text.selectField(field)}
                      checked={chosen.includes(field)}
                      onChange={() => toggle(field)}
                    />
                  </td>
                )}
                <td>
                  <code>{field}</code>
                </td>
                <td className="wide muted">{text.acceptedByValue(a.rule ? text.theDriftSettingOfTheConnector : a.by)}</td>
                <td className="wide">
                  <bdi>{displayValue(a.value) ?? text.nothing}</bdi>
                </td>
                <td>
                  <When at={a.at} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}
