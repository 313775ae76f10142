import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { count, number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { Failure, Note, Part, Skeleton, Table, Text, When } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";

const spans = [
  ["P30D", "30 days"],
  ["P90D", "90 days"],
  ["P180D", "180 days"],
  ["P365D", "one year"],
] as const;

/** How it is used, as far as its system tells, and who has not used it for longest. */
export function Usage({ of }: { of: string }) {
  const search = useSearch({ strict: false }) as { unused?: string };
  const navigate = useNavigate();
  const unused = search.unused ?? "P90D";
  const usage = useGet<Of<"EntitlementUsage">>(`/entitlements/${of}/usage`, { unused });
  if (usage.isError) return <Failure error={usage.error} retry={() => void usage.refetch()} />;
  if (usage.isPending) return <Skeleton rows={5} />;
  const u = usage.data;
  if (!u.told) return <Note>The system does not report usage, so no grant counts as unused.</Note>;
  const untold = Math.max(0, u.holder_count - u.used_grant_count - u.unused_grant_count);
  return (
    <>
      <Part
        title="Usage"
        actions={
          <label className="filter">
            <span>Unused for</span>
            <select
              data-reads=""
              value={unused}
              onChange={(e) => void navigate({ to: ".", search: { ...search, unused: e.target.value } as never, resetScroll: false })}
            >
              {spans.map(([v, w]) => (
                <option key={v} value={v}>
                  {w}
                </option>
              ))}
            </select>
          </label>
        }
      >
        <Bar
          label="Holders"
          of={[
            { words: "used", value: u.used_grant_count, tone: 4 },
            { words: "not used", value: u.unused_grant_count, tone: 2 },
            { words: "recent, or usage not reported", value: untold, tone: 3 },
          ]}
        />
        <p>
          {count(u.holder_count, "holder")}: {number(u.used_grant_count)} used it in this period, {number(u.unused_grant_count)} did not.
          Last used <When at={u.last_used_at} />.
        </p>
        {(u.unused_for ?? []).length > 0 && (
          <ul className="small">
            {(u.unused_for ?? []).map((a) => (
              <li key={a.days}>
                {a.count.toLocaleString("en")} unused for {a.days} days or longer
              </li>
            ))}
          </ul>
        )}
      </Part>
      {(u.grants ?? []).length > 0 && (
        <Part title="Longest unused">
          <Table label="Longest unused">
            <thead>
              <tr>
                <th scope="col">Person</th>
                <th scope="col">Account</th>
                <th scope="col">Since</th>
                <th scope="col">Last used</th>
              </tr>
            </thead>
            <tbody>
              {(u.grants ?? []).map((g) => (
                <tr key={g.id}>
                  <td>
                    {g.identity ? (
                      <PersonLink id={g.identity.id}>
                        <Text of={g.identity.display} />
                      </PersonLink>
                    ) : (
                      <span className="faint">no owner</span>
                    )}
                  </td>
                  <td>
                    <Text of={g.account.display} />
                  </td>
                  <td>
                    <When at={g.granted_at ?? g.first_seen_at} />
                  </td>
                  <td>
                    <When at={g.last_used_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        </Part>
      )}
    </>
  );
}
