import { useState } from "react";
import * as text from "#text/work";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { Check } from "../../kit/form";
import { Badge, Button, Empty, Table, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { base, busy, lateWords, type WorkKind } from "./words";

/** One row for each kind of work that has items, or for all kinds. */
export function Kinds({ of: all }: { of: WorkKind[] }) {
  const may = useMay();
  const [every, setEvery] = useState(false);
  const shown = every ? all : busy(all);
  return (
    <div className="stack tight">
      <Check reads label={text.showAllKinds(all.length)} value={every} set={setEvery} />
      {shown.length === 0 ? (
        <Empty title={text.noWorkIsWaiting}>{text.noItemIsWaiting}</Empty>
      ) : (
        <Table label={text.kindsOfWork}>
          <thead>
            <tr>
              <th scope="col">{text.kind}</th>
              <th scope="col" className="num">
                {text.waiting}
              </th>
              <th scope="col">{text.overdue}</th>
              <th scope="col" className="num">
                {text.deadLetters}
              </th>
              <th scope="col">{text.lastError}</th>
              {may.admin && (
                <th scope="col">
                  <span className="sr">{text.action}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((k) => (
              <Row key={k.kind} of={k} />
            ))}
          </tbody>
        </Table>
      )}
    </div>
  );
}

function Row({ of: k }: { of: WorkKind }) {
  const may = useMay();
  const retry = useAct({
    act: (_: undefined, key) => ask<Of<"RetriedWork">>("POST", `${base}/retry`, { body: { kind: k.kind }, key }),
    changes: [base],
    done: (r) => text.waitingForAnotherAttempt(r.retried),
  });
  const items = (state: string, n: number) =>
    n > 0 ? (
      <Link to="." search={{ kind: k.kind, state }} resetScroll={false}>
        {number(n)}
      </Link>
    ) : (
      "0"
    );
  return (
    <tr>
      <td className="wide">
        <span className="stack tight">
          <strong>{k.title}</strong>
          <span className="small muted">{k.about}</span>
        </span>
      </td>
      <td className="num">{items("waiting", k.waiting)}</td>
      <td>{lateWords(k.overdue_seconds) || "–"}</td>
      <td className="num">{k.dead > 0 ? <Badge tone="bad">{items("dead", k.dead)}</Badge> : "0"}</td>
      <td className="wide">
        {k.last_error ? (
          <span className="stack tight">
            <Text of={k.last_error} />
            <span className="small muted">
              <When at={k.last_failed_at} />
            </span>
          </span>
        ) : (
          "–"
        )}
      </td>
      {may.admin && (
        <td>
          {k.dead > 0 && (
            <Button disabled={retry.isPending} onClick={() => retry.mutate(undefined)}>
              {text.retryCount(number(k.dead))}
            </Button>
          )}
        </td>
      )}
    </tr>
  );
}
