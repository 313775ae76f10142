import * as text from "#text/provisioning";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Failure, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { PauseButton, useSending } from "./pausebutton";

/** Whether anything at all is written to the tenant's systems, and to how many of them circuit breakers have stopped it. */
export function Switch() {
  const found = useSending();
  const stopped = useGet<Of<"ListConnector">>("/connectors", { health: "stopped", limit: 1 }, { every: 10_000 }).data?.total ?? 0;
  if (found.isError) return <Failure error={found.error} retry={() => void found.refetch()} />;
  const on = found.data?.writes ?? true;
  const by = found.data?.changed_by as { display?: string } | null | undefined;
  return (
    <section className={`provisioning-switch${on ? (stopped > 0 ? " stopped" : "") : " off"}`} aria-label={text.stateOfWriting}>
      <span>
        {on && stopped > 0 ? (
          <Link to="/connectors" search={{ health: "stopped" }}>
            <State of="failed" tone="bad" words={text.writingStoppedForSystems(stopped)} />
          </Link>
        ) : (
          <State of={on ? "enabled" : "paused"} tone={on ? "ok" : "warn"} words={on ? text.writingOn : text.writingOff} />
        )}{" "}
        {!on && (
          <span className="small">
            {found.data?.reason}{" "}
            <span className="muted">
              ({by?.display}, <When at={found.data?.changed_at ?? null} />)
            </span>
          </span>
        )}
      </span>
      {found.data && <PauseButton of={found.data} />}
    </section>
  );
}
