import * as text from "#text/policies";
import "./condition.css";
import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { useDebounced } from "../../kit/debounce";
import { Button, Text } from "../../kit/kit";
import { Clause } from "./clause";
import { type About, asGroup, firstClause, type Group, isGroup, isScript, type Node, unfinished } from "./language";
import { Removable } from "./removable";

type Verdict = Of<"ConditionVerdict">;
type ProblemLookup = (pointer: string) => string | undefined;

/** What the service says of a condition, or of a sentence, a moment after it was changed. */
export function useVerdict(of: { condition: unknown } | { sentence: string }, on = true) {
  const now = JSON.stringify(of);
  const asked = useDebounced(now, 350);
  const query = useQuery({
    queryKey: ["/policies/conditions/validate", asked],
    queryFn: ({ signal }) => ask<Verdict>("POST", "/policies/conditions/validate", { body: JSON.parse(asked), signal }),
    enabled: on,
    placeholderData: (was) => was,
  });
  return { query, verdict: query.data, stale: asked !== now || query.isPlaceholderData };
}

type Props = {
  label: string;
  value: unknown;
  set: (c: Group) => void;
  /** What is wrong at a place of the whole object; at is where the condition stands in it, such as subject. */
  wrong?: ProblemLookup;
  at?: string;
};

/** A condition on people: clauses, or the same in words, with the sentence and how many it is about. */
export function ConditionField({ label, value, set, wrong, at = "" }: Props) {
  const [words, setWords] = useState(false);
  const [unread, setUnread] = useState(false);
  const { verdict, stale, query } = useVerdict({ condition: value ?? asGroup(null) });
  const problems = (verdict?.problems ?? []).filter((x) => !unfinished(value, x.pointer));
  const problem: ProblemLookup = (p) =>
    problems.find((x) => x.pointer === `#${p}` || x.pointer.startsWith(`#${p}/`))?.detail ??
    (at ? (wrong?.(`${at}${p}`) ?? wrong?.(`${at}${p}/field`) ?? wrong?.(`${at}${p}/op`) ?? wrong?.(`${at}${p}/value`)) : undefined);
  return (
    <fieldset className="cond stack tight">
      <legend>{label}</legend>
      <div className="row">
        <button
          type="button"
          className="chip"
          data-reads=""
          aria-pressed={!words}
          onClick={() => {
            setWords(false);
            setUnread(false);
          }}
        >
          {text.clauses}
        </button>
        <button type="button" className="chip" data-reads="" aria-pressed={words} onClick={() => setWords(true)}>
          {text.asText}
        </button>
      </div>
      {words ? (
        <SentenceField sentence={verdict?.sentence ?? ""} set={set} unread={setUnread} />
      ) : (
        <ConditionGroup of={asGroup(value)} set={set} about="people" wrong={problem} />
      )}
      {!unread && <ConditionResult of={verdict} problems={problems} stale={stale || query.isPending} failed={query.isError} />}
    </fieldset>
  );
}

/** The clauses of a group, and groups within it. */
export function ConditionGroup({
  of,
  set,
  about,
  wrong,
  at = "",
  drop,
  scripts = true,
  empty = text.noClausesEveryone,
}: {
  of: Group;
  set: (g: Group) => void;
  about: About;
  wrong: ProblemLookup;
  at?: string;
  drop?: () => void;
  /** Whether expressions can be written. */
  scripts?: boolean;
  /** What is said of no clauses that must all be true. */
  empty?: string;
}) {
  const put = (i: number, n: Node | undefined) => set({ ...of, rules: of.rules.flatMap((r, j) => (i !== j ? [r] : n ? [n] : [])) });
  const add = (n: Node) => set({ ...of, rules: [...of.rules, n] });
  const first = firstClause(about);
  return (
    <fieldset className="condition-group">
      <legend className="sr">{at ? text.groupOfClauses : text.clauses}</legend>
      <div className="row">
        <select
          aria-label={text.operator}
          data-reads=""
          value={of.match}
          onChange={(e) => set({ ...of, match: e.target.value as Group["match"] })}
        >
          <option value="all">{text.allOfTheseAreTrue}</option>
          <option value="any">{text.anyOfTheseIsTrue}</option>
          <option value="none">{text.noneOfTheseIsTrue}</option>
        </select>
        {drop && (
          <Button reads tone="quiet" className="icon" aria-label={text.removeThisGroup} onClick={drop}>
            <X aria-hidden size={14} />
          </Button>
        )}
      </div>
      {of.rules.length === 0 && <p className="small muted">{of.match === "all" ? empty : text.noClausesYet}</p>}
      {of.rules.map((n, i) => {
        const here = `${at}/rules/${i}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: clauses have no other name than their place
          <div key={i}>
            {isGroup(n) ? (
              <ConditionGroup
                of={n}
                set={(g) => put(i, g)}
                about={about}
                wrong={wrong}
                at={here}
                drop={() => put(i, undefined)}
                scripts={scripts}
                empty={empty}
              />
            ) : isScript(n) ? (
              <Script
                of={n.expression}
                set={(expression) => put(i, { expression })}
                drop={() => put(i, undefined)}
                wrong={wrong(here)}
                about={about}
              />
            ) : (
              <Clause
                of={n}
                set={(r) => put(i, r)}
                drop={() => put(i, undefined)}
                about={about}
                n={i + 1}
                wrong={wrong(here) ?? undefined}
              />
            )}
          </div>
        );
      })}
      <div className="row">
        <Button reads onClick={() => add(first)}>
          <Plus aria-hidden size={14} /> {text.clause}
        </Button>
        <Button reads tone="quiet" onClick={() => add({ match: "any", rules: [first] })}>
          <Plus aria-hidden size={14} /> {text.group}
        </Button>
        {scripts && (
          <Button
            reads
            tone="quiet"
            onClick={() =>
              add({ expression: about === "people" ? "identity['department'] == ''" : "request['item']['risk_level'] == 'high'" })
            }
          >
            <Plus aria-hidden size={14} /> {text.expression}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

type ScriptProps = { of: string; set: (t: string) => void; drop: () => void; wrong: string | undefined; about: About };

function Script({ of, set, drop, wrong, about }: ScriptProps) {
  return (
    <Removable words={text.removeExpression} drop={drop} wrong={wrong}>
      <textarea
        aria-label={about === "people" ? text.pythonExpressionOverIdentity : text.pythonExpressionOverIdentityAndRequest}
        data-reads=""
        className="mono condition-expression"
        rows={2}
        spellCheck={false}
        value={of}
        aria-invalid={wrong ? true : undefined}
        onChange={(e) => set(e.target.value)}
      />
    </Removable>
  );
}

type SentenceFieldProps = { sentence: string; set: (g: Group) => void; unread: (is: boolean) => void };

/** The condition as a sentence. unread is told whether what is typed cannot be read: it is not what the condition says then. */
function SentenceField({ sentence, set, unread }: SentenceFieldProps) {
  const [typed, setTyped] = useState<string>();
  const { verdict, stale } = useVerdict({ sentence: typed ?? sentence }, typed !== undefined && typed.trim() !== "");
  const form = JSON.stringify(verdict?.normal_form ?? null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was read is taken over once, when it is another
  useEffect(() => {
    if (typed !== undefined && !stale && form !== "null") set(JSON.parse(form) as Group);
  }, [form, stale]);
  const wrong = typed !== undefined && !stale && verdict && !verdict.valid ? verdict.problems : [];
  const bad = wrong.length > 0;
  useEffect(() => unread(bad), [bad, unread]);
  return (
    <div className="field">
      <textarea
        aria-label={text.conditionAsText}
        data-reads=""
        rows={3}
        dir="auto"
        value={typed ?? sentence}
        aria-invalid={bad || undefined}
        placeholder={text.departmentIsNursingOrSurgeryAnd}
        onChange={(e) => setTyped(e.target.value)}
      />
      <small className="muted">{text.joinClausesWithAndOrOr}</small>
      {wrong.map((p) => (
        <small key={p.pointer + p.detail} className="bad" role="alert">
          {p.detail}
          {p.suggestions.length > 0 && text.didYouMeanSuggestions(p.suggestions.join(", "))}
        </small>
      ))}
    </div>
  );
}

type ConditionResultProps = { of: Verdict | undefined; problems: Verdict["problems"]; stale: boolean; failed: boolean };

/** What a condition says and whom it is about now. What is wrong with a clause stands at the clause. */
function ConditionResult({ of, problems, stale, failed }: ConditionResultProps) {
  if (failed) return <p className="small bad">{text.theConditionCannotBeEvaluatedRight}</p>;
  if (!of) return <p className="small muted">{text.evaluating}</p>;
  const general = problems.filter((p) => !/^#\/rules\//.test(p.pointer));
  if (general.length > 0)
    return (
      <ul className="note bad small" role="status">
        {general.map((p) => (
          <li key={p.pointer + p.code}>
            {p.detail}
            {p.suggestions.length > 0 && text.didYouMeanSuggestions(p.suggestions.join(", "))}
          </li>
        ))}
      </ul>
    );
  if (!of.valid)
    return (
      <p className="small muted" role="status">
        {problems.length > 0 ? text.correctTheMarkedClausesToSee : text.completeTheClausesToSeeWho}
      </p>
    );
  const names = of.sample.filter((s) => s.matches).slice(0, 4);
  return (
    <div className="condition-result small" role="status" aria-busy={stale || undefined}>
      <p>
        <q dir="auto">{of.sentence || text.everybody}</q>
      </p>
      <p className="muted">
        {text.matchesOfPeopleMatchNow(<strong>{number(of.matches)}</strong>, of.people)}
        {names.length > 0 && (
          <>
            {text.suchAs}{" "}
            {names.map((s, i) => (
              <span key={s.identity_id}>
                {i > 0 && ", "}
                <Text of={s.display} />
              </span>
            ))}
          </>
        )}
      </p>
      {of.warnings.map((w) => (
        <p key={w.pointer + w.code} className="muted">
          {text.evaluationFailedForPeopleWhichCounts(w.people, w.detail)}
        </p>
      ))}
    </div>
  );
}
