import { useSearch } from "@tanstack/react-router";
import * as text from "#text/access";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { number } from "../../kit/count";
import { Bar } from "../../kit/elements";
import { Failure, Note, Part, Skeleton, Table, Text, When } from "../../kit/kit";
import { useGo } from "../../kit/link";
import { PersonLink } from "../../kit/personlink";

const spans = [
  ["P30D", text.n30Days],
  ["P90D", text.n90Days],
  ["P180D", text.n180Days],
  ["P365D", text.oneYear],
] as const;

/** How it is used, as far as its system tells, and who has not used it for longest. */
export function Usage({ of }: { of: string }) {
  const search = useSearch({ strict: false }) as { unused?: string };
  const navigate = useGo();
  const unused = search.unused ?? "P90D";
  const usage = useGet<Of<"EntitlementUsage">>(`/entitlements/${of}/usage`, { unused });
  if (usage.isError) return <Failure error={usage.error} retry={() => void usage.refetch()} />;
  if (usage.isPending) return <Skeleton rows={5} />;
  const u = usage.data;
  if (!u.told) return <Note>{text.theSystemDoesNotReportUsage}</Note>;
  const notReported = Math.max(0, u.holder_count - u.used_grant_count - u.unused_grant_count);
  return (
    <>
      <Part
        title={text.usage}
        actions={
          <label className="filter">
            <span>{text.unusedFor}</span>
            <select
              data-reads=""
              value={unused}
              onChange={(e) => void navigate({ to: ".", search: { ...search, unused: e.target.value }, resetScroll: false })}
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
          label={text.holders}
          of={[
            { words: text.used, value: u.used_grant_count, tone: 4 },
            { words: text.notUsed, value: u.unused_grant_count, tone: 2 },
            { words: text.recentOrUsageNotReported, value: notReported, tone: 3 },
          ]}
        />
        <p>
          {text.holdersUsedGrantCountUsedIt(
            u.holder_count,
            number(u.used_grant_count),
            number(u.unused_grant_count),
            <When at={u.last_used_at} />,
          )}
        </p>
        {(u.unused_for ?? []).length > 0 && (
          <ul className="small">
            {(u.unused_for ?? []).map((a) => (
              <li key={a.days}>{text.countUnusedForDaysDaysOr(a.count.toLocaleString("en"), a.days)}</li>
            ))}
          </ul>
        )}
      </Part>
      {(u.grants ?? []).length > 0 && (
        <Part title={text.longestUnused}>
          <Table label={text.longestUnused}>
            <thead>
              <tr>
                <th scope="col">{text.person}</th>
                <th scope="col">{text.account}</th>
                <th scope="col">{text.since}</th>
                <th scope="col">{text.lastUsed}</th>
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
                      <span className="faint">{text.noOwner}</span>
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
