import type { Of } from "../../api/types";
import { Versions } from "../../kit/versions";

/** What a policy has said before, by whom. */
export const PolicyVersions = ({ id }: { id: string }) => (
  <Versions<Of<"PolicyVersion">>
    path={`/policies/access-grant/${id}/versions`}
    lead="Earlier definitions. Reasons of access refer to the version that granted it."
    says={(v) => v.sentence || "Everyone."}
  />
);
