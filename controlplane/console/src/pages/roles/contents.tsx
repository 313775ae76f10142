import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import * as text from "#text/roles";
import { useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { durationText } from "../../kit/duration";
import { Bar } from "../../kit/elements";
import { Button, Facts, Part, Table, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { Risk, State } from "../../kit/state";
import { System, useSystems } from "../../kit/systems";
import { type Role, types } from "./model";
import { Disconnected, PersonName, RoleName, useAccess } from "./names";

/** What a role holds, for whom it is, and by which terms it is given. */
export function Contents({ role }: { role: Role }) {
  const systems = useSystems();
  const all = role.entitlement_ids ?? [];
  const [read, setRead] = useState(50);
  return (
    <div className="stack">
      <About role={role} />
      <Part title={text.entitlementsCount(number(all.length))}>
        {all.length === 0 ? (
          <p className="small muted">
            {text.noEntitlementsOfItsOwn} {(role.child_role_ids ?? []).length > 0 && text.itsAccessComesFromTheIncluded}
          </p>
        ) : (
          <Table label={text.entitlementsOfTheRole}>
            <thead>
              <tr>
                <th scope="col">{text.entitlement}</th>
                {systems.size > 0 && <th scope="col">{text.system}</th>}
                <th scope="col">{text.risk}</th>
                <th scope="col">{text.state}</th>
              </tr>
            </thead>
            <tbody>
              {all.slice(0, read).map((id) => (
                <AccessRow key={id} id={id} systems={systems} />
              ))}
            </tbody>
          </Table>
        )}
        {all.length > read && (
          <div>
            <Button reads onClick={() => setRead(read + 100)}>
              {text.showMoreOfCount(all.length)}
            </Button>
          </div>
        )}
      </Part>
      <Part title={text.includedRolesCount((role.child_role_ids ?? []).length)} lead={text.membersOfThisRoleAlsoHave}>
        <Tree ids={role.child_role_ids ?? []} />
      </Part>
      <Part title={text.membershipRule}>
        <p dir="auto">{role.membership_sentence || <span className="muted">{text.noMembershipRuleTheRoleIs}</span>}</p>
        <Exclusions role={role} />
      </Part>
      <Parameters role={role} />
    </div>
  );
}

function About({ role }: { role: Role }) {
  const have = role.member_count;
  const c = role.coverage;
  return (
    <div className="card padded stack">
      {role.description && (
        <p dir="auto">
          <Text of={role.description} />
        </p>
      )}
      <Facts
        of={[
          [text.kind, types.find(([t]) => t === role.role_type)?.[1]],
          [text.members, have.toLocaleString("en")],
          [text.withAccess, role.holder_count.toLocaleString("en")],
          [text.requestable, role.requestable ? text.yes : text.no],
          [text.maximumDuration, role.max_duration ? durationText(role.max_duration) : text.noLimit],
          [text.defaultDuration, role.default_duration ? durationText(role.default_duration) : undefined],
          [text.owners, <People key="o" of={role.owner_ids ?? []} none={text.none} />],
          [
            text.backupOwners,
            (role.backup_owner_ids ?? []).length > 0 ? <People key="b" of={role.backup_owner_ids ?? []} none="" /> : undefined,
          ],
          [text.approvalRule, <RuleLink key="r" id={role.approval_rule_id} />],
          [text.managedBy, role.managed_by === "code" ? text.aFile : role.managed_by === "pack" ? text.aSectorPack : text.theConsole],
          [text.duties, (role.duty_tags ?? []).join(", ")],
          [text.compliance, (role.compliance_tags ?? []).join(", ")],
          ...Object.entries(role.labels ?? {}).map(([n, v]) => [n, v] as [string, string]),
        ]}
      />
      {c && have > 0 && (
        <div className="stack tight">
          <p className="small">{text.provisionedFullOfMembersCompletelyPartial(number(c.full), have, number(c.partial))}</p>
          <Bar
            label={text.provisioningState}
            of={[
              { words: text.complete, value: c.full, tone: 4 as const },
              { words: text.partial, value: c.partial, tone: 2 as const },
              { words: text.notProvisioned, value: Math.max(0, have - c.full - c.partial), tone: 0 as const },
            ].filter((p) => p.value > 0)}
          />
        </div>
      )}
    </div>
  );
}

function People({ of, none }: { of: string[]; none: string }) {
  if (of.length === 0) return <State of="missing" words={none} />;
  return (
    <span className="row">
      {of.map((id) => (
        <PersonName key={id} id={id} />
      ))}
    </span>
  );
}

function RuleLink({ id }: { id: string | null | undefined }) {
  const { oversees } = useMay();
  if (!id) return text.theMatchingRule;
  if (!oversees) return text.aRuleOfItsOwn;
  return (
    <Link className="roles-link" to="/settings/approval-rules/$id" params={{ id }}>
      {text.aRuleOfItsOwn}
    </Link>
  );
}

function AccessRow({ id, systems }: { id: string; systems: Map<string, string> }) {
  const found = useAccess(id);
  return (
    <tr>
      <td className="wide">
        {found ? (
          <Link to="/access/$id" params={{ id }}>
            <Text of={found.display_name || found.name} />
          </Link>
        ) : (
          <span className="muted">{text.anEntitlementOfAnotherOwner}</span>
        )}
      </td>
      {systems.size > 0 && (
        <td>
          <System of={found} names={systems} />
        </td>
      )}
      <td>
        <Risk of={found?.risk_level} />
      </td>
      <td>
        <Disconnected of={found} otherwise />
      </td>
    </tr>
  );
}

function Tree({ ids }: { ids: string[] }) {
  if (ids.length === 0) return <p className="small muted">{text.noIncludedRoles}</p>;
  return (
    <ul className="roles-tree">
      {ids.map((id) => (
        <Branch key={id} id={id} />
      ))}
    </ul>
  );
}

function Branch({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const { oversees } = useMay();
  const found = useGet<Role>(`/entitlements/roles/${id}`, {}, { enabled: oversees });
  const inside = found.data ? (found.data.child_role_ids ?? []).length + (found.data.entitlement_ids ?? []).length : 0;
  return (
    <li>
      <span className="row">
        <Button
          reads
          tone="quiet"
          className="icon"
          aria-expanded={open}
          aria-label={
            open ? text.hideContentsOfName(found.data?.name ?? text.theRole) : text.showContentsOfName(found.data?.name ?? text.theRole)
          }
          disabled={inside === 0}
          onClick={() => setOpen(!open)}
        >
          {open ? <ChevronDown aria-hidden size={14} /> : <ChevronRight aria-hidden size={14} />}
        </Button>
        <RoleName id={id} />
        {found.data && found.data.lifecycle !== "active" && <State of={found.data.lifecycle} />}
        <span className="small muted">{found.data && text.entitlementCount((found.data.entitlement_ids ?? []).length)}</span>
      </span>
      {open && found.data && (
        <div className="roles-branch">
          <ul className="small">
            {(found.data.entitlement_ids ?? []).slice(0, 30).map((e) => (
              <EntitlementItem key={e} id={e} />
            ))}
          </ul>
          {(found.data.child_role_ids ?? []).length > 0 && <Tree ids={found.data.child_role_ids ?? []} />}
        </div>
      )}
    </li>
  );
}

function EntitlementItem({ id }: { id: string }) {
  const found = useAccess(id);
  return (
    <li>
      <Link className="roles-link" to="/access/$id" params={{ id }}>
        <Text of={found ? found.display_name || found.name : "…"} />
      </Link>{" "}
      <Disconnected of={found} />
    </li>
  );
}

function Exclusions({ role }: { role: Role }) {
  const out = role.membership_exclusions ?? [];
  if (out.length === 0) return null;
  return (
    <ul className="small">
      {out.map((x) => (
        <li key={x.identity_id}>
          {text.excludedIdentity(<PersonName id={x.identity_id} />)}
          {x.until && text.untilUntil(x.until)}: <bdi>{x.reason}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Parameters({ role }: { role: Role }) {
  const list = role.parameters ?? [];
  if (list.length === 0) return null;
  return (
    <Part title={text.assignmentParameters}>
      <ul className="small">
        {list.map((p) => (
          <li key={p.name}>
            <strong>{p.name}</strong>: {p.type}
            {p.required && text.requiredSuffix}
            {(p.allowed_values ?? []).length > 0 && text.oneOfAllowedValues(p.allowed_values?.join(", "))}
          </li>
        ))}
      </ul>
    </Part>
  );
}
