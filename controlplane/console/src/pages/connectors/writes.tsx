import * as text from "#text/connectors";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { Button, Note, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";

/** Resumes the writes to a system whose circuit breaker is open. */
export function useResumeWrites(connectorId: string) {
  return useAct({
    act: (_, key) => ask<Of<"BreakerReset">>("POST", `/connectors/${connectorId}/provisioning/breaker/reset`, { key }),
    changes: ["/connectors", "/accounts/provisioning-tasks", "/dashboard", "/decision-tasks"],
    done: (r) => text.writesResumedTasksAreSent(r.waiting),
  });
}

/** Says that the circuit breaker of a connector is open, shows its tasks, and resumes writes. */
export function WritesStopped({ of: c }: { of: Pick<Connector, "id" | "health"> }) {
  const may = useMay();
  const resume = useResumeWrites(c.id);
  const { state, since, cause } = c.health.writing;
  if (state !== "stopped") return null;
  return (
    <Note tone="bad">
      <div className="row between">
        <span>
          {text.strongSinceCauseProvisioningTasksWait(
            <strong>{text.writesStopped}</strong>,
            <When at={since} />,
            <Text of={cause ?? text.tooManyChangesFailed} />,
          )}
        </span>
        <span className="row">
          <Link to="/provisioning" search={{ connector_id: c.id }} className="button">
            {text.showTasks}
          </Link>
          {may.admin && (
            <Button tone="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
              {text.resumeWrites}
            </Button>
          )}
        </span>
      </div>
    </Note>
  );
}
