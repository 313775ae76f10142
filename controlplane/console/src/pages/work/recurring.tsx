import type { Of } from "../../api/types";
import { Badge, Empty, Table, Text, When } from "../../kit/kit";
import { lateWords } from "./words";

type Job = Of<"RecurringWork"> & { last_error?: string | null };

/** Periodic work, with its next run. Operators see the last error, too. */
export function Recurring({ of: jobs, errors = false }: { of: Job[]; errors?: boolean }) {
  if (jobs.length === 0) return <Empty title="No recurring work">This service has no periodic work.</Empty>;
  return (
    <Table label="Recurring work">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Interval</th>
          <th scope="col">Next run</th>
          <th scope="col">Last run</th>
          <th scope="col">Failed runs</th>
          {errors && <th scope="col">Last error</th>}
        </tr>
      </thead>
      <tbody>
        {jobs.map((j) => (
          <tr key={j.name}>
            <td>
              <span className="stack tight">
                <strong>{j.title}</strong>
                <span className="small muted">{j.about}</span>
              </span>
            </td>
            <td>{lateWords(j.every_seconds)}</td>
            <td>{j.running ? "running" : <When at={j.next_at} none="soon" />}</td>
            <td>
              <When at={j.finished_at} />
            </td>
            <td className="number">{j.failed_runs > 0 ? <Badge tone="bad">{j.failed_runs}</Badge> : "0"}</td>
            {errors && (
              <td>
                <Text of={j.last_error} none="–" />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
