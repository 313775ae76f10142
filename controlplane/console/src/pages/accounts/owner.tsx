import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Part, When } from "../../kit/kit";
import { Pick, type Picked, people } from "../../kit/pick";
import { State } from "../../kit/state";
import { Somebody } from "../people/somebody";
import { ruleWords, sureness, ownerWords } from "./words";

type Detail = Of<"AccountDetail">;
type Correlation = {
  state: string;
  by?: "rules" | "user";
  decided_at?: string;
  reason?: string;
  note?: string;
  decided_by?: Of<"Reference">;
  explanation?: string[];
  candidates?: Of<"CorrelationCandidate">[];
  match_explanation?: Of<"CorrelationTried">[];
};
type Doing = { what: "link"; to?: string } | { what: "unlink" | "ignore" | "reset" };

/** Whose an account is, why that is thought, and who else it could be. */
export function Owner({ of: a }: { of: Detail }) {
  const may = useMay();
  const [doing, setDoing] = useState<Doing>();
  const c = a.correlation as unknown as Correlation;
  const candidates = (c.candidates ?? []).filter((x) => x.identity_id !== a.identity_id);
  const w = ownerWords(c.state);
  return (
    <Part
      title="Whose it is"
      actions={
        may.admin && (
          <>
            <Button onClick={() => setDoing({ what: "link" })}>{a.identity ? "Name another owner" : "Assign owner"}</Button>
            {a.identity && <Button onClick={() => setDoing({ what: "unlink" })}>Take it from its owner</Button>}
            {!a.identity && c.state !== "ignored" && <Button onClick={() => setDoing({ what: "ignore" })}>Accept without an owner</Button>}
            {(c.by === "user" || c.state === "ignored" || c.state === "manual") && (
              <Button onClick={() => setDoing({ what: "reset" })}>Let the rules decide</Button>
            )}
          </>
        )
      }
    >
      <section className="card padded stack tight" aria-label="Whose it is">
        <div className="row">
          <State of={c.state} tone={w.tone} words={w.words} />
          {a.identity ? (
            <Link to="/people/$id" params={{ id: a.identity.id }} className="person-link">
              <bdi>{a.identity.display}</bdi>
            </Link>
          ) : (
            <span className="muted">Nobody</span>
          )}
          {c.decided_at && (
            <span className="small muted">
              decided {c.by === "user" ? "by a person" : "by the rules"} <When at={c.decided_at} />
            </span>
          )}
        </div>
        {a.identity_external_id && (
          <p className="small">
            Its system names <code>{a.identity_external_id}</code> as the owner.
          </p>
        )}
        {c.by === "user" && c.reason && (
          <p className="small" dir="auto">
            “{c.reason}”
          </p>
        )}
        {(c.explanation ?? []).length > 0 && <p className="small muted">Because {(c.explanation ?? []).join("; ")}.</p>}
        {candidates.length > 0 && (
          <ul className="stack tight" aria-label="Who it could be">
            {candidates.map((x) => (
              <Candidate
                key={x.identity_id}
                of={x}
                c={c}
                {...(may.admin ? { link: () => setDoing({ what: "link", to: x.identity_id }) } : {})}
              />
            ))}
          </ul>
        )}
      </section>
      {doing?.what === "link" && <LinkTo of={a} {...(doing.to ? { to: doing.to } : {})} close={() => setDoing(undefined)} />}
      {doing && doing.what !== "link" && <Undo of={a} what={doing.what} close={() => setDoing(undefined)} />}
    </Part>
  );
}

function Candidate({ of: x, c, link }: { of: Of<"CorrelationCandidate">; c: Correlation; link?: () => void }) {
  const said = (c.match_explanation ?? []).find((m) => m.identity_id === x.identity_id)?.rules ?? [];
  return (
    <li className="reason">
      <div className="row between">
        <span>
          <Somebody id={x.identity_id} /> <span className="muted small">{`${sureness(x.score)}, ${Math.round(x.score * 100)} of 100`}</span>
        </span>
        {link && <Button onClick={link}>Assign owner</Button>}
      </div>
      <p className="small">{(x.explanation ?? []).join("; ")}</p>
      {said.length > 0 && (
        <details className="small">
          <summary data-reads="">What each rule says</summary>
          <ul>
            {said.map((r) => (
              <li key={r.rule_id}>
                {ruleWords(r.rule_id, r.outcome)}
                {(r.compared ?? []).map((k) => (
                  <span key={`${k.source}${k.identity}`} className="muted">
                    {" "}
                    (<bdi>{k.account_value ?? "nothing"}</bdi> here, <bdi>{k.identity_value ?? "nothing"}</bdi> there)
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function LinkTo({ of: a, to, close }: { of: Detail; to?: string; close: () => void }) {
  const [who, setWho] = useState<Picked | null>(null);
  const [reason, setReason] = useState("");
  const owner = to ?? who?.id;
  const link = useAct<void>({
    quiet: true,
    act: (_, key) => ask("POST", `/accounts/${a.id}/link`, { body: { identity_id: owner, reason }, key, ifMatch: a.version }),
    done: "The owner is named.",
    changes: ["/accounts", "/identities", "/entitlements"],
  });
  return (
    <AskFirst
      open
      close={close}
      title="Assign owner"
      lead="Policies will apply: missing access is granted, and extra access is queued for review. Matching rules do not change this owner again."
      verb="Assign owner"
      disabled={!owner || !reason.trim()}
      act={() => link.mutateAsync()}
    >
      {to ? (
        <p>
          <Somebody id={to} />
        </p>
      ) : (
        <Pick label="Owner" source={people} value={who} set={setWho} required />
      )}
      <TextField label="Reason" value={reason} set={setReason} max={1000} required hint="How you know that it is theirs." />
    </AskFirst>
  );
}

const undoing = {
  unlink: {
    title: "Take it from its owner",
    verb: "Take it",
    lead: "It has no owner then, and rules do not give it back to them.",
    path: "unlink",
    done: "It has no owner now.",
  },
  ignore: {
    title: "Accept it without an owner",
    verb: "Accept it",
    lead: "It is asked about no more, and no rule looks for its owner.",
    path: "ignore",
    done: "It is accepted without an owner.",
  },
  reset: {
    title: "Let the rules decide",
    verb: "Let them decide",
    lead: "What a person decided is forgotten; rules look for the owner anew.",
    path: "reset-correlation",
    done: "The rules decide about it again.",
  },
} as const;

function Undo({ of: a, what, close }: { of: Detail; what: "unlink" | "ignore" | "reset"; close: () => void }) {
  const [reason, setReason] = useState("");
  const t = undoing[what];
  const act = useAct<void>({
    quiet: true,
    act: (_, key) =>
      ask("POST", `/accounts/${a.id}/${t.path}`, { ...(what === "reset" ? {} : { body: { reason } }), key, ifMatch: a.version }),
    done: t.done,
    changes: ["/accounts", "/identities", "/entitlements"],
  });
  return (
    <AskFirst
      open
      close={close}
      title={t.title}
      lead={t.lead}
      verb={t.verb}
      disabled={what !== "reset" && !reason.trim()}
      act={() => act.mutateAsync()}
    >
      {what !== "reset" && <TextField label="Reason" value={reason} set={setReason} max={1000} required />}
    </AskFirst>
  );
}
