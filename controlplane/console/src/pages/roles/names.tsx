import * as text from "#text/roles";
import "./roles.css";
import type { Page } from "../../api/client";
import type { Entitlement, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { inSystem } from "../../kit/pick";
import { State } from "../../kit/state";
import { systemOf, useSystems } from "../../kit/systems";

type Props = { id: string; lead?: string };

/** Access by its name, as a link; each is read once. Who does not see the whole tenant knows by name what is theirs. */
export function AccessName({ id, lead = "" }: Props) {
  const found = useAccess(id);
  const systems = useSystems();
  const { oversees } = useMay();
  if (!found && !oversees) return <span className="muted">{text.leadAnEntitlementOfAnotherOwner(lead)}</span>;
  return (
    <>
      <Link className="roles-link" to="/access/$id" params={{ id }}>
        {lead}
        <Text of={found ? inSystem(found.display_name || found.name, systemOf(found, systems)) : "…"} />
      </Link>{" "}
      <Disconnected of={found} />
    </>
  );
}

/** Says of access that its system is no longer connected, so that nobody gets it; otherwise also says how all other access is. */
export function Disconnected({ of, otherwise }: { of: Entitlement | undefined; otherwise?: boolean }) {
  if (of?.lifecycle === "disconnected") return <State of="disconnected" tone="warn" words={text.systemDisconnected} />;
  return otherwise ? <State of={of?.lifecycle} /> : null;
}

/** Access by its id, as far as whoever is signed in may see it. */
export function useAccess(id: string): Entitlement | undefined {
  const { oversees } = useMay();
  const one = useGet<Entitlement>(`/entitlements/${id}`, {}, { enabled: oversees });
  const own = useGet<Page<Entitlement>>("/entitlements", { limit: 500 }, { enabled: !oversees });
  return one.data ?? own.data?.items.find((e) => e.id === id);
}

/** A role by its name, as a link. */
export function RoleName({ id, lead = "" }: Props) {
  const { oversees } = useMay();
  const found = useGet<Of<"Role">>(`/entitlements/roles/${id}`, {}, { enabled: oversees });
  if (!oversees) return <span className="muted">{text.leadAnotherRole(lead)}</span>;
  return (
    <Link className="roles-link" to="/roles/$id" params={{ id }}>
      {lead}
      <Text of={found.data?.name ?? "…"} />
    </Link>
  );
}

/** A person by name, as a link. */
export function PersonName({ id, lead = "" }: Props) {
  const { oversees } = useMay();
  const found = useGet<{ display_name?: string | null; email?: string | null }>(`/identities/${id}`, {}, { enabled: oversees });
  if (!oversees) return <span className="muted">{text.leadAPersonWhoIsNot(lead)}</span>;
  return (
    <Link className="roles-link" to="/people/$id" params={{ id }}>
      {lead}
      <Text of={found.data?.display_name || found.data?.email || "…"} />
    </Link>
  );
}
