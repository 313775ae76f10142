import { Plus, X } from "lucide-react";
import * as texts from "#text/webhooks";
import type { Of } from "../../api/types";
import { SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";

type Filter = Of<"Filter">;
type Rule = Of<"Rule">;
/** A rule as it is typed: its value is text until it is sent. */
export type Typed = { match: Filter["match"]; rules: { field: string; op: Rule["op"]; text: string }[] };

const ops = [
  ["eq", texts.is],
  ["ne", texts.isNot],
  ["in", texts.isOneOf],
  ["not_in", texts.isNoneOf],
  ["contains", texts.contains],
  ["starts_with", texts.startsWith],
  ["exists", texts.exists],
  ["gt", texts.isMoreThan],
  ["lt", texts.isLessThan],
] as const;

/** A filter as it is typed. */
export const typedOf = (f: Filter | null | undefined): Typed => ({
  match: f?.match ?? "all",
  rules: (f?.rules ?? []).map((r) => ({
    field: r.field,
    op: r.op,
    text: Array.isArray(r.value) ? r.value.join(", ") : String(r.value ?? ""),
  })),
});

/** A filter as it is sent; null where there are no rules. */
export function filterOf(t: Typed): Filter | null {
  if (t.rules.length === 0) return null;
  return { match: t.match, rules: t.rules.map((r) => ({ field: r.field.trim(), op: r.op, value: sentValue(r.op, r.text) })) };
}

function sentValue(op: Rule["op"], text: string): unknown {
  if (op === "exists") return text.trim() !== "false";
  if (op === "in" || op === "not_in")
    return text
      .split(",")
      .map((t) => scalar(t.trim()))
      .filter((t) => t !== "");
  return scalar(text.trim());
}

const scalar = (t: string): string | number | boolean =>
  t === "true" ? true : t === "false" ? false : /^-?\d+(\.\d+)?$/.test(t) ? Number(t) : t;

/** Which of the events are sent: rules about what they say. */
export function FilterFields({
  value,
  set,
  wrong,
}: {
  value: Typed;
  set: (t: Typed) => void;
  wrong: (pointer: string) => string | undefined;
}) {
  const change = (i: number, more: Partial<Typed["rules"][number]>) =>
    set({ ...value, rules: value.rules.map((r, n) => (n === i ? { ...r, ...more } : r)) });
  return (
    <fieldset className="webhooks-filter stack tight">
      <legend>{texts.filter}</legend>
      {value.rules.length > 1 && (
        <SelectField
          label={texts.match}
          value={value.match}
          set={(match: Filter["match"]) => set({ ...value, match })}
          options={[
            ["all", texts.allRules],
            ["any", texts.anyRule],
          ]}
        />
      )}
      {value.rules.map((r, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rules stay in their order
        <div key={i} className="webhooks-rule">
          <TextField
            label={texts.fieldOfData}
            mono
            value={r.field}
            set={(field) => change(i, { field })}
            required
            error={wrong(`filter/rules/${i}/field`)}
          />
          <SelectField label={texts.operator} value={r.op} set={(op: Rule["op"]) => change(i, { op })} options={ops} />
          <TextField
            label={texts.value}
            mono
            value={r.text}
            set={(text) => change(i, { text })}
            error={wrong(`filter/rules/${i}/value`)}
            {...(r.op === "in" || r.op === "not_in"
              ? { placeholder: texts.aB }
              : r.op === "exists"
                ? { placeholder: texts.trueOrFalse }
                : {})}
          />
          <Button
            tone="quiet"
            className="icon"
            aria-label={texts.removeRuleI(i + 1)}
            onClick={() => set({ ...value, rules: value.rules.filter((_, n) => n !== i) })}
          >
            <X aria-hidden size={14} />
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => set({ ...value, rules: [...value.rules, { field: "", op: "eq", text: "" }] })}>
          <Plus aria-hidden size={14} /> {texts.addRule}
        </Button>
      </div>
    </fieldset>
  );
}
