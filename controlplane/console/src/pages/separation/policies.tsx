import * as text from "#text/separation";
import type { Of } from "../../api/types";
import { useMay } from "../../api/use";
import { Head } from "../../kit/kit";
import { Link } from "../../kit/link";
import { List } from "../../kit/list";
import { Exchange } from "./exchange";
import { policyColumns } from "./policycolumns";
import { Sections } from "./sections";
import { kindOptions, modeOptions, severityOptions } from "./words";

/** The policies that keep duties apart. */
export default function SeparationPolicies() {
  const may = useMay();
  return (
    <div className="stack">
      <Head title={text.separationOfDuties} lead={text.separationLead}>
        <Exchange />
        {may.admin && (
          <Link className="button primary" to="/separation-of-duties/new">
            {text.newPolicy}
          </Link>
        )}
      </Head>
      <Sections />
      <List<Of<"SeparationPolicy">>
        path="/policies/separation-of-duties"
        label={text.policies}
        columns={policyColumns}
        views={[
          { name: text.all, query: {} },
          { name: text.enforced, query: { enabled: "true", mode: "enforce" } },
          { name: text.shadow, query: { enabled: "true", mode: "shadow" } },
          { name: text.drafts, query: { mode: "draft" } },
          { name: text.blind, query: { blind: "true" } },
          { name: text.off, query: { enabled: "false" } },
        ]}
        filters={[
          { name: "severity", words: text.severity, options: severityOptions },
          { name: "mode", words: text.mode, options: modeOptions },
          { name: "kind", words: text.kind, options: kindOptions },
        ]}
        search={text.namesAndDescriptions}
        open={(p) => ({ to: "/separation-of-duties/$id", params: { id: p.id } })}
        csv="separation-of-duties"
        every={15_000}
        empty={{ title: text.noPoliciesYet, words: text.noPoliciesLead }}
      />
    </div>
  );
}
