import { basePath } from "../../api/base";
import type { Of } from "../../api/types";
import { Verbatim } from "../../kit/bits";
import { Dialog } from "../../kit/dialog";
import { Button, When } from "../../kit/kit";

/** A one-time link, which is shown once: it must not be closed by mistake. */
export function OneTimeLink({ of, who, close }: { of: Of<"UserInvitation">; who: string; close: () => void }) {
  const address = `${window.location.origin}${basePath}/invited?token=${encodeURIComponent(of.token)}`;
  return (
    <Dialog
      open
      close={close}
      title="Send them this link"
      lead={
        <>
          By it <bdi>{who}</bdi> sets a password and is signed in. It works once, and ends <When at={of.expires_at} />. It is not shown
          again; you can make another at any time.
        </>
      }
    >
      <Verbatim label="One-time link" copy>
        {address}
      </Verbatim>
      <div className="row end">
        <Button tone="primary" reads onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
