import * as text from "#text/mitigation";
import "./mitigation.css";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { FieldError, SelectField, TextField } from "../../kit/form";
import { Button, Failure } from "../../kit/kit";
import { State } from "../../kit/state";
import { ConditionGroup } from "../policies/condition";
import { type About, asGroup, type Group, matchAll } from "../policies/language";
import { ManyPick } from "../policies/manypick";
import { ProblemList } from "./queryresult";
import { outcomeTone, type StoredQuery } from "./words";

/** A stored query as it is written. */
export type QueryDraft = {
  about: StoredQuery["about"];
  connector_ids: string[];
  condition: Group;
  expect: StoredQuery["expect"];
  at_most: string;
};

export const queryDraft = (q?: StoredQuery | null): QueryDraft => ({
  about: q?.about ?? "accounts",
  connector_ids: q?.connector_ids ?? [],
  condition: q ? asGroup(q.condition) : { match: "all", rules: [{ field: "account.last_login_at", op: "after", value: "-P30D" }] },
  expect: q?.expect ?? "none",
  at_most: String(q?.at_most ?? 1),
});

/** A written query as the API takes it. */
export const queryBody = (q: QueryDraft) => ({
  about: q.about,
  connector_ids: q.about === "accounts" ? q.connector_ids : [],
  condition: q.condition.match === "all" && q.condition.rules.length === 0 ? null : q.condition,
  expect: q.expect,
  at_most: q.expect === "at_most" ? Number(q.at_most) : null,
});

const abouts = Object.entries(text.queryAbouts) as [QueryDraft["about"], string][];
const expects = Object.entries(text.queryExpects) as [QueryDraft["expect"], string][];
const vocabularyOf = (about: QueryDraft["about"]): About => (about === "person" || about === "manager" ? "people" : about);

type Scope = { cadence: string; sod_policy_ids: string[]; severities: string[] };
type Props = {
  of: QueryDraft;
  set: (q: QueryDraft) => void;
  /** What is wrong at a member of the query. */
  wrong: (pointer: string) => string | undefined;
  scope: Scope;
};

/** The fields of a stored query, with its preview. */
export function QueryEditor({ of: q, set, wrong, scope }: Props) {
  return (
    <fieldset className="stack tight control-query">
      <legend>{text.query}</legend>
      <p className="small muted">{text.queryLead}</p>
      <SelectField
        label={text.queryAbout}
        value={q.about}
        set={(about) => set({ ...q, about, condition: vocabularyOf(about) === vocabularyOf(q.about) ? q.condition : matchAll })}
        options={abouts}
        error={wrong("about")}
      />
      {q.about === "accounts" && (
        <ManyPick
          label={text.systems}
          kind="systems"
          hint={text.systemsHint}
          ids={q.connector_ids}
          set={(connector_ids) => set({ ...q, connector_ids })}
          error={wrong("connector_ids")}
        />
      )}
      <div className="stack tight">
        <span className="field-label">{text.conditionOfQuery}</span>
        <ConditionGroup
          of={q.condition}
          set={(condition) => set({ ...q, condition })}
          about={vocabularyOf(q.about)}
          wrong={(p) => wrong(`condition${p}`)}
          scripts={false}
          empty={text.noClausesAll}
        />
        <FieldError of={q.condition.rules.length === 0 ? wrong("condition") : undefined} />
      </div>
      <div className="fields">
        <SelectField
          label={text.queryExpect}
          value={q.expect}
          set={(expect) => set({ ...q, expect })}
          options={expects}
          error={wrong("expect")}
        />
        {q.expect === "at_most" && (
          <TextField
            label={text.atMost}
            type="number"
            required
            value={q.at_most}
            set={(at_most) => set({ ...q, at_most })}
            error={wrong("at_most")}
          />
        )}
      </div>
      <Preview of={q} scope={scope} />
    </fieldset>
  );
}

/** What the query would answer today. */
function Preview({ of: q, scope }: { of: QueryDraft; scope: Scope }) {
  const body = { query: queryBody(q), ...scope };
  const now = JSON.stringify(body);
  const preview = useAct<string, { of: string; answer: Of<"QueryPreview"> }>({
    quiet: true,
    act: async (sent, key) => ({
      of: sent,
      answer: await ask<Of<"QueryPreview">>("POST", "/policies/mitigation/preview", { body: JSON.parse(sent), key }),
    }),
  });
  const shown = preview.data?.of === now ? preview.data.answer : undefined;
  return (
    <div className="stack tight">
      <div className="row">
        <Button reads onClick={() => preview.mutate(now)} disabled={preview.isPending}>
          {preview.isPending ? text.previewing : text.preview}
        </Button>
        <small className="muted">{text.previewLead}</small>
      </div>
      {preview.isError && preview.variables === now && <Failure error={preview.error} />}
      {shown && <PreviewAnswers of={shown} />}
    </div>
  );
}

function PreviewAnswers({ of: p }: { of: Of<"QueryPreview"> }) {
  if (p.violations === 0)
    return (
      <p className="small muted" role="status">
        {text.nothingToPreview}
      </p>
    );
  return (
    <div className="stack tight" role="status">
      <p className="small">
        {text.previewOf(p.evaluated, p.violations)} {text.previewCounts(p.passed, p.failed, p.unanswered)}
      </p>
      <ul className="stack tight" aria-label={text.previewAnswers}>
        {p.items.map((i) => (
          <li key={i.violation_id} className="stack tight small">
            <span className="row">
              <bdi>{i.identity.display}</bdi>
              <State of={i.result.outcome} tone={outcomeTone(i.result.outcome)} words={text.outcomes[i.result.outcome] ?? ""} />
              <span className="muted">{i.reason}</span>
            </span>
            {i.result.problems.length > 1 && <ProblemList of={i.result.problems.slice(1)} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
