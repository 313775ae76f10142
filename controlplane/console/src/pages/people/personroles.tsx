import { Link } from "@tanstack/react-router";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, Part, Table, Text, When } from "../../kit/kit";
import { Risk } from "../../kit/state";

type Role = Of<"HeldRole">;

const ways: Record<string, string> = {
  rule: "membership rule",
  policy: "policy",
  manual: "direct assignment",
  request: "request",
  emergency: "emergency access",
  other: "other",
};

/** The roles that somebody has, by which ways, and how far each has come. Nothing when there is none. */
export function PersonRoles({ of }: { of: string }) {
  const roles = useGet<Page<Role>>(`/identities/${of}/roles`, { limit: 200 });
  if (roles.isError) return <Failure error={roles.error} retry={() => void roles.refetch()} />;
  if (!roles.data || roles.data.total === 0) return null;
  return (
    <Part title="Roles">
      <Table label="Roles">
        <thead>
          <tr>
            <th scope="col">Role</th>
            <th scope="col">Reason</th>
            <th scope="col">Risk</th>
            <th scope="col">Provisioned</th>
            <th scope="col">Since</th>
            <th scope="col">Ends</th>
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
                {r.fulfilment.active} of {r.fulfilment.total}
                {r.fulfilment.failed > 0 && <span className="bad"> · {r.fulfilment.failed} failed</span>}
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
