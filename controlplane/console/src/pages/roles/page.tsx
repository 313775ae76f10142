import { Download, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import * as text from "#text/roles";
import { download } from "../../api/client";
import { useMay } from "../../api/use";
import { Button, Head, LoadingMarker, Text } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { Risk, State } from "../../kit/state";
import { showRefusal } from "../../kit/toast";
import { type Role, risks, types } from "./model";

const Import = lazy(() => import("./import"));

/** Every role that one may see. */
export default function Roles() {
  const may = useMay();
  const [importing, setImporting] = useState(false);
  return (
    <>
      <Head title={text.roles} lead={text.bundlesOfAccessFromOneOr}>
        {may.oversees && (
          <Button reads onClick={() => download("/entitlements/roles/export", "roles.yaml").catch(showRefusal)}>
            <Download aria-hidden size={15} /> {text.exportAsYaml}
          </Button>
        )}
        {may.admin && <Button onClick={() => setImporting(true)}>{text.importLabel}</Button>}
        {may.admin && (
          <Link to="/roles/new" className="button primary">
            <Plus aria-hidden size={15} /> {text.newRole}
          </Link>
        )}
      </Head>
      <List<Role>
        label={text.roles}
        path="/entitlements/roles"
        columns={columns}
        views={[
          { name: text.all, query: {} },
          { name: text.published, query: { lifecycle: "active" } },
          { name: text.drafts, query: { lifecycle: "draft,proposed" } },
          { name: text.deprecated, query: { lifecycle: "deprecated" } },
          { name: text.retired, query: { lifecycle: "retired" } },
        ]}
        filters={[
          { name: "role_type", words: text.kind, options: types },
          { name: "risk_level", words: text.risk, options: risks },
          {
            name: "requestable",
            words: text.requestable,
            options: [
              ["true", text.yes],
              ["false", text.no],
            ],
          },
          {
            name: "managed_by",
            words: text.managedBy,
            options: [
              ["ui", text.theConsole],
              ["code", text.aFile],
              ["pack", text.aSectorPack],
            ],
          },
        ]}
        search={text.rolesLower}
        open={(r) => ({ to: "/roles/$id", params: { id: r.id } })}
        csv="roles"
        empty={{
          title: text.noRolesYet,
          words: may.admin
            ? text.aRoleGrantsASetOf(
                <Link className="roles-link" to="/roles/new">
                  {text.createARole}
                </Link>,
              )
            : text.rolesThatYouOwnAreListed,
        }}
      />
      <Suspense fallback={<LoadingMarker />}>{importing && <Import close={() => setImporting(false)} />}</Suspense>
    </>
  );
}

const columns: Column<Role>[] = [
  {
    title: text.name,
    sort: "name",
    cell: (r) => (
      <Link to="/roles/$id" params={{ id: r.id }}>
        <Text of={r.name} />
      </Link>
    ),
    text: (r) => r.name,
  },
  {
    title: text.state,
    cell: (r) => (
      <span className="row">
        <State of={r.lifecycle} words={r.lifecycle === "active" ? text.publishedLower : undefined} />
        {r.has_draft && <State of="draft" words={text.hasADraft} />}
      </span>
    ),
    text: (r) => r.lifecycle,
  },
  { title: text.risk, cell: (r) => <Risk of={r.effective_risk_level} />, text: (r) => r.effective_risk_level },
  { title: text.members, number: true, cell: (r) => r.member_count.toLocaleString("en"), text: (r) => r.member_count },
  { title: text.withAccess, number: true, cell: (r) => r.holder_count.toLocaleString("en"), text: (r) => r.holder_count },
  { title: text.contains, cell: holds, text: holds },
  { title: text.requestable, shown: () => false, cell: (r) => (r.requestable ? "yes" : "no"), text: (r) => r.requestable },
  {
    title: text.owners,
    number: true,
    cell: (r) => ((r.owner_ids ?? []).length === 0 ? <State of="missing" words={text.none} /> : (r.owner_ids ?? []).length),
    text: (r) => (r.owner_ids ?? []).length,
  },
  { title: text.rule, wide: true, cell: (r) => <Text of={r.membership_sentence} none={text.noRule} />, text: (r) => r.membership_sentence },
  { title: text.key, shown: () => false, cell: (r) => <code>{r.key}</code>, text: (r) => r.key },
];

function holds(r: Role): string {
  const [access, inside] = [(r.entitlement_ids ?? []).length, (r.child_role_ids ?? []).length];
  if (access + inside === 0) return text.noContents;
  return [access > 0 && text.entitlementCount(access), inside > 0 && text.roleCount(inside)].filter(Boolean).join(", ");
}
