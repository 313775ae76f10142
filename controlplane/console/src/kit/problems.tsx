import { useLayoutEffect, useRef, useState } from "react";
import * as text from "#text/kit";
import { Refusal } from "../api/session";
import { type AtField, memberWords, split } from "./problemtext";

/**
 * What was refused, above the buttons of a form. What stands at its field is not said again: the field is named, and leads to it. What has no
 * field here is said whole, with the request to quote.
 */
export function Problems({ of }: { of: unknown }) {
  const box = useRef<HTMLDivElement>(null);
  const fields = useFields(box, of);
  if (!of) return null;
  const r = of instanceof Refusal ? of : new Refusal(0, "", of instanceof Error ? of.message : String(of));
  const { placed, rest } = split(r.errors, fields);
  // Beside fields that need attention, that something is invalid says nothing more.
  const said = placed.some((f) => r.code === "validation_failed" || f.words === r.message);
  return (
    <div className="problem-list small" role="alert" ref={box}>
      {!said && <p>{r.message}</p>}
      {placed.length > 0 && (
        <p>
          {text.fieldsNeedAttention(placed.length)}{" "}
          {placed.map((f, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: fields may be called alike
            <span key={i}>
              {i > 0 && ", "}
              <button type="button" data-reads="" onClick={f.go}>
                {f.label}
              </button>
            </span>
          ))}
        </p>
      )}
      {rest.length > 0 && (
        <ul>
          {rest.map((w) => (
            <li key={`${w.pointer ?? w.parameter}${w.detail}`}>
              {memberWords(w)}: {w.detail}
            </li>
          ))}
        </ul>
      )}
      {r.requestId && <p className="faint">{text.requestRequest(<code>{r.requestId}</code>)}</p>}
    </div>
  );
}

type Found = AtField & { go: () => void };

/** The fields of the form, or of the page without one, at which something wrong stands. They are read as they are drawn: any field counts, whatever it is made of. */
function useFields(box: React.RefObject<HTMLElement | null>, of: unknown): Found[] {
  const [fields, setFields] = useState<Found[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another refusal stands at other fields
  useLayoutEffect(() => {
    const marks = box.current?.closest("form,[role=dialog],main")?.querySelectorAll<HTMLElement>("[data-wrong]") ?? [];
    setFields([...marks].flatMap(fieldOf));
  }, [of]);
  return fields;
}

function fieldOf(mark: HTMLElement): Found[] {
  const field = mark.closest(".field,fieldset");
  const label = field?.querySelector("label,legend,.field-label")?.textContent?.replace(/\s*\(\d+\)$/, "");
  const control = field?.querySelector<HTMLElement>("input,select,textarea,button");
  if (!label || !control) return [];
  // It is read out once: by what counts it.
  mark.removeAttribute("role");
  return [{ words: mark.textContent ?? "", label, go: () => control.focus() }];
}
