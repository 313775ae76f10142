import { useInfiniteQuery } from "@tanstack/react-query";
import * as text from "#text/accounts";
import { ask, type Page } from "../../api/client";
import type { Of } from "../../api/types";
import { Button, Empty, Failure, Skeleton, Table, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { System, useSystems } from "../../kit/systems";

type Drifted = Of<"DriftedAccount">;

/** Accounts whose system has something else than their template makes. */
export function Drifted() {
  const names = useSystems();
  const all = useInfiniteQuery({
    queryKey: ["/accounts/drifted"],
    queryFn: ({ signal, pageParam }) => ask<Page<Drifted>>("GET", "/accounts/drifted", { query: { limit: 50, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  if (all.isError) return <Failure error={all.error} retry={() => void all.refetch()} />;
  if (all.isPending) return <Skeleton />;
  const rows = all.data.pages.flatMap((p) => p.items);
  if (rows.length === 0) return <Empty title={text.noDrift}>{text.systemsWithoutAnAccountTemplateAre}</Empty>;
  return (
    <>
      <Table label={text.driftedAccounts}>
        <thead>
          <tr>
            <th scope="col">{text.login}</th>
            {names.size > 0 && <th scope="col">{text.system}</th>}
            <th scope="col">{text.driftedFields}</th>
            <th scope="col">{text.compared}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((a) => (
            <tr key={a.account_id}>
              <td>
                <Link to="/accounts/$id" params={{ id: a.account_id }}>
                  <Text of={a.username ?? a.account_id} />
                </Link>
              </td>
              {names.size > 0 && (
                <td>
                  <System of={a} names={names} />
                </td>
              )}
              <td className="wide">{(a.attribute_drift ?? []).map((d) => d.field).join(", ")}</td>
              <td>
                <When at={a.looked_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      <p className="small muted">
        {text.countOfTotal(rows.length.toLocaleString("en"), (all.data.pages[0]?.total ?? rows.length).toLocaleString("en"))}
      </p>
      {all.hasNextPage && (
        <Button reads disabled={all.isFetchingNextPage} onClick={() => void all.fetchNextPage()}>
          {text.showMore}
        </Button>
      )}
    </>
  );
}
