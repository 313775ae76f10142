import * as text from "#text/approvals";
import type { Of } from "../../api/types";
import { Versions } from "../../kit/versions";

/** What a rule has said before, by whom. */
export const RuleVersions = ({ id }: { id: string }) => (
  <Versions<Of<"ApprovalRuleVersion">>
    path={`/approval-rules/${id}/versions`}
    lead={text.eachRequestShowsTheVersionUnder}
    says={(v) => (
      <ul>
        {v.sentences.map((s) => (
          <li key={s}>{s}</li>
        ))}
      </ul>
    )}
  />
);
