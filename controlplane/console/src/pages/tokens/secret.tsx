import { useState } from "react";
import * as text from "#text/tokens";
import { Dialog } from "../../kit/dialog";
import { Verbatim } from "../../kit/elements";
import { Check } from "../../kit/form";
import { Button, When } from "../../kit/kit";

/** A token that was just made: this once, and never again. It is not closed by mistake. */
export function TokenSecret({ token, name, until, close }: { token: string; name: string; until?: string | null; close: () => void }) {
  const [kept, keep] = useState(false);
  return (
    <Dialog open close={() => kept && close()} wide title={text.copyTheTokenNow} lead={text.tokenNameIsShownOnlyOnce(<bdi>{name}</bdi>)}>
      <Verbatim label={text.token} copy>
        {token}
      </Verbatim>
      {until && <p className="small muted">{text.thePreviousTokenWorksUntilIts(<When at={until} />)}</p>}
      <p className="small muted">{text.programsSendItAsCode(<code>Authorization: Bearer …</code>)}</p>
      <Check label={text.iHaveCopiedIt} value={kept} set={keep} />
      <div className="row end">
        <Button tone="primary" disabled={!kept} onClick={close}>
          {text.done}
        </Button>
      </div>
    </Dialog>
  );
}
