import * as text from "#text/mitigation";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay, useMe } from "../../api/use";
import { Head } from "../../kit/kit";
import { Link } from "../../kit/link";
import { List } from "../../kit/list";
import type { Filter } from "../../kit/listtypes";
import { NotVisible } from "../../kit/notvisible";
import { Sections } from "../separation/sections";
import { mitigationColumns } from "./columns";
import type { Control, Mitigation } from "./words";

/** Controls that are applied to violations, as far as the user may see them. */
export default function Mitigations() {
  const may = useMay();
  const mine = useMe()?.user?.identity_id;
  const filters = useFilters();
  return (
    <div className="stack">
      <Head
        title={text.mitigations}
        up={may.oversees && <Link to="/separation-of-duties">{text.separationOfDuties}</Link>}
        lead={text.mitigationsLead}
      />
      {may.oversees && <Sections />}
      <List<Mitigation>
        path="/policies/mitigations"
        label={text.mitigations}
        columns={mitigationColumns}
        views={[
          { name: text.all, query: {} },
          { name: text.proposed, query: { state: "proposed" } },
          { name: text.active, query: { state: "active" } },
          { name: text.due, query: { state: "evidence_due" } },
          { name: text.overdue, query: { state: "evidence_overdue" } },
          { name: text.lapsed, query: { state: "lapsed" } },
          ...(mine ? [{ name: text.mine, query: { owner_id: mine } }] : []),
        ]}
        filters={filters}
        open={(m) => ({ to: "/separation-of-duties/mitigations/$id", params: { id: m.id } })}
        csv="mitigations"
        every={15_000}
        empty={{
          title: text.noMitigations,
          words: may.oversees ? text.noMitigationsLead : <NotVisible what={text.noMitigationVisible} />,
        }}
      />
    </div>
  );
}

const states = Object.entries(text.states);

/** The filters of the list. */
function useFilters(): Filter[] {
  const { oversees: enabled } = useMay();
  const controls = useGet<Page<Control>>("/policies/mitigation", { limit: 500, sort: "name" }, { enabled });
  const policies = useGet<Page<Of<"SeparationPolicy">>>("/policies/separation-of-duties", { limit: 500, sort: "name" }, { enabled });
  const named = (of: Page<{ id: string; name?: string }> | undefined) => (of?.items ?? []).map((x) => [x.id, x.name ?? x.id] as const);
  return [
    { name: "state", words: text.state, options: states },
    ...(enabled
      ? [
          { name: "mitigation_policy_id", words: text.control, options: named(controls.data) },
          { name: "policy_id", words: text.policy, options: named(policies.data) },
        ]
      : []),
    { name: "identity_id", words: text.person, type: "person" },
  ];
}
