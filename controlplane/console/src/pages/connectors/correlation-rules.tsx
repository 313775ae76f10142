import * as text from "#text/mappings";
import type { Of } from "../../api/types";
import { Check, Field, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";

type Rule = Of<"CorrelationRule">;
type Condition = Of<"CorrelationCondition">;

const matches = ["exact", "ci_exact", "normalized", "digits", "prefix_8", "trigram>=0.6", "levenshtein<=1"];
const accountFields = ["employee_number", "email", "username", "display_name", "first_name", "last_name"];
const personFields = [...accountFields, "department", "title"];

type Props = { of: Rule[]; set: (rules: Rule[]) => void; wrong: (at: string) => string | undefined; may: boolean };

/** The rules that speak for, or against, a person as the owner of an account. */
export function CorrelationRules({ of: rules, set, wrong, may }: Props) {
  const change = (at: number, more: Partial<Rule>) => set(rules.map((r, i) => (i === at ? { ...r, ...more } : r)));
  return (
    <>
      {rules.map((r, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the id of a rule is typed here
        <section key={i} className="card padded stack tight" aria-label={r.name || r.id}>
          <div className="fields">
            <TextField
              label={text.description}
              value={r.name ?? ""}
              set={(name) => change(i, { name })}
              max={200}
              error={wrong(`${i}/name`)}
            />
            <TextField label={text.id} mono value={r.id} set={(id) => change(i, { id })} required max={64} error={wrong(`${i}/id`)} />
            {!r.veto && (
              <Field label={text.weight} hint={text.n0To1HowStronglyA} error={wrong(`${i}/weight`)}>
                {(id, described) => (
                  <input
                    id={id}
                    type="number"
                    min={0}
                    max={1}
                    step="any"
                    value={r.weight ?? ""}
                    aria-describedby={described}
                    onChange={(e) => change(i, { weight: Number(e.target.value) })}
                  />
                )}
              </Field>
            )}
          </div>
          <Check
            label={text.ruleOutThePersonIfThe}
            value={r.veto ?? false}
            set={(veto) => set(rules.map((x, at) => (at === i ? vetoed(x, veto) : x)))}
          />
          {(r.conditions ?? []).map((c, k) => (
            <OneCondition
              // biome-ignore lint/suspicious/noArrayIndexKey: conditions have nothing else
              key={k}
              of={c}
              set={(to) => change(i, { conditions: replaced(r.conditions ?? [], k, to) })}
              wrong={(at) => wrong(`${i}/conditions/${k}/${at}`)}
              removable={may && (r.conditions ?? []).length > 1}
            />
          ))}
          {may && (
            <div className="row">
              <Button onClick={() => change(i, { conditions: [...(r.conditions ?? []), { source: "", identity: "", match: "exact" }] })}>
                {text.addACondition}
              </Button>
              <Button tone="quiet" onClick={() => set(rules.filter((_, at) => at !== i))}>
                {text.removeRule}
              </Button>
            </div>
          )}
        </section>
      ))}
      {rules.length === 0 && <p className="muted">{text.noRulesOnlyTheOwnerThat}</p>}
      {may && (
        <div>
          <Button
            onClick={() =>
              set([
                ...rules,
                { id: `rule_${rules.length + 1}`, name: "", weight: 0.8, conditions: [{ source: "", identity: "", match: "exact" }] },
              ])
            }
          >
            {text.addARule}
          </Button>
        </div>
      )}
    </>
  );
}

function vetoed(r: Rule, veto: boolean): Rule {
  const { weight, veto: _, ...rest } = r;
  return veto ? { ...rest, veto: true } : { ...rest, weight: weight ?? 0.8 };
}

const replaced = (of: Condition[], at: number, to: Condition | undefined) => of.flatMap((c, i) => (i === at ? (to ? [to] : []) : [c]));

function OneCondition({
  of: c,
  set,
  wrong,
  removable,
}: {
  of: Condition;
  set: (c: Condition | undefined) => void;
  wrong: (at: string) => string | undefined;
  removable: boolean;
}) {
  return (
    <div className="fields">
      <TextField
        label={text.accountField}
        mono
        value={c.source}
        set={(source) => set({ ...c, source })}
        suggestions={accountFields}
        required
        error={wrong("source")}
      />
      <TextField
        label={text.personField}
        mono
        value={c.identity}
        set={(identity) => set({ ...c, identity })}
        suggestions={personFields}
        required
        error={wrong("identity")}
      />
      <TextField
        label={text.comparison}
        mono
        value={c.match}
        set={(match) => set({ ...c, match })}
        suggestions={matches}
        required
        error={wrong("match")}
      />
      {removable && (
        <div>
          <Button tone="quiet" onClick={() => set(undefined)}>
            {text.removeCondition}
          </Button>
        </div>
      )}
    </div>
  );
}
