import * as text from "#text/approvals";
import "./approvals.css";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { ConfirmDialog } from "../../kit/dialog";
import { durationText } from "../../kit/duration";
import { Id } from "../../kit/elements";
import { Button, Facts, Failure, Head, Note, Skeleton, When } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { Menu } from "../../kit/menu";
import { useShown } from "../../kit/shown";
import { State } from "../../kit/state";
import { BranchDiagram } from "./branchdiagram";
import { type Branch, bodyOf, draftOf } from "./model";
import { scopeWords } from "./page";
import { Replay } from "./replay";
import { TryOut } from "./simulate";
import { RuleVersions } from "./versions";

type Rule = Of<"ApprovalRule">;

const Editing = lazy(() => import("./editing"));

/** One approval rule: whom it asks, drawn; what it would say; what it has said. */
export default function RulePage() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const [show, turn] = useShown();
  const may = useMay();
  const rule = useGet<Rule>(`/approval-rules/${id}`, {}, { keep: true });
  const r = rule.data;
  const up = <Link to="/settings/approval-rules">{text.approvalRules}</Link>;
  if (rule.isError && !r) return <Failure page error={rule.error} retry={() => void rule.refetch()} />;
  if (!r)
    return (
      <div className="stack">
        <Head title={text.approvalRule} up={up} lead="…" />
        <Skeleton rows={10} />
      </div>
    );
  const editing = show === "edit" && may.admin;
  return (
    <div className="stack">
      <Head title={r.name} up={up} lead={r.description}>
        {may.admin && !editing && <Button onClick={() => turn("edit")}>{text.edit}</Button>}
        {may.admin && <Actions of={r} />}
      </Head>
      <div className="row">
        {r.enabled ? <State of="enabled" words={text.activeLower} /> : <State of="disabled" tone="neutral" words={text.offLower} />}
        <span className="small muted">
          {text.forScopeWordsVersionVersionChanged(scopeWords(r.applies_to), r.version, <When at={r.updated_at} />)}
        </span>
      </div>
      {r.warnings.map((w) => (
        <Note key={w.pointer + w.code} tone="warn">
          {placed(w.pointer)}
          {w.detail}
        </Note>
      ))}
      {editing ? (
        <Suspense fallback={<Skeleton />}>
          <Editing key={r.id} of={r} close={() => turn("")} />
        </Suspense>
      ) : (
        <>
          <RuleFacts of={r} />
          {may.admin && (
            <>
              <TryOut id={r.id} />
              <Replay id={r.id} body={r.enabled ? undefined : () => ({ ...bodyOf(draftOf(r)), enabled: true })} />
            </>
          )}
        </>
      )}
      <RuleVersions id={r.id} />
    </div>
  );
}

/** Where in a rule a warning is, in words. */
function placed(pointer: string): string {
  const [, branch, stage] = /branches\/(\d+)(?:\/outcome\/stages\/(\d+))?/.exec(pointer) ?? [];
  if (branch === undefined) return "";
  return stage === undefined ? text.branchNumber(Number(branch) + 1) : text.branchAndStep(Number(branch) + 1, Number(stage) + 1);
}

function RuleFacts({ of: r }: { of: Rule }) {
  const branches = (r.branches ?? []) as Branch[];
  const g = r.grant;
  const e = r.emergency;
  return (
    <>
      {branches.map((b, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: branches have no other name than their place
        <section key={i} className="card padded stack" aria-label={text.branchI(i + 1)}>
          <p dir="auto">{r.sentences[i]}</p>
          <BranchDiagram of={b} label={text.branchI(i + 1)} />
        </section>
      ))}
      <div className="card padded">
        <Facts
          of={[
            [text.reason, r.require_justification === false ? text.optional : text.needed],
            [text.ticket, r.require_external_reference ? text.needed : text.optional],
            [text.expiresAfter, durationText(r.request_ttl)],
            [text.maximumDuration, g?.max_duration ? durationText(g.max_duration) : text.noLimitInThisRule],
            [text.defaultDuration, durationText(g?.default_duration)],
            [
              text.extensions,
              g?.extension?.allowed === false ? text.no : g?.extension?.needs_approval === false ? text.withoutApproval : text.withApproval,
            ],
            [
              text.emergencyAccess,
              e?.allowed ? text.grantedAtOnceForAtMost(durationText(e.max_duration), durationText(e.post_review_within)) : text.notAllowed,
            ],
            [text.selfApproval, r.allow_self_approval ? text.allowed : text.never],
            [text.order, r.priority],
            [text.id, <Id key="i" of={r.id} />],
          ]}
        />
      </div>
    </>
  );
}

function Actions({ of: r }: { of: Rule }) {
  const navigate = useGo();
  const [asking, setAsking] = useState<"disable" | "delete">();
  const act = useAct({
    quiet: true,
    act: (what: "enable" | "disable" | "delete", key) =>
      what === "delete"
        ? ask("DELETE", `/approval-rules/${r.id}`, { key, ifMatch: r.version })
        : ask("POST", `/approval-rules/${r.id}/${what}`, { key, ifMatch: r.version }),
    done: (_, what) => `${r.name} ${what === "delete" ? text.wasDeleted : what === "enable" ? text.isActive : text.isDisabled}.`,
    changes: ["/approval-rules"],
  });
  return (
    <>
      {!r.enabled && (
        <Button tone="primary" disabled={act.isPending} onClick={() => act.mutate("enable")}>
          {text.enable}
        </Button>
      )}
      <Menu
        words={text.more}
        of={[
          r.enabled && { words: text.disable, act: () => setAsking("disable") },
          { words: text.deleteLabel, act: () => setAsking("delete"), danger: true },
        ]}
      />
      {asking && (
        <ConfirmDialog
          open
          close={() => setAsking(undefined)}
          title={asking === "delete" ? text.deleteThisRule : text.disableThisRule}
          verb={asking === "delete" ? text.deleteLabel : text.disable}
          tone="danger"
          act={async () => {
            await act.mutateAsync(asking);
            if (asking === "delete") void navigate({ to: "/settings/approval-rules" });
          }}
        >
          <p>
            {text.newRequestsFollowTheNextMost}
            {asking === "disable" && <> {text.rulesThatReferToItStill}</>}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
