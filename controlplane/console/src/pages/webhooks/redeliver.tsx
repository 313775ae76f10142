import * as text from "#text/webhooks";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { Button } from "../../kit/kit";
import type { Delivery } from "./words";

/** Sends a delivery's event again, as a delivery of its own. */
export function Redeliver({ webhook, delivery }: { webhook: string; delivery: Delivery }) {
  const again = useAct<void, Delivery>({
    act: (_, key) => ask("POST", `/settings/webhooks/${webhook}/deliveries/${delivery.id}/redeliver`, { key }),
    done: text.redeliveryStarted,
    changes: ["/settings/webhooks"],
  });
  return (
    <Button disabled={again.isPending} onClick={() => again.mutate()}>
      {text.redeliver}
    </Button>
  );
}
