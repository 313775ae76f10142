import { ArrowRight, EyeOff } from "lucide-react";
import { memo } from "react";
import * as text from "#text/wizard";
import { Badge } from "../../kit/kit";
import { optional } from "../connectors/kinds";
import { masked } from "./fields";
import { foundBy, type Rule, sampleText, valueIn } from "./rules";
import { type Row, useTransformPreview, written } from "./transformpreview";

type Props = {
  of: Rule;
  record: Row | undefined;
  /** How the rule was written when the record was tried. */
  tried: string | undefined;
  wrong: string | undefined;
  twice: boolean;
  change: (key: string, more: Partial<Rule>) => void;
  list: string;
};

const tone = { "": "warn", manual: "info", type_shape: "info", vendor_template: "info", copied: "info" } as const;

/** One field of the source: what it fills, how, and what comes of it on a real record. */
export const MapRow = memo(function MapRow({ of: r, record, tried, wrong, twice, change, list }: Props) {
  const name = r.field.name;
  const raw = valueIn(record?.before, name);
  const result = useResult(r, record, tried, raw);
  const error = twice ? text.anotherFieldIsAlreadyMappedTo(r.target) : (wrong ?? result.error);
  const id = `wrong-${r.key}`;
  const open = !r.ignored && !r.target.trim();
  const free = open && optional(r.object);
  return (
    <tr data-ignored={r.ignored || undefined}>
      <td className="wizard-source">
        <code>
          <bdi>{name}</bdi>
        </code>
        <div className="small muted">
          {masked(r.field) ? (
            <span className="row">
              <EyeOff aria-hidden size={12} /> {text.notShown}
            </span>
          ) : (
            <bdi>{sampleText(record ? raw : r.field.samples?.[0]).slice(0, 80) || "–"}</bdi>
          )}
        </div>
      </td>
      <td>
        <ArrowRight aria-hidden size={14} className="faint" />
      </td>
      <td>
        <input
          type="text"
          list={list}
          value={r.ignored ? "" : r.target}
          placeholder={r.ignored ? text.ignoredLower : free ? text.notMappedLower : text.selectOrType}
          aria-label={text.targetFieldOfName(name)}
          aria-invalid={twice || undefined}
          aria-describedby={error ? id : undefined}
          disabled={r.ignored}
          maxLength={100}
          spellCheck={false}
          onChange={(e) => change(r.key, { target: e.target.value, found: "manual", note: "" })}
        />
      </td>
      <td>
        {r.ignored ? (
          <Badge>{text.ignored}</Badge>
        ) : free ? (
          <Badge>{text.notMapped}</Badge>
        ) : (
          <Badge tone={open ? "warn" : ((tone as Record<string, "warn" | "info">)[r.found] ?? "ok")}>
            {open ? text.noMatch : foundBy(r.found)}
          </Badge>
        )}
        {r.note && <div className="small muted">{r.note}</div>}
        {r.also.length > 0 && !r.ignored && (
          <div className="small muted">{text.alsoMappedToAlso(r.also.map((m) => m.target_field).join(", "))}</div>
        )}
      </td>
      <td>
        <input
          type="text"
          className="wizard-transform"
          value={r.transform}
          placeholder={text.value}
          aria-label={text.transformOfNameInPython(name)}
          aria-invalid={Boolean(error && !twice) || undefined}
          aria-describedby={error ? id : undefined}
          disabled={r.ignored || open}
          maxLength={4096}
          spellCheck={false}
          autoCapitalize="off"
          onChange={(e) => change(r.key, { transform: e.target.value, found: "manual" })}
        />
        {error && (
          <div id={id} className="small bad" role="alert" dir="auto">
            {error}
          </div>
        )}
      </td>
      <td className="wizard-result" aria-label={text.resultOfName(name)}>
        {result.waiting ? <span className="faint">…</span> : error ? <span className="faint">–</span> : <bdi>{result.text || "–"}</bdi>}
      </td>
      <td>
        <input
          type="checkbox"
          role="switch"
          className="wizard-switch"
          checked={r.ignored}
          aria-checked={r.ignored}
          aria-label={text.ignoreName(name)}
          onChange={(e) => change(r.key, { ignored: e.target.checked })}
        />
      </td>
    </tr>
  );
});

/** What comes of the rule: as the whole was tried last; while it is written, what the transform alone makes of the record. */
function useResult(
  r: Rule,
  record: Row | undefined,
  tried: string | undefined,
  raw: unknown,
): { text: string; waiting?: boolean; error?: string | undefined } {
  const open = r.ignored || !r.target.trim();
  const fresh = tried === written(r);
  const transformPreview = useTransformPreview(r.transform, raw, record?.before, !open && !fresh);
  if (open) return { text: "" };
  if (fresh && record) {
    const wrong = record.errors.find((e) => e.source_path === r.field.name);
    if (wrong) return { text: "", error: wrong.message };
    const filled = Object.entries(record.from).find(([, source]) => source === r.field.name)?.[0] ?? r.target.trim();
    return { text: sampleText(valueIn(record.after, filled)) };
  }
  if (!r.transform.trim()) return { text: sampleText(raw) };
  return transformPreview ? { text: sampleText(transformPreview.value), error: transformPreview.error } : { text: "", waiting: true };
}
