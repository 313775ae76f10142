import * as text from "#text/kit";
import type { Page } from "../api/client";
import type { Connector } from "../api/types";
import { useGet, useMay } from "../api/use";
import { type InSystem, systemOf } from "./insystem";
import { Link } from "./link";
import type { Column } from "./listtypes";

export { type InSystem, systemOf } from "./insystem";

/** The names of the connected systems by their id. seen: whether one may see systems at all; read: whether all that there will be is here. */
export type Systems = Map<string, string> & { seen: boolean; read: boolean };

/** The connected systems by their id. A user who may not list connectors gets none: answers name the system themselves; see systemOf. */
export function useSystems(wanted = true): Systems {
  const { oversees } = useMay();
  const all = useGet<Page<Connector>>("/connectors", { limit: 500 }, { enabled: oversees && wanted });
  const names = new Map((all.data?.items ?? []).map((c) => [c.id, c.name]));
  return Object.assign(names, { seen: oversees && !all.isError, read: !oversees || !all.isPending });
}

/** The name of a connected system, as a link for a user who may open it. */
export function System({ of, names }: { of: InSystem | null | undefined; names: Map<string, string> }) {
  const name = systemOf(of, names);
  const id = of?.connector_id;
  if (!id || !name) return null;
  if (!names.has(id)) return <bdi>{name}</bdi>;
  return (
    <Link to="/connectors/$id" params={{ id }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** The column that names the system of each row; it is there wherever one of them can be named. */
export function systemColumn<T extends object>(names: Systems): Column<T> {
  const name = (row: T) => systemOf(row as InSystem, names);
  return {
    title: text.system,
    shown: (rows) => names.seen || rows.some((row) => name(row) !== undefined),
    cell: (row) => <System of={row as InSystem} names={names} />,
    text: name,
  };
}
