import * as text from "#text/syncruns";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Empty, Failure, Skeleton, Text } from "../../kit/kit";
import { State } from "../../kit/state";
import { ChangeSign } from "./changes";
import { guardWords, many, n } from "./words";

type Group = Of<"Group">;

/** What a run changed against what was there before it, grouped, what is held first. */
export function Groups({ of: run }: { of: Of<"Run"> }) {
  const found = useGet<Of<"Diff">>(`/connectors/${run.connector_id}/sync-runs/${run.id}/diff`);
  if (found.isPending) return <Skeleton rows={4} />;
  if (!found.data) return <Failure error={found.error} retry={() => void found.refetch()} />;
  if (found.data.groups.length === 0) return <Empty title={text.noDifferencesFromThePreviousSync} />;
  return (
    <div className="stack">
      {found.data.groups.map((g) => (
        <OneGroup key={`${g.object} ${g.change} ${g.guard}`} of={g} />
      ))}
    </div>
  );
}

function OneGroup({ of: g }: { of: Group }) {
  const shares: [string, Group["departments"]][] = [
    [text.departments, g.departments],
    [text.branches, g.containers],
    [text.managers, g.managers],
    [text.fields, g.fields],
  ];
  return (
    <section className="card padded stack tight" aria-label={`${g.object} ${g.change}`}>
      <div className="row between">
        <h3 className="row">
          <ChangeSign of={g.change} /> {many(g.count, ...objectWords(g.object))}
          {g.guard && <span className="muted small">({guardWords(g.guard)})</span>}
        </h3>
        {g.held > 0 && <State of="held" words={text.nHeld(n(g.held))} />}
      </div>
      <div className="connectors-columns small">
        {shares
          .filter(([, list]) => list.length > 0)
          .map(([words, list]) => (
            <div key={words}>
              <strong>{words}</strong>
              <ul>
                {list.slice(0, 8).map((s) => (
                  <li key={s.value ?? ""}>
                    <Text of={s.value} none={text.none} /> <span className="muted">{n(s.count)}</span>
                  </li>
                ))}
              </ul>
            </div>
          ))}
      </div>
      <p className="small muted">
        {text.examples}{" "}
        {g.samples.map((s, i) => (
          <span key={s.n}>
            {i > 0 && ", "}
            <Text of={s.display || s.external_id} />
          </span>
        ))}
      </p>
    </section>
  );
}

const names: Record<string, [string, string]> = {
  identity: ["person", "people"],
  account: ["account", "accounts"],
  entitlement: [text.groupOrRole, text.groupsAndRolesLower],
  grant: ["grant", "grants"],
  nesting: [text.nestedGroup, text.nestedGroupsLower],
};

const objectWords = (of: string): [string, string] => names[of] ?? [of, of];
