import { Link } from "@tanstack/react-router";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";

/** Somebody by their id, as a link with their name. */
export function Somebody({ id }: { id: string }) {
  const who = useGet<Of<"Identity">>(`/identities/${id}`);
  return (
    <Link to="/people/$id" params={{ id }} className="person-link">
      <bdi>{who.data ? who.data.display_name || who.data.email || id : who.isError ? "a person who is not visible to you" : "…"}</bdi>
    </Link>
  );
}
