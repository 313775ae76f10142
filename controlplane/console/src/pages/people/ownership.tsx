import * as text from "#text/people";
import type { IdentityDetail, Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Failure, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";

type Item = Of<"Responsibility">;

const titles: Record<string, string> = {
  entitlement: text.ownedEntitlements,
  role: "Owned roles",
  identity: text.sponsoredPeopleAndMachines,
  account: text.ownedAccounts,
  report: text.directReports,
};
const places: Record<string, string> = {
  entitlement: "/access/$id",
  role: "/roles/$id",
  identity: "/people/$id",
  account: "/accounts/$id",
  report: "/people/$id",
};

/** What somebody answers for: what has to go to others when they leave. */
export function Ownership({ of: p, open, close }: { of: IdentityDetail; open: boolean; close: () => void }) {
  const all = useGet<Of<"HandoverView">>(`/identities/${p.id}/handover`, {}, { enabled: open });
  const items = all.data?.items ?? [];
  return (
    <Dialog
      side
      open={open}
      close={close}
      title={text.ownership}
      lead={p.is_disabled ? text.thePersonHasLeftAssignA : text.assignANewOwnerToEach}
    >
      {all.isError ? (
        <Failure error={all.error} retry={() => void all.refetch()} />
      ) : all.isPending ? (
        <Skeleton rows={4} />
      ) : items.length === 0 ? (
        <p className="muted">{p.is_disabled ? text.noItemsLeft : text.thePersonOwnsNothingNoHandover}</p>
      ) : (
        Object.keys(titles).map((type) => <Kind key={type} type={type} of={items.filter((i) => i.type === type)} />)
      )}
    </Dialog>
  );
}

function Kind({ type, of }: { type: string; of: Item[] }) {
  if (of.length === 0) return null;
  return (
    <section className="stack tight">
      <h3>
        {titles[type]} ({of.length}
        {of.length === 500 && <> {text.orMore}</>})
      </h3>
      <ul className="stack tight">
        {of.map((i) => (
          <li key={`${i.as}${i.id}`} className="row between">
            <Link to={(places[type] ?? "/people/$id") as "/people/$id"} params={{ id: i.id }} className="person-link">
              <bdi>{i.display}</bdi>
            </Link>
            <span className="small muted">{i.as.replaceAll("_", " ")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
