import * as text from "#text/people";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Link } from "../../kit/link";

/** Somebody by their id, as a link with their name. */
export function PersonById({ id }: { id: string }) {
  const who = useGet<Of<"Identity">>(`/identities/${id}`);
  if (who.isError) return <span className="muted">{text.aPersonWhoIsNotVisible}</span>;
  return (
    <Link to="/people/$id" params={{ id }} className="person-link">
      <bdi>{who.data ? who.data.display_name || who.data.email || id : "…"}</bdi>
    </Link>
  );
}
