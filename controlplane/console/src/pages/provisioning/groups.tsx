import * as text from "#text/provisioning";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { number } from "../../kit/count";
import { Button, Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { useResumeWrites } from "../connectors/writes";

type Group = Of<"TaskGroup">;

const states = {
  failed: { tone: "bad", words: text.failedLower },
  manual: { tone: "warn", words: text.manual },
  waiting: { tone: "warn", words: text.waiting },
} as const;

/** Provisioning tasks that need a person, one entry for each system and cause. */
export function Groups() {
  const found = useGet<Of<"TaskGroups">>("/accounts/provisioning-tasks/groups", {}, { every: 10_000 });
  const groups = found.data?.groups ?? [];
  if (groups.length === 0) return null;
  return (
    <section className="card padded stack tight" aria-labelledby="causes">
      <h2 id="causes">{text.bySystemAndCause}</h2>
      <ul className="provisioning-groups">
        {groups.map((g) => (
          <Entry key={`${g.connector_id} ${g.state} ${g.cause}`} of={g} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ of: g }: { of: Group }) {
  return (
    <li>
      <strong className="figure">{g.count.toLocaleString("en")}</strong>
      <span className="stack tight">
        <span>
          <Link to="/connectors/$id" params={{ id: g.connector_id }}>
            <Text of={g.connector.display} />
          </Link>{" "}
          <State of={g.state} {...states[g.state]} />{" "}
          {g.urgent > 0 && <State of="urgent" tone="bad" words={text.urgentUrgent(g.urgent.toLocaleString("en"))} />}{" "}
          <span className="small muted">{text.sinceOldestAt(<When at={g.oldest_at} />)}</span>
        </span>
        {g.message && <Text of={g.message} />}
        {g.advice && <span className="small muted">{g.advice}</span>}
      </span>
      <Action of={g} />
    </li>
  );
}

/** The one action of a group: retry what failed, resume writes, or open the tasks. */
function Action({ of: g }: { of: Group }) {
  const may = useMay();
  const retry = useAct({
    act: (_, key) =>
      ask<Of<"Retried">>("POST", "/accounts/provisioning-tasks/retry-failed", {
        body: { connector_id: g.connector_id, cause: g.cause },
        key,
      }),
    changes: ["/accounts/provisioning-tasks", "/connectors", "/dashboard"],
    done: (r) => (r.remaining > 0 ? text.tasksRetriedRemainingRemaining(r.retried, number(r.remaining)) : text.tasksRetried(r.retried)),
  });
  const resume = useResumeWrites(g.connector_id);
  if (may.admin && g.state === "failed")
    return (
      <Button disabled={retry.isPending} onClick={() => retry.mutate()}>
        {text.retryCount(g.count.toLocaleString("en"))}
      </Button>
    );
  if (may.admin && g.cause === "breaker_open")
    return (
      <Button disabled={resume.isPending} onClick={() => resume.mutate()}>
        {text.resumeWrites}
      </Button>
    );
  const state = g.state === "waiting" ? "queued,retrying" : g.state;
  return (
    <Link to="/provisioning" search={{ connector_id: g.connector_id, state }} className="button" data-reads="">
      {text.showTasks}
    </Link>
  );
}
