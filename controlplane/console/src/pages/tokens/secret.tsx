import { useState } from "react";
import { Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { Check } from "../../kit/form";
import { Button, When } from "../../kit/kit";

/** A token that was just made: this once, and never again. It is not closed by mistake. */
export function TokenSecret({ token, name, until, close }: { token: string; name: string; until?: string | null; close: () => void }) {
  const [kept, keep] = useState(false);
  return (
    <Dialog
      open
      close={() => kept && close()}
      wide
      title="Copy the token now"
      lead={
        <>
          Token <bdi>{name}</bdi> is shown only once. Anyone with the token has its permissions, so store it in a secret store.
        </>
      }
    >
      <Verbatim label="Token" copy>
        {token}
      </Verbatim>
      {until && (
        <p className="small muted">
          The previous token works until its first replacement use, at most until <When at={until} />.
        </p>
      )}
      <p className="small muted">
        Programs send it as <code>Authorization: Bearer …</code>
      </p>
      <Check label="I have copied it" value={kept} set={keep} />
      <div className="row end">
        <Button tone="primary" disabled={!kept} onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
