import { useState } from "react";
import * as text from "#text/accounts";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { TextField } from "../../kit/form";
import { Button, Part, When } from "../../kit/kit";
import { PersonLink } from "../../kit/personlink";
import { Pick, type Picked, people } from "../../kit/pick";
import { State } from "../../kit/state";
import { PersonById } from "../people/personbyid";
import { confidenceText, ownerWords, ruleWords } from "./words";

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
type OwnerAction = { what: "link"; to?: string } | { what: "unlink" | "ignore" | "reset" };

/** Whose an account is, why that is thought, and who else it could be. */
export function Owner({ of: a }: { of: Detail }) {
  const may = useMay();
  const [doing, setDoing] = useState<OwnerAction>();
  const c = a.correlation as unknown as Correlation;
  const candidates = (c.candidates ?? []).filter((x) => x.identity_id !== a.identity_id);
  const w = ownerWords(c.state);
  return (
    <Part
      title={text.owner}
      actions={
        may.admin && (
          <>
            <Button onClick={() => setDoing({ what: "link" })}>{a.identity ? text.changeOwner : text.assignOwner}</Button>
            {a.identity && <Button onClick={() => setDoing({ what: "unlink" })}>{text.removeOwner}</Button>}
            {!a.identity && c.state !== "ignored" && <Button onClick={() => setDoing({ what: "ignore" })}>{text.acceptAsUnowned}</Button>}
            {(c.by === "user" || c.state === "ignored" || c.state === "manual") && (
              <Button onClick={() => setDoing({ what: "reset" })}>{text.returnToCorrelation}</Button>
            )}
          </>
        )
      }
    >
      <section className="card padded stack tight" aria-label={text.owner}>
        <div className="row">
          <State of={c.state} tone={w.tone} words={w.words} />
          {a.identity ? (
            <PersonLink id={a.identity.id} className="person-link">
              <bdi>{a.identity.display}</bdi>
            </PersonLink>
          ) : (
            <span className="muted">{text.noOwner}</span>
          )}
          {c.decided_at && (
            <span className="small muted">
              {c.by === "user"
                ? text.decidedByAPersonDecidedAt(<When at={c.decided_at} />)
                : text.decidedByCorrelationRulesDecidedAt(<When at={c.decided_at} />)}
            </span>
          )}
        </div>
        {a.identity_external_id && (
          <p className="small">{text.theSystemReportsIdentityExternalAs(<code>{a.identity_external_id}</code>)}</p>
        )}
        {c.by === "user" && c.reason && (
          <p className="small" dir="auto">
            “{c.reason}”
          </p>
        )}
        {(c.explanation ?? []).length > 0 && <p className="small muted">{text.reasonsExplanation((c.explanation ?? []).join("; "))}</p>}
        {candidates.length > 0 && (
          <ul className="stack tight" aria-label={text.candidates}>
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
          <PersonById id={x.identity_id} />{" "}
          <span className="muted small">{text.confidenceWithScore(confidenceText(x.score), Math.round(x.score * 100))}</span>
        </span>
        {link && <Button onClick={link}>{text.assignOwner}</Button>}
      </div>
      <p className="small">{(x.explanation ?? []).join("; ")}</p>
      {said.length > 0 && (
        <details className="small">
          <summary data-reads="">{text.resultOfEachRule}</summary>
          <ul>
            {said.map((r) => (
              <li key={r.rule_id}>
                {ruleWords(r.rule_id, r.outcome)}
                {(r.compared ?? []).map((k) => (
                  <span key={`${k.source}${k.identity}`} className="muted">
                    {" "}
                    {text.accountValueInTheAccountIdentity(
                      <bdi>{k.account_value ?? text.noValue}</bdi>,
                      <bdi>{k.identity_value ?? text.noValue}</bdi>,
                    )}
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
    done: text.ownerAssigned,
    changes: ["/accounts", "/identities", "/entitlements"],
  });
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.assignOwner}
      lead={text.policiesWillApplyMissingAccessIs}
      verb={text.assignOwner}
      disabled={!owner || !reason.trim()}
      act={() => link.mutateAsync()}
    >
      {to ? (
        <p>
          <PersonById id={to} />
        </p>
      ) : (
        <Pick label={text.owner} source={people} value={who} set={setWho} required />
      )}
      <TextField label={text.reason} value={reason} set={setReason} max={1000} required hint={text.evidenceThatThisPersonOwnsThe} />
    </ConfirmDialog>
  );
}

const undoing = {
  unlink: {
    title: text.removeOwner,
    verb: text.remove,
    lead: text.theAccountBecomesAnAccountWithout,
    path: "unlink",
    done: text.ownerRemoved,
  },
  ignore: {
    title: text.acceptAsUnowned,
    verb: text.accept,
    lead: text.decisionTasksForThisAccountClose,
    path: "ignore",
    done: text.acceptedAsUnowned,
  },
  reset: {
    title: text.returnToCorrelation,
    verb: text.returnLabel,
    lead: text.theDecisionOfAPersonIs,
    path: "reset-correlation",
    done: text.returnedToCorrelation,
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
    <ConfirmDialog
      open
      close={close}
      title={t.title}
      lead={t.lead}
      verb={t.verb}
      disabled={what !== "reset" && !reason.trim()}
      act={() => act.mutateAsync()}
    >
      {what !== "reset" && <TextField label={text.reason} value={reason} set={setReason} max={1000} required />}
    </ConfirmDialog>
  );
}
