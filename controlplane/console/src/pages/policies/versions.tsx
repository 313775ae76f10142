import * as text from "#text/policies";
import type { Of } from "../../api/types";
import { Versions } from "../../kit/versions";

/** What a policy has said before, by whom. */
export const PolicyVersions = ({ id }: { id: string }) => (
  <Versions<Of<"PolicyVersion">>
    path={`/policies/access-grant/${id}/versions`}
    lead={text.earlierDefinitionsReasonsOfAccessRefer}
    says={(v) => v.sentence || text.everyone}
  />
);
