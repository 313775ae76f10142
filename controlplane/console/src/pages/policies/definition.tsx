import type { ReactNode } from "react";
import type { Of } from "../../api/types";
import { durationText } from "../../kit/duration";
import { Id } from "../../kit/elements";
import { Facts, When } from "../../kit/kit";
import { AccessName, PersonName, RoleName } from "../roles/names";
import { Named } from "./manypick";
import { type LifecycleState, lifecycleStates } from "./words";

/** What a policy says and has done, to read. */
export function Definition({ of: p }: { of: Of<"AccessPolicy"> }) {
  const r = p.resources;
  const things = [
    ...(r?.role_ids ?? []).map((id) => <RoleName key={id} id={id} />),
    ...(r?.entitlement_ids ?? []).map((id) => <AccessName key={id} id={id} />),
    ...(r?.connector_ids ?? []).map((id) => (
      <span key={id}>
        {p.effect === "deny" ? "all access in " : "an account in "}
        <Named kind="systems" id={id} />
      </span>
    )),
  ];
  const s = p.stats;
  return (
    <div className="pol-said">
      <section className="card padded stack" aria-label="Definition">
        <div>
          <h2>Applies to</h2>
          <p className="pol-sentence" dir="auto">
            {p.sentence || "Everyone."}
          </p>
        </div>
        <div>
          <h2>{p.effect === "deny" ? "Denied access" : "Granted access"}</h2>
          <ul className="pol-things">
            {things.map((t) => (
              <li key={t.key}>{t}</li>
            ))}
          </ul>
        </div>
        <Facts of={facts(p)} />
      </section>
      <section className="card padded stack" aria-label="Figures">
        <h2>Last full evaluation</h2>
        <Facts
          of={[
            ["Matching people", s.matched.toLocaleString("en")],
            [p.mode === "enforce" ? "Grants pending" : "Grants in dry run", `+ ${s.would_grant.toLocaleString("en")}`],
            [p.mode === "enforce" ? "Ends pending" : "Ends in dry run", `− ${s.would_end.toLocaleString("en")}`],
            ["People with access through this policy", p.holder_count.toLocaleString("en")],
            ["Blocked after a manual revocation", s.withheld ? s.withheld.toLocaleString("en") : ""],
            ["People with evaluation errors", s.warnings ? s.warnings.toLocaleString("en") : ""],
            ["Evaluated", <When key="w" at={p.last_evaluated_at ?? null} none="not yet" />],
          ]}
        />
      </section>
    </div>
  );
}

function facts(p: Of<"AccessPolicy">): [string, ReactNode][] {
  const l = p.lifecycle;
  const when = (l?.when ?? []) as LifecycleState[];
  const assigns = p.effect !== "deny";
  const origin = (p.origin ?? {}) as { kind?: string; pack?: string; name?: string };
  return [
    [
      "Applies",
      !assigns
        ? ""
        : when.length === 4 || !when.length
          ? "always"
          : lifecycleStates
              .filter(([w]) => when.includes(w))
              .map(([, words]) => words)
              .join(", "),
    ],
    ["Before the first day", assigns ? (l?.lead_time ? durationText(l.lead_time) : "tenant's lifecycle setting") : ""],
    [
      "If a person no longer matches",
      assigns
        ? l?.on_no_match === "end_now"
          ? "access ends at once"
          : l?.grace
            ? `access is kept for ${durationText(l.grace)}`
            : "access is kept for the tenant's grace period"
        : "",
    ],
    [
      "Circuit breaker",
      p.circuit_breaker ? `opens after ${p.circuit_breaker.max_changes} changes within ${durationText(p.circuit_breaker.window)}` : "none",
    ],
    ["Owners", p.owner_ids?.length ? <Owners key="o" ids={p.owner_ids} /> : ""],
    ["Source", origin.kind && origin.kind !== "manual" ? `${origin.kind} ${origin.pack ?? origin.name ?? ""}` : ""],
    ["Version", p.version],
    ["ID", <Id key="i" of={p.id} />],
  ];
}

const Owners = ({ ids }: { ids: string[] }) => (
  <ul>
    {ids.map((id) => (
      <li key={id}>
        <PersonName id={id} />
      </li>
    ))}
  </ul>
);
