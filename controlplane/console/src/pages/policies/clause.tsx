import { useEffect, useState } from "react";
import * as text from "#text/policies";
import { useGet } from "../../api/use";
import { access, Pick, type Picked, people, roles } from "../../kit/pick";
import { type About, kindOf, opsOf, opWords, type Rule, termOf, typedAs, vocabulary, withField, withOperator } from "./language";
import { Removable } from "./removable";

type Props = { of: Rule; set: (r: Rule) => void; drop: () => void; about: About; wrong: string | undefined; n: number };

/** One clause: what is asked for, how it is compared, and with what. */
export function Clause({ of, set, drop, about, wrong, n }: Props) {
  const field = of.field ?? of.op;
  const custom = /^(attributes|labels)\./.test(field);
  const kind = kindOf(of);
  return (
    <Removable words={text.removeClauseN(n)} drop={drop} wrong={wrong}>
      <select
        aria-label={text.clauseNField(n)}
        data-reads=""
        value={custom ? `${field.split(".")[0]}.` : field}
        onChange={(e) => set(e.target.value.endsWith(".") ? { field: e.target.value, op: "eq", value: "" } : withField(of, e.target.value))}
      >
        {vocabulary(about).map(([words, terms]) => (
          <optgroup key={words} label={words}>
            {terms.map((t) => (
              <option key={t.name} value={t.name}>
                {t.words}
              </option>
            ))}
          </optgroup>
        ))}
        <optgroup label={text.moreFields}>
          <option value="attributes.">{text.customAttribute}</option>
          <option value="labels.">{text.label}</option>
          <option value="has_role">{text.role}</option>
          <option value="has_entitlement">{text.entitlement}</option>
        </optgroup>
        {!custom &&
          of.field !== undefined &&
          termOf(field).words === field &&
          !vocabulary(about).some(([, t]) => t.some((x) => x.name === field)) && <option value={field}>{field}</option>}
      </select>
      {custom && (
        <input
          aria-label={field.startsWith("labels") ? text.clauseNNameOfTheLabel(n) : text.clauseNNameOfTheAttribute(n)}
          data-reads=""
          className="mono"
          placeholder={text.nameLower}
          value={field.replace(/^\w+\./, "")}
          onChange={(e) => set({ ...of, field: `${field.split(".")[0]}.${e.target.value.trim()}` })}
        />
      )}
      <select aria-label={text.clauseNOperator(n)} data-reads="" value={of.op} onChange={(e) => set(withOperator(of, e.target.value))}>
        {[...new Set([...opsOf(kind), of.op])].map((op) => (
          <option key={op} value={op}>
            {opWords[op] ?? op}
          </option>
        ))}
      </select>
      <Value of={of} set={(value) => set({ ...of, value })} n={n} bad={Boolean(wrong)} />
    </Removable>
  );
}

function Value({ of, set, n, bad }: { of: Rule; set: (v: unknown) => void; n: number; bad: boolean }) {
  const kind = kindOf(of);
  const label = text.clauseNValue(n);
  const { among } = termOf(of.field ?? "");
  if (of.op === "exists" || kind === "flag")
    return (
      <select aria-label={label} data-reads="" value={String(of.value)} onChange={(e) => set(e.target.value === "true")}>
        <option value="true">{text.yes}</option>
        <option value="false">{text.no}</option>
      </select>
    );
  if (kind === "role" || kind === "access" || kind === "tree") return <PersonField of={of} set={set} label={label} />;
  if (of.op === "in" || of.op === "not_in") return <MultiValueField of={of} set={set} label={label} bad={bad} />;
  if (among.length)
    return (
      <select aria-label={label} data-reads="" value={String(of.value ?? "")} onChange={(e) => set(e.target.value)}>
        <option value="">{text.select}</option>
        {among.map((v) => (
          <option key={v} value={v}>
            {v.replaceAll("_", " ")}
          </option>
        ))}
      </select>
    );
  const day = kind === "date" || kind === "moment";
  return (
    <input
      aria-label={label}
      data-reads=""
      dir="auto"
      placeholder={day ? "2026-03-01, today, -P30D" : ""}
      aria-invalid={bad || undefined}
      value={String(of.value ?? "")}
      onChange={(e) => set(typedAs(kind, e.target.value))}
    />
  );
}

function MultiValueField({ of, set, label, bad }: { of: Rule; set: (v: unknown) => void; label: string; bad: boolean }) {
  const kind = kindOf(of);
  const [typed, setTyped] = useState(() => (Array.isArray(of.value) ? of.value.join("\n") : String(of.value ?? "")));
  const lines = (t: string) =>
    t
      .split("\n")
      .map((l) => l.trim())
      .filter(Boolean)
      .map((l) => typedAs(kind, l));
  const kept = JSON.stringify(of.value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another clause may have taken this place; what is typed counts otherwise
  useEffect(() => {
    if (JSON.stringify(lines(typed)) !== kept && Array.isArray(of.value)) setTyped(of.value.join("\n"));
  }, [kept]);
  return (
    <textarea
      aria-label={text.labelOnePerLine(label)}
      data-reads=""
      dir="auto"
      rows={Math.min(6, Math.max(2, typed.split("\n").length))}
      placeholder={text.onePerLine}
      aria-invalid={bad || undefined}
      value={typed}
      onChange={(e) => {
        setTyped(e.target.value);
        set(lines(e.target.value));
      }}
    />
  );
}

const sources = {
  role: { of: roles, at: "/entitlements/roles/" },
  access: { of: access, at: "/entitlements/" },
  tree: { of: people, at: "/identities/" },
};

function PersonField({ of, set, label }: { of: Rule; set: (v: unknown) => void; label: string }) {
  const kind = kindOf(of) as keyof typeof sources;
  const id = Array.isArray(of.value) ? String(of.value[0] ?? "") : String(of.value ?? "");
  const known = useGet<{ name?: string; display_name?: string | null }>(`${sources[kind].at}${id}`, {}, { enabled: id !== "" });
  const value: Picked | null = id ? { id, words: known.data?.display_name || known.data?.name || id } : null;
  return (
    <div className="condition-field">
      <Pick label={label} source={sources[kind].of as typeof people} value={value} set={(p) => set(p?.id ?? "")} />
    </div>
  );
}
