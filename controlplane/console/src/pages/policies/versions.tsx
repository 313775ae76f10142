import type { Of } from "../../api/types";
import { Versions } from "../../kit/versions";

/** What a policy has said before, by whom. */
export const PolicyVersions = ({ id }: { id: string }) => (
  <Versions<Of<"PolicyVersion">>
    path={`/policies/access-grant/${id}/versions`}
    lead="What it said before. Reasons of access name the version that gave it."
    says={(v) => v.sentence || "Everybody."}
  />
);
