import { Link } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Head, Part, Skeleton } from "../../kit/kit";
import { Items } from "./items";
import { Kinds } from "./kinds";
import { Recurring } from "./recurring";
import { base } from "./words";

/** Work that waits or has failed: by kind, item by item, and the work that comes back by itself. */
export default function WorkQueue() {
  const found = useGet<Of<"WorkSummary">>(`${base}/summary`, {}, { every: 10_000 });
  return (
    <>
      <Head
        title="Work queue"
        lead="Background work of this tenant. An item that fails eight times is a dead letter: retry it after you have removed the cause, or delete it."
        up={<Link to="/settings">Settings</Link>}
      />
      {found.isPending ? (
        <Skeleton rows={4} />
      ) : found.isError && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : (
        <>
          <Part title="Kinds of work">
            <Kinds of={found.data.kinds} />
          </Part>
          <Part title="Items">
            <Items kinds={found.data.kinds} />
          </Part>
          <Part title="Recurring work" lead="Periodic work of the service, which all tenants share.">
            <Recurring of={found.data.recurring} />
          </Part>
        </>
      )}
    </>
  );
}
