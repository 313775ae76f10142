import { Link } from "@tanstack/react-router";
import { Download, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { download } from "../../api/client";
import { useMay } from "../../api/use";
import { Button, Head, LoadingMarker, Text } from "../../kit/kit";
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
      <Head title="Roles" lead="Bundles of access from one or more systems.">
        {may.oversees && (
          <Button reads onClick={() => download("/entitlements/roles/export", "roles.yaml").catch(showRefusal)}>
            <Download aria-hidden size={15} /> Export as YAML
          </Button>
        )}
        {may.admin && <Button onClick={() => setImporting(true)}>Import…</Button>}
        {may.admin && (
          <Link to="/roles/new" className="button primary">
            <Plus aria-hidden size={15} /> New role
          </Link>
        )}
      </Head>
      <List<Role>
        label="Roles"
        path="/entitlements/roles"
        columns={columns}
        views={[
          { name: "All", query: {} },
          { name: "Published", query: { lifecycle: "active" } },
          { name: "Drafts", query: { lifecycle: "draft,proposed" } },
          { name: "Deprecated", query: { lifecycle: "deprecated" } },
          { name: "Retired", query: { lifecycle: "retired" } },
        ]}
        filters={[
          { name: "role_type", words: "Kind", options: types },
          { name: "risk_level", words: "Risk", options: risks },
          {
            name: "requestable",
            words: "Requestable",
            options: [
              ["true", "yes"],
              ["false", "no"],
            ],
          },
          {
            name: "managed_by",
            words: "Managed by",
            options: [
              ["ui", "the console"],
              ["code", "a file"],
              ["pack", "a sector pack"],
            ],
          },
        ]}
        search="roles"
        open={(r) => ({ to: "/roles/$id", params: { id: r.id } })}
        csv="roles"
        empty={{
          title: "No roles yet",
          words: may.admin ? (
            <>
              A role grants a set of access in one step.{" "}
              <Link className="roles-link" to="/roles/new">
                Create a role
              </Link>
            </>
          ) : (
            "Roles that you own are listed here."
          ),
        }}
      />
      <Suspense fallback={<LoadingMarker />}>{importing && <Import close={() => setImporting(false)} />}</Suspense>
    </>
  );
}

const columns: Column<Role>[] = [
  {
    title: "Name",
    sort: "name",
    cell: (r) => (
      <Link to="/roles/$id" params={{ id: r.id }}>
        <Text of={r.name} />
      </Link>
    ),
    text: (r) => r.name,
  },
  {
    title: "State",
    cell: (r) => (
      <span className="row">
        <State of={r.lifecycle} words={r.lifecycle === "active" ? "published" : undefined} />
        {r.has_draft && <State of="draft" words="has a draft" />}
      </span>
    ),
    text: (r) => r.lifecycle,
  },
  { title: "Risk", cell: (r) => <Risk of={r.effective_risk_level} />, text: (r) => r.effective_risk_level },
  { title: "Members", number: true, cell: (r) => r.member_count.toLocaleString("en"), text: (r) => r.member_count },
  { title: "With access", number: true, cell: (r) => r.holder_count.toLocaleString("en"), text: (r) => r.holder_count },
  { title: "Contains", cell: holds, text: holds },
  { title: "Requestable", shown: () => false, cell: (r) => (r.requestable ? "yes" : "no"), text: (r) => r.requestable },
  {
    title: "Owners",
    number: true,
    cell: (r) => ((r.owner_ids ?? []).length === 0 ? <State of="missing" words="none" /> : (r.owner_ids ?? []).length),
    text: (r) => (r.owner_ids ?? []).length,
  },
  { title: "Rule", wide: true, cell: (r) => <Text of={r.membership_sentence} none="No rule" />, text: (r) => r.membership_sentence },
  { title: "Key", shown: () => false, cell: (r) => <code>{r.key}</code>, text: (r) => r.key },
];

function holds(r: Role): string {
  const [access, inside] = [(r.entitlement_ids ?? []).length, (r.child_role_ids ?? []).length];
  if (access + inside === 0) return "nothing";
  const told = [
    access > 0 && `${access} ${access === 1 ? "entitlement" : "entitlements"}`,
    inside > 0 && `${inside} ${inside === 1 ? "role" : "roles"}`,
  ];
  return told.filter(Boolean).join(", ");
}
