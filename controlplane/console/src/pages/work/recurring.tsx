import * as text from "#text/work";
import type { Of } from "../../api/types";
import { Badge, Empty, Table, Text, When } from "../../kit/kit";
import { lateWords } from "./words";

type Job = Of<"RecurringWork"> & { last_error?: string | null };

/** Periodic work, with its next run. Operators see the last error, too. */
export function Recurring({ of: jobs, errors = false }: { of: Job[]; errors?: boolean }) {
  if (jobs.length === 0) return <Empty title={text.noRecurringWork}>{text.thisServiceHasNoPeriodicWork}</Empty>;
  return (
    <Table label={text.recurringWork}>
      <thead>
        <tr>
          <th scope="col">{text.name}</th>
          <th scope="col">{text.interval}</th>
          <th scope="col">{text.nextRun}</th>
          <th scope="col">{text.lastRun}</th>
          <th scope="col" className="num">
            {text.failedRuns}
          </th>
          {errors && <th scope="col">{text.lastError}</th>}
        </tr>
      </thead>
      <tbody>
        {jobs.map((j) => (
          <tr key={j.name}>
            <td className="wide">
              <span className="stack tight">
                <strong>{j.title}</strong>
                <span className="small muted">{j.about}</span>
              </span>
            </td>
            <td>{lateWords(j.every_seconds)}</td>
            <td>{j.running ? text.running : <When at={j.next_at} none={text.soon} />}</td>
            <td>
              <When at={j.finished_at} />
            </td>
            <td className="num">{j.failed_runs > 0 ? <Badge tone="bad">{j.failed_runs}</Badge> : "0"}</td>
            {errors && (
              <td className="wide">
                <Text of={j.last_error} none="–" />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
