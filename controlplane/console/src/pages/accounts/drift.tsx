import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { shown } from "../../kit/difftext";
import { Button, Note, Part, Table, When } from "../../kit/kit";

/** Where an account is other than its template makes it. Nothing when it is as it should be, or was never compared. */
export function Drift({ of }: { of: string }) {
  const may = useMay();
  const [chosen, setChosen] = useState<string[]>([]);
  const drift = useGet<Of<"AccountDrift">>(`/accounts/${of}/drift`);
  const settle = useAct<"push" | "accept", Of<"DriftSettled">>({
    act: (direction, key) => ask("POST", `/accounts/${of}/drift/resolve`, { body: { direction, fields: chosen }, key }),
    done: (_, d) => (d === "push" ? "What the template makes is being written." : "What the system has may stay."),
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
      title="Other than its template"
      lead={
        d.looked_at ? (
          <>
            Compared <When at={d.looked_at} />.
          </>
        ) : undefined
      }
      actions={
        may.admin &&
        chosen.length > 0 && (
          <>
            <Button tone="primary" disabled={settle.isPending} onClick={() => settle.mutate("push")}>
              Write what the template makes
            </Button>
            <Button
              disabled={settle.isPending || !chosen.every((f) => rows.some((r) => r.field === f))}
              onClick={() => settle.mutate("accept")}
            >
              Let it stay
            </Button>
          </>
        )
      }
    >
      {problems.map((p) => (
        <Note key={`${p.code}${p.field}`} tone="warn">
          The template cannot make <code>{p.field}</code>: {p.message}
          {(p.missing ?? []).length > 0 && ` Not known of the owner: ${(p.missing ?? []).join(", ")}.`}
        </Note>
      ))}
      {rows.length + accepted.length > 0 && (
        <Table label="Where it differs">
          <thead>
            <tr>
              {may.admin && (
                <th scope="col" className="select">
                  <span className="sr">Chosen</span>
                </th>
              )}
              <th scope="col">Field</th>
              <th scope="col">The template makes</th>
              <th scope="col">The system has</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.field}>
                {may.admin && (
                  <td className="select">
                    <input
                      type="checkbox"
                      aria-label={`Choose ${r.field}`}
                      checked={chosen.includes(r.field)}
                      onChange={() => toggle(r.field)}
                    />
                  </td>
                )}
                <td>
                  <code>{r.field}</code>
                </td>
                <td className="wide">
                  <bdi>+ {shown(r.desired) ?? "nothing"}</bdi>
                </td>
                <td className="wide">
                  <bdi>− {shown(r.observed) ?? "nothing"}</bdi>
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
                    <input type="checkbox" aria-label={`Choose ${field}`} checked={chosen.includes(field)} onChange={() => toggle(field)} />
                  </td>
                )}
                <td>
                  <code>{field}</code>
                </td>
                <td className="wide muted">accepted by {a.rule ? "the system's rule" : a.by}</td>
                <td className="wide">
                  <bdi>{shown(a.value) ?? "nothing"}</bdi>
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
