import * as text from "#text/webhooks";
import { Dialog } from "../../kit/dialog";
import { Copy } from "../../kit/elements";
import { Button, Note } from "../../kit/kit";

/** A secret, which is shown this once. */
export function SecretOnce({ secret, close, after }: { secret: string | undefined; close: () => void; after?: string }) {
  return (
    <Dialog open={secret !== undefined} close={close} title={text.copyTheSecretNow} lead={text.receiversVerifySignaturesWithItStandard}>
      <Note tone="warn">
        <div className="webhooks-secret">
          <code>{secret}</code>
          <Copy text={secret ?? ""} label={text.copyTheSecret} />
        </div>
      </Note>
      {after && <p className="small muted">{after}</p>}
      <div className="row end">
        <Button reads tone="primary" onClick={close}>
          {text.done}
        </Button>
      </div>
    </Dialog>
  );
}
