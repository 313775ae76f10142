import * as text from "#text/duties";
import * as separationText from "#text/separation";
import type { Of } from "../../api/types";
import { useMay } from "../../api/use";
import { number } from "../../kit/count";
import { Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { Sections } from "./sections";

type Item = Of<"DutyItem">;

const stateOf = (d: Item) => (d.blind ? separationText.blindLower : d.policy_count ? text.usable : text.notUsed);

const columns: Column<Item>[] = [
  {
    title: text.duty,
    sort: "name",
    text: (d) => d.name,
    cell: (d) => (
      <Link to="/separation-of-duties/duties/$id" params={{ id: d.id }}>
        <Text of={d.name} />
      </Link>
    ),
  },
  { title: text.process, text: (d) => d.process, cell: (d) => <Text of={d.process} /> },
  { title: separationText.description, wide: true, text: (d) => d.description, cell: (d) => <Text of={d.description} /> },
  {
    title: separationText.state,
    text: stateOf,
    cell: (d) => <State of="duty" tone={d.blind ? "warn" : d.policy_count ? "ok" : "neutral"} words={stateOf(d)} />,
  },
  { title: text.members, number: true, text: (d) => d.member_count, cell: (d) => number(d.member_count) },
  { title: text.entitlements, number: true, text: (d) => d.entitlement_count, cell: (d) => number(d.entitlement_count) },
  { title: separationText.policies, number: true, text: (d) => d.policy_count, cell: (d) => number(d.policy_count) },
  { title: text.updated, text: (d) => d.updated_at, cell: (d) => <When at={d.updated_at} /> },
];

const yesNo = [
  ["true", text.yes],
  ["false", text.no],
] as const;

/** The duties of the tenant. */
export default function Duties() {
  const may = useMay();
  return (
    <div className="stack">
      <Head
        title={separationText.duties}
        up={<Link to="/separation-of-duties">{separationText.separationOfDuties}</Link>}
        lead={text.noDutiesLead}
      >
        {may.admin && (
          <Link className="button primary" to="/separation-of-duties/duties/new">
            {text.newDuty}
          </Link>
        )}
      </Head>
      <Sections />
      <List<Item>
        path="/policies/duties"
        label={separationText.duties}
        columns={columns}
        views={[
          { name: separationText.all, query: {} },
          { name: separationText.blind, query: { blind: "true" } },
          { name: text.unused, query: { used: "false" } },
        ]}
        filters={[
          { name: "blind", words: separationText.blind, options: yesNo },
          { name: "used", words: text.usedByAPolicy, options: yesNo },
        ]}
        search={text.namesAndProcesses}
        open={(d) => ({ to: "/separation-of-duties/duties/$id", params: { id: d.id } })}
        csv="duties"
        empty={{ title: text.noDutiesYet, words: text.noDutiesLead }}
      />
    </div>
  );
}
