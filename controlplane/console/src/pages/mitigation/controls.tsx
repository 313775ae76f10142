import * as text from "#text/mitigation";
import type { Page } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { durationText } from "../../kit/duration";
import { Head, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { type Column, List } from "../../kit/list";
import { State } from "../../kit/state";
import { Sections } from "../separation/sections";
import { type Control, controlTypeOptions, controlTypeWords, evidenceOptions, evidenceWords, scopeWords, severityOptions } from "./words";

const stateOf = (c: Control) => (c.enabled ? text.usable : text.disabledLower);

const columns: Column<Control>[] = [
  {
    title: text.control,
    sort: "name",
    text: (c) => c.name,
    cell: (c) => (
      <Link to="/separation-of-duties/controls/$id" params={{ id: c.id }}>
        <Text of={c.name ?? ""} />
      </Link>
    ),
  },
  { title: text.kind, text: (c) => controlTypeWords(c.control_type ?? ""), cell: (c) => controlTypeWords(c.control_type ?? "") },
  { title: text.appliesTo, text: scopeWords, cell: (c) => <Text of={scopeWords(c)} /> },
  { title: text.evidence, text: evidenceWords, cell: evidenceWords },
  { title: text.longest, text: (c) => c.max_duration, cell: (c) => durationText(c.max_duration) },
  { title: text.state, text: stateOf, cell: (c) => <State of={c.enabled ? "enabled" : "disabled"} words={stateOf(c)} /> },
  { title: text.inForce, number: true, text: (c) => c.applied, cell: (c) => number(c.applied) },
  { title: text.updated, text: (c) => c.updated_at, cell: (c) => <When at={c.updated_at} /> },
];

/** The library of mitigating controls. */
export default function Controls() {
  const may = useMay();
  const policies = useGet<Page<Of<"SeparationPolicy">>>("/policies/separation-of-duties", { limit: 500, sort: "name" });
  return (
    <div className="stack">
      <Head title={text.controls} up={<Link to="/separation-of-duties">{text.separationOfDuties}</Link>} lead={text.controlsLead}>
        {may.admin && (
          <Link className="button primary" to="/separation-of-duties/controls/new">
            {text.newControl}
          </Link>
        )}
      </Head>
      <Sections />
      <List<Control>
        path="/policies/mitigation"
        label={text.controls}
        columns={columns}
        views={[
          { name: text.all, query: {} },
          { name: text.enabled, query: { enabled: "true" } },
          { name: text.disabled, query: { enabled: "false" } },
        ]}
        filters={[
          { name: "control_type", words: text.kind, options: controlTypeOptions },
          { name: "severity", words: text.severity, options: severityOptions },
          { name: "evidence_kind", words: text.evidence, options: evidenceOptions },
          { name: "policy_id", words: text.policy, options: (policies.data?.items ?? []).map((p) => [p.id, p.name ?? p.id] as const) },
        ]}
        search={text.namesAndDescriptions}
        open={(c) => ({ to: "/separation-of-duties/controls/$id", params: { id: c.id } })}
        csv="mitigating-controls"
        every={15_000}
        empty={{ title: text.noControlsYet, words: text.noControlsLead }}
      />
    </div>
  );
}
