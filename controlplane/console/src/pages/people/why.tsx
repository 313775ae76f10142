import { useState } from "react";
import * as text from "#text/people";
import type { Grant, Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Dialog } from "../../kit/dialog";
import { Button, Facts, Failure, Note, Skeleton, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import { State } from "../../kit/state";
import { Extend } from "./extend";
import { Paths } from "./paths";
import { Revoke } from "./revoke";
import "./people.css";

type Explanation = Of<"AccessExplanation">;

/** Why somebody holds one thing, or why not yet: the whole story of a grant, and what can be done about it. */
export function Why({ grant, close }: { grant: string | undefined; close: () => void }) {
  const explanation = useGet<Explanation>(`/entitlements/grants/${grant}/explain`, {}, { enabled: Boolean(grant) });
  return (
    <Dialog
      side
      open={Boolean(grant)}
      close={close}
      title={explanation.data ? <bdi>{explanation.data.entitlement.display}</bdi> : text.reason}
    >
      {explanation.isError ? (
        <Failure error={explanation.error} retry={() => void explanation.refetch()} />
      ) : explanation.isPending ? (
        <Skeleton rows={5} />
      ) : (
        <AccessExplanation of={explanation.data} />
      )}
    </Dialog>
  );
}

/** A story in the service's own words, with the reasons, and what the system has been told. */
export function AccessExplanation({ of }: { of: Explanation }) {
  const may = useMay();
  const [doing, setDoing] = useState<"revoke" | "extend">();
  const grant = of.grant;
  const live = grant && !["revoked", "revoking"].includes(grant.status);
  return (
    <div className="stack why">
      <p>
        <strong dir="auto">{of.summary}</strong>
      </p>
      <ol className="story">
        {of.story
          .filter((s) => s !== of.summary)
          .map((s) => (
            <li key={s} dir="auto">
              {s}
            </li>
          ))}
      </ol>
      {of.difference && of.desired && !of.observed && <Note tone="warn">{of.difference}</Note>}
      {!of.provisioning.writes && of.provisioning.because?.length ? (
        <Note tone="warn">{text.noChangeIsSentToThe(of.provisioning.because.join(" "))}</Note>
      ) : null}
      <Facts
        of={[
          [text.account, of.accounts?.length ? <Accounts key="accounts" of={of.accounts} /> : undefined],
          [text.firstSeen, of.first_seen && <When at={of.first_seen.at} />],
          [text.dateInTheSystem, of.first_seen?.assigned_by],
          [text.lastUsed, grant?.last_used_at ? <When key="used" at={grant.last_used_at} /> : undefined],
          [text.ends, of.ends_at && <When at={of.ends_at} />],
        ]}
      />
      {grant && <Paths grant={grant} />}
      <Reasons of={of.reasons ?? []} />
      <Changes of={of.provisioning.tasks ?? []} />
      <div className="row">
        {may.admin && live && grant && (
          <>
            {revocable(grant) && (
              <Button tone="danger" onClick={() => setDoing("revoke")}>
                {text.revoke}
              </Button>
            )}
            {(of.reasons ?? []).some((r) => r.state !== "ended" && r.until) && (
              <Button onClick={() => setDoing("extend")}>{text.extend}</Button>
            )}
          </>
        )}
        <Link to="/access/$id" params={{ id: of.entitlement.id }} className="button">
          {text.openEntitlement}
        </Link>
      </div>
      {grant && doing === "revoke" && <Revoke grant={grant} close={() => setDoing(undefined)} />}
      {grant && doing === "extend" && <Extend grant={grant} close={() => setDoing(undefined)} />}
    </div>
  );
}

/** What is inherited alone ends with what brings it: there is nothing here to revoke. */
const revocable = (g: Grant) => g.directness !== "inherited" || (g.reasons ?? []).some((r) => r.kind !== "native" && r.state !== "ended");

function Accounts({ of }: { of: Of<"Reference">[] }) {
  return of.map((a, i) => (
    <span key={a.id}>
      {i > 0 && ", "}
      <Link to="/accounts/$id" params={{ id: a.id }}>
        <bdi>{a.display}</bdi>
      </Link>
    </span>
  ));
}

function Reasons({ of }: { of: Of<"ExplainedReason">[] }) {
  if (of.length === 0) return null;
  return (
    <section className="stack tight">
      <h3>{text.reasons}</h3>
      <ul className="stack tight">
        {of.map((r, i) => (
          <li key={r.id ?? `native ${i}`} className="reason">
            <div className="row between">
              <ReasonState of={r} />
              <span className="small muted">{text.sinceSince(<When at={r.since} />)}</span>
            </div>
            <p dir="auto">{r.sentence}</p>
            {r.rule && (
              <p className="small muted" dir="auto">
                {text.reasonRule(r.rule)}
              </p>
            )}
            {r.end_reason && <p className="small muted">{r.end_reason}</p>}
            {r.request_id && (
              <Link to="/requests/$id" params={{ id: r.request_id }} className="small">
                {text.openTheRequest}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ReasonState({ of: r }: { of: Of<"ExplainedReason"> }) {
  if (r.effect === "deny") return <State of={r.state} tone="bad" words={text.denialState(r.state)} />;
  if (r.kind === "native") return <State of="native" tone="warn" words={text.foundInTheSystemLower} />;
  return <State of={r.state} />;
}

function Changes({ of }: { of: Of<"ExplainedTask">[] }) {
  if (of.length === 0) return null;
  return (
    <section className="stack tight">
      <h3>{text.provisioning}</h3>
      <ul className="stack tight">
        {of.map((t) => (
          <li key={t.id} className="reason">
            <div className="row between">
              <State of={t.state} />
              <Link to="/provisioning" search={{ task: t.id }} className="small">
                {text.openTheChange}
              </Link>
            </div>
            <p dir="auto">{t.sentence}</p>
            {t.advice && <p className="small muted">{t.advice}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
