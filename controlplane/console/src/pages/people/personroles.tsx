import * as text from "#text/people";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Part, Table, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Risk } from "../../kit/state";

type Role = Of<"HeldRole">;

const ways: Record<string, string> = {
  rule: text.membershipRule,
  policy: text.policyLower,
  manual: text.directAssignmentLower,
  request: text.requestLower,
  emergency: text.emergencyAccessLower,
  other: text.other,
};

/** The roles that somebody has, by which ways, and how far each has come. Nothing when there is none. */
export function PersonRoles({ of }: { of: string }) {
  const roles = useGet<Page<Role>>(`/identities/${of}/roles`, { limit: 200 });
  if (roles.isError) return <Failure error={roles.error} retry={() => void roles.refetch()} />;
  if (!roles.data || roles.data.total === 0) return null;
  return (
    <Part title={text.roles}>
      <Table label={text.roles}>
        <thead>
          <tr>
            <th scope="col">{text.role}</th>
            <th scope="col">{text.reason}</th>
            <th scope="col">{text.risk}</th>
            <th scope="col">{text.provisioned}</th>
            <th scope="col">{text.since}</th>
            <th scope="col">{text.ends}</th>
          </tr>
        </thead>
        <tbody>
          {roles.data.items.map((r) => (
            <tr key={r.role_id}>
              <td>
                <Link to="/roles/$id" params={{ id: r.role_id }}>
                  <Text of={r.name} />
                </Link>
              </td>
              <td>
                <Text of={(r.ways ?? []).map((w) => w.policy?.display ?? ways[w.kind] ?? w.kind).join("; ")} />
              </td>
              <td>
                <Risk of={r.effective_risk_level} />
              </td>
              <td>
                {text.activeOfTotal(r.fulfilment.active, r.fulfilment.total)}
                {r.fulfilment.failed > 0 && <span className="bad"> {text.failedFailed(r.fulfilment.failed)}</span>}
              </td>
              <td>
                <When at={r.since} />
              </td>
              <td>
                <When at={r.until} none="" />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Part>
  );
}
