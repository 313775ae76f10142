import { useState } from "react";
import { Verbatim } from "../../kit/bits";
import { Dialog } from "../../kit/dialog";
import { Check } from "../../kit/form";
import { Button, When } from "../../kit/kit";

/** A token that was just made: this once, and never again. It is not closed by mistake. */
export function Shown({ token, name, until, close }: { token: string; name: string; until?: string | null; close: () => void }) {
  const [kept, keep] = useState(false);
  return (
    <Dialog
      open
      close={() => kept && close()}
      wide
      title="Copy the token now"
      lead={
        <>
          This is <bdi>{name}</bdi>. It is shown this once and cannot be read again. Whoever has it can do what it may do: keep it where
          secrets are kept.
        </>
      }
    >
      <Verbatim label="Token" copy>
        {token}
      </Verbatim>
      {until && (
        <p className="small muted">
          The one from before works until it is changed over everywhere, at most until <When at={until} />.
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
