import * as text from "#text/users";
import { basePath } from "../../api/base";
import type { Of } from "../../api/types";
import { Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { Button, When } from "../../kit/kit";

/** Where a one-time token is used: in this tenant, or in the one that is reached at base. */
export const invitation = (token: string, base = `${window.location.origin}${basePath}`) =>
  `${base}/invited?token=${encodeURIComponent(token)}`;

/** A one-time link, which is shown once: it must not be closed by mistake. */
export function OneTimeLink({ of, who, close }: { of: Of<"UserInvitation">; who: string; close: () => void }) {
  return (
    <Dialog open close={close} title={text.sendThisLink} lead={text.whoUsesThisLinkToSet(<bdi>{who}</bdi>, <When at={of.expires_at} />)}>
      <Verbatim label={text.oneTimeLink} copy>
        {invitation(of.token)}
      </Verbatim>
      <div className="row end">
        <Button tone="primary" reads onClick={close}>
          {text.done}
        </Button>
      </div>
    </Dialog>
  );
}
