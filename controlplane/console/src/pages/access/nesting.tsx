import * as text from "#text/access";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Empty, Failure, Note, Part, Skeleton, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
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
  if (up.length + down.length + all.hidden === 0) return <Empty title={text.notNested}>{text.itContainsNoGroupsAndIs}</Empty>;
  return (
    <>
      {(all.cycle ?? []).length > 0 && (
        <Note tone="warn">{text.circularNestingEveryHolderOfOne(<bdi>{(all.cycle ?? []).map((c) => c.display).join(", ")}</bdi>)}</Note>
      )}
      <NestingPicture name={nameOf(e)} up={up} down={down} />
      {all.hidden > 0 && <p className="small muted">{text.hiddenMoreAreNotVisibleTo(all.hidden.toLocaleString("en"))}</p>}
      {all.truncated && <p className="small muted">{text.theListIsIncompleteItShows}</p>}
      <Table label={text.nesting}>
        <thead>
          <tr>
            <th scope="col">{text.access}</th>
            <th scope="col">{text.effect}</th>
            <th scope="col" className="num">
              {text.levels}
            </th>
          </tr>
        </thead>
        <tbody>
          <Rows of={down} words={text.holdersAlsoHoldThisEntitlement} />
          <Rows of={up} words={text.included} />
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
            {text.andCountMore((of.length - most).toLocaleString("en"))}
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
    <Part title={text.rolesWithThisEntitlement}>
      {roles.data.items.length === 0 ? (
        <p className="muted small">{text.noRolesAreVisibleToYou}</p>
      ) : (
        <Table label={text.rolesWithThisEntitlement}>
          <thead>
            <tr>
              <th scope="col">{text.role}</th>
              <th scope="col">{text.state}</th>
              <th scope="col">{text.risk}</th>
              <th scope="col" className="num">
                {text.members}
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
