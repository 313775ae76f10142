import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import * as text from "#text/policies";
import { ask, request, save } from "../../api/client";
import type { Of } from "../../api/types";
import { Bar } from "../../kit/elements";
import { Button, Failure, Note, Part, Skeleton, Table } from "../../kit/kit";
import { showRefusal } from "../../kit/toast";
import { Impact } from "../roles/impact";

/** What a kept policy would do if it were in force, on today's people. */
export function Simulation({ id, version, close }: { id: string; version: number; close: () => void }) {
  const simulation = useQuery({
    queryKey: [`/policies/access-grant/${id}/simulate`, version],
    queryFn: ({ signal }) => ask<Of<"PolicyImpact">>("POST", `/policies/access-grant/${id}/simulate`, { signal }),
    staleTime: 0,
  });
  const [busy, setBusy] = useState(false);
  const keep = async () => {
    setBusy(true);
    try {
      const answer = await request("POST", `/policies/access-grant/${id}/simulate`, {
        query: { download: true },
        headers: { Accept: "application/x-ndjson" },
      });
      save(await answer.blob(), "policy-effect.ndjson");
    } catch (e) {
      showRefusal(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Part
      title={text.simulation}
      lead={text.usesTheSameEvaluationAsThe}
      actions={
        <>
          <Button reads disabled={simulation.isFetching} onClick={() => void simulation.refetch()}>
            {text.simulateAgain}
          </Button>
          <Button reads disabled={busy || !simulation.data} onClick={() => void keep()}>
            <Download aria-hidden size={14} /> {text.download}
          </Button>
          <Button reads tone="quiet" onClick={close}>
            {text.close}
          </Button>
        </>
      }
    >
      {simulation.isError ? (
        <Failure error={simulation.error} retry={() => void simulation.refetch()} />
      ) : !simulation.data ? (
        <Skeleton rows={5} />
      ) : (
        <div className="card padded stack">
          {simulation.data.limits_hit.map((l) => (
            <Note key={l.code} tone="warn">
              {l.detail}
            </Note>
          ))}
          <Impact of={simulation.data} />
          <Departments of={simulation.data} />
        </div>
      )}
    </Part>
  );
}

/** Who gains and loses, department by department. */
export function Departments({ of }: { of: Of<"PolicyImpact"> }) {
  const all = of.by_department ?? [];
  const most = Math.max(1, ...all.map((d) => d.grants_added + d.grants_ended));
  if (all.length === 0) return null;
  return (
    <Table label={text.byDepartment}>
      <thead>
        <tr>
          <th scope="col">{text.department}</th>
          <th scope="col" className="num">
            {text.people}
          </th>
          <th scope="col" className="num">
            {text.granted}
          </th>
          <th scope="col" className="num">
            {text.ended}
          </th>
          <th scope="col">{text.share}</th>
        </tr>
      </thead>
      <tbody>
        {all.slice(0, 20).map((d) => (
          <tr key={d.department}>
            <td>
              <bdi>{d.department || text.withoutADepartment}</bdi>
            </td>
            <td className="num">{d.identities_affected.toLocaleString("en")}</td>
            <td className="num">+ {d.grants_added.toLocaleString("en")}</td>
            <td className="num">− {d.grants_ended.toLocaleString("en")}</td>
            <td className="policy-share">
              <Bar
                label={d.department || text.withoutADepartment}
                of={[
                  { words: text.given, value: d.grants_added, tone: 4 },
                  { words: text.endedLower, value: d.grants_ended, tone: 5 },
                  { words: text.scale, value: most - d.grants_added - d.grants_ended, tone: 0 },
                ]}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
