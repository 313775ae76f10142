import { Link } from "@tanstack/react-router";
import type { Page } from "../api/client";
import type { Connector } from "../api/types";
import { useGet, useMay } from "../api/use";

/** The names of the connected systems by their id. seen: whether one may see systems at all; read: whether all that there will be is here. */
export type Systems = Map<string, string> & { seen: boolean; read: boolean };

/** The connected systems by their id. Whoever may not see connectors gets none. */
export function useSystems(): Systems {
  const { oversees } = useMay();
  const all = useGet<Page<Connector>>("/connectors", { limit: 500 }, { enabled: oversees });
  const names = new Map((all.data?.items ?? []).map((c) => [c.id, c.name]));
  return Object.assign(names, { seen: oversees && !all.isError, read: !oversees || !all.isPending });
}

/** A connected system by its name, as a link for whoever may open it. */
export function System({ id, names }: { id?: string | null | undefined; names: Map<string, string> }) {
  const name = id ? names.get(id) : undefined;
  if (!id || !name) return null;
  return (
    <Link to="/connectors/$id" params={{ id }}>
      <bdi>{name}</bdi>
    </Link>
  );
}
