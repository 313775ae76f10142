import type { ReactNode } from "react";
import type { Of } from "../../api/types";
import { Id } from "../../kit/bits";
import { Facts, When } from "../../kit/kit";
import { spanWords } from "../../kit/span";
import { AccessName, PersonName, RoleName } from "../roles/names";
import { Named } from "./manypick";
import { type Life, lives } from "./words";

/** What a policy says and has done, to read. */
export function Said({ of: p }: { of: Of<"AccessPolicy"> }) {
  const r = p.resources;
  const things = [
    ...(r?.role_ids ?? []).map((id) => <RoleName key={id} id={id} />),
    ...(r?.entitlement_ids ?? []).map((id) => <AccessName key={id} id={id} />),
    ...(r?.connector_ids ?? []).map((id) => (
      <span key={id}>
        {p.effect === "deny" ? "anything in " : "an account in "}
        <Named kind="systems" id={id} />
      </span>
    )),
  ];
  const s = p.stats;
  return (
    <div className="pol-said">
      <section className="card padded stack" aria-label="What it says">
        <div>
          <h2>Applies to</h2>
          <p className="pol-sentence" dir="auto">
            {p.sentence || "Everybody."}
          </p>
        </div>
        <div>
          <h2>{p.effect === "deny" ? "What they may not hold" : "What they have"}</h2>
          <ul className="pol-things">
            {things.map((t) => (
              <li key={t.key}>{t}</li>
            ))}
          </ul>
        </div>
        <Facts of={facts(p)} />
      </section>
      <section className="card padded stack" aria-label="Figures">
        <h2>When everybody was last looked at</h2>
        <Facts
          of={[
            ["People whom it is about", s.matched.toLocaleString("en")],
            [p.mode === "enforce" ? "Still to give" : "It would give", `+ ${s.would_grant.toLocaleString("en")}`],
            [p.mode === "enforce" ? "Still to end" : "It would end", `− ${s.would_end.toLocaleString("en")}`],
            ["People who hold something by it", p.holder_count.toLocaleString("en")],
            ["Not given again, because a person took it away", s.withheld ? s.withheld.toLocaleString("en") : ""],
            ["People of whom a clause could not be answered", s.warnings ? s.warnings.toLocaleString("en") : ""],
            ["Looked at", <When key="w" at={p.last_evaluated_at ?? null} none="not yet" />],
          ]}
        />
      </section>
    </div>
  );
}

function facts(p: Of<"AccessPolicy">): [string, ReactNode][] {
  const l = p.lifecycle;
  const when = (l?.when ?? []) as Life[];
  const assigns = p.effect !== "deny";
  const origin = (p.origin ?? {}) as { kind?: string; pack?: string; name?: string };
  return [
    [
      "Applies",
      !assigns
        ? ""
        : when.length === 4 || !when.length
          ? "always"
          : lives
              .filter(([w]) => when.includes(w))
              .map(([, words]) => words)
              .join(", "),
    ],
    ["Before the first day", assigns ? (l?.lead_time ? spanWords(l.lead_time) : "as the tenant's lifecycle says") : ""],
    [
      "When they are no longer whom it is about",
      assigns
        ? l?.on_no_match === "end_now"
          ? "it ends at once"
          : l?.grace
            ? `it stays for ${spanWords(l.grace)}`
            : "it stays as the tenant's lifecycle says"
        : "",
    ],
    [
      "Breaker",
      p.circuit_breaker
        ? `more than ${p.circuit_breaker.max_changes} changes within ${spanWords(p.circuit_breaker.window)} stop it`
        : "none",
    ],
    ["Owners", p.owner_ids?.length ? <Owners key="o" ids={p.owner_ids} /> : ""],
    ["Comes from", origin.kind && origin.kind !== "manual" ? `${origin.kind} ${origin.pack ?? origin.name ?? ""}` : ""],
    ["Version", p.version],
    ["Id", <Id key="i" of={p.id} />],
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
