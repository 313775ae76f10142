import { useState } from "react";
import * as text from "#text/people";
import type { IdentityDetail, Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Failure, Skeleton } from "../../kit/kit";
import { access, Pick, type Picked } from "../../kit/pick";
import { AccessExplanation } from "./why";

/** Why somebody holds something, or why they do not: asked of any access. */
export function ExplainAccess({ of, open, close }: { of: IdentityDetail; open: boolean; close: () => void }) {
  const [what, setWhat] = useState<Picked | null>(null);
  const explanation = useGet<Of<"AccessExplanation">>(
    `/identities/${of.id}/access-explain`,
    { entitlement_id: what?.id },
    { enabled: open && what !== null },
  );
  return (
    <Dialog side open={open} close={close} title={text.explainAccess} lead={text.selectAnEntitlementToSeeWhy}>
      <Pick label={text.entitlement} source={access} value={what} set={setWhat} />
      {what &&
        (explanation.isError ? (
          <Failure error={explanation.error} retry={() => void explanation.refetch()} />
        ) : explanation.isPending ? (
          <Skeleton rows={4} />
        ) : (
          <AccessExplanation of={explanation.data} />
        ))}
    </Dialog>
  );
}
