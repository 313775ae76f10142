import { Copy as CopyIcon } from "lucide-react";
import * as text from "#text/requests";
import type { Of } from "../../api/types";
import { Link } from "../../kit/link";

/** Asks for the same things once more, for the same person. */
export function RequestAgain({ of: r }: { of: Of<"AccessRequest"> }) {
  const items = r.items.map((i) => (i.role_id ? `role:${i.role_id}` : i.entitlement_id)).join(",");
  return (
    <Link className="button" to="/access/request" search={{ for: r.requested_for.id, items }}>
      <CopyIcon aria-hidden size={14} /> {text.requestAgain}
    </Link>
  );
}
