import { Dialog } from "../../kit/dialog";
import { Copy } from "../../kit/elements";
import { Button, Note } from "../../kit/kit";

/** A secret, which is shown this once. */
export function SecretOnce({ secret, close, after }: { secret: string | undefined; close: () => void; after?: string }) {
  return (
    <Dialog
      open={secret !== undefined}
      close={close}
      title="Copy the secret now"
      lead="Receivers verify signatures with it (Standard Webhooks). It is not shown again."
    >
      <Note tone="warn">
        <div className="webhooks-secret">
          <code>{secret}</code>
          <Copy text={secret ?? ""} label="Copy the secret" />
        </div>
      </Note>
      {after && <p className="small muted">{after}</p>}
      <div className="row end">
        <Button reads tone="primary" onClick={close}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
