import * as text from "#text/work";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Head, Part, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Items } from "./items";
import { Kinds } from "./kinds";
import { Recurring } from "./recurring";
import { base } from "./words";

/** Work that waits or has failed: by kind, item by item, and the work that comes back by itself. */
export default function WorkQueue() {
  const found = useGet<Of<"WorkSummary">>(`${base}/summary`, {}, { every: 10_000 });
  return (
    <>
      <Head title={text.workQueue} lead={text.backgroundWorkOfThisTenant} up={<Link to="/settings">{text.settings}</Link>} />
      {found.isPending ? (
        <Skeleton rows={4} />
      ) : found.isError && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : (
        <>
          <Part title={text.kindsOfWork}>
            <Kinds of={found.data.kinds} />
          </Part>
          <Part title={text.items}>
            <Items kinds={found.data.kinds} />
          </Part>
          <Part title={text.recurringWork} lead={text.periodicWorkOfTheService}>
            <Recurring of={found.data.recurring} />
          </Part>
        </>
      )}
    </>
  );
}
