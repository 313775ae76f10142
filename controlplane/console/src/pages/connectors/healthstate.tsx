import * as text from "#text/connectors";
import type { Connector } from "../../api/types";
import { State } from "../../kit/state";

type Overall = Connector["health"]["overall"];

const words: Partial<Record<Overall, string>> = { stopped: text.writesStoppedLower };

export const healthOptions = (
  ["healthy", "new", "failing", "stopped", "degraded", "quarantined", "paused", "disabled"] satisfies Overall[]
).map((s) => [s, words[s as Overall] ?? s] as const);

/** Whether a connector works, for reading and writing: the worse of the two. */
export function HealthState({ of: c }: { of: Pick<Connector, "status" | "health"> }) {
  const { overall } = c.health;
  if (c.status === "draft") return <State of="draft" />;
  return <State of={overall} {...(overall === "stopped" ? { tone: "bad" as const, words: words.stopped } : {})} />;
}
