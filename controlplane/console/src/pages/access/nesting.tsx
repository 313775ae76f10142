import { Link } from "@tanstack/react-router";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Empty, Failure, Note, Part, Skeleton, Table, Text } from "../../kit/kit";
import { Risk, State } from "../../kit/state";
import { NestingPicture } from "./tree";
import { nameOf } from "./words";

type Detail = Of<"EntitlementDetail">;
type Level = Of<"EntitlementLevel">;

/** What it lies in and what lies in it, and the roles that hold it. */
export function Nesting({ of: e }: { of: Detail }) {
  const all = useGet<Of<"EntitlementHierarchy">>(`/entitlements/${e.id}/hierarchy`);
  return (
    <>
      {all.isError ? (
        <Failure error={all.error} retry={() => void all.refetch()} />
      ) : all.isPending ? (
        <Skeleton rows={5} />
      ) : (
        <Nested of={e} all={all.data} />
      )}
      <InRoles of={e.id} />
    </>
  );
}

function Nested({ of: e, all }: { of: Detail; all: Of<"EntitlementHierarchy"> }) {
  const up = all.ancestors ?? [];
  const down = all.descendants ?? [];
  if (up.length + down.length + all.hidden === 0) return <Empty title="Not nested">It contains no groups and is in no other group.</Empty>;
  return (
    <>
      {(all.cycle ?? []).length > 0 && (
        <Note tone="warn">
          Circular nesting: every holder of one of <bdi>{(all.cycle ?? []).map((c) => c.display).join(", ")}</bdi> holds all of them.
        </Note>
      )}
      <NestingPicture name={nameOf(e)} up={up} down={down} />
      {all.hidden > 0 && <p className="small muted">{all.hidden.toLocaleString("en")} more are not visible to you.</p>}
      {all.truncated && (
        <p className="small muted">The list is incomplete. It shows at most 1,000 entitlements in each direction, and 64 levels.</p>
      )}
      <Table label="Nesting">
        <thead>
          <tr>
            <th scope="col">Access</th>
            <th scope="col">Effect</th>
            <th scope="col" className="num">
              Levels
            </th>
          </tr>
        </thead>
        <tbody>
          <Rows of={down} words="holders also hold this entitlement" />
          <Rows of={up} words="included" />
        </tbody>
      </Table>
    </>
  );
}

const most = 200;

function Rows({ of, words }: { of: Level[]; words: string }) {
  return (
    <>
      {of.slice(0, most).map((l) => (
        <tr key={l.id}>
          <td>
            <Link to="/access/$id/$tab" params={{ id: l.id, tab: "nesting" }}>
              <Text of={l.display} />
            </Link>
          </td>
          <td>{words}</td>
          <td className="num">{l.depth}</td>
        </tr>
      ))}
      {of.length > most && (
        <tr>
          <td colSpan={3} className="muted">
            and {(of.length - most).toLocaleString("en")} more
          </td>
        </tr>
      )}
    </>
  );
}

/** Roles that give it. */
function InRoles({ of }: { of: string }) {
  const roles = useGet<Page<Of<"Role">>>("/entitlements/roles", { entitlement_id: of, limit: 100 });
  if (roles.isError) return <Failure error={roles.error} retry={() => void roles.refetch()} />;
  if (!roles.data) return null;
  return (
    <Part title="Roles with this entitlement">
      {roles.data.items.length === 0 ? (
        <p className="muted small">No roles are visible to you.</p>
      ) : (
        <Table label="Roles with this entitlement">
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">State</th>
              <th scope="col">Risk</th>
              <th scope="col" className="num">
                Members
              </th>
            </tr>
          </thead>
          <tbody>
            {roles.data.items.map((r) => (
              <tr key={r.id}>
                <td>
                  <Link to="/roles/$id" params={{ id: r.id }}>
                    <Text of={r.name} />
                  </Link>
                </td>
                <td>
                  <State of={r.lifecycle} />
                </td>
                <td>
                  <Risk of={r.effective_risk_level} />
                </td>
                <td className="num">{r.holder_count.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}
