import { useEffect, useRef, useState } from "react";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import type { Kind } from "../connectors/kinds";
import { decided, duplicates, objectsOf, type Rule, sentOf } from "./rules";

export type Preview = Of<"MappingPreview">;
export type Row = Of<"Row">;

/** What rules make of a few records of the target. tried are the rules that it is about, by key; wrong, by key, cannot be used as they are. */
export type TransformPreview = {
  preview: Preview | undefined;
  tried: Map<string, string>;
  wrong: Map<string, string>;
  busy: boolean;
  refused: unknown;
};

const idle = 900; // milliseconds after the last change until records are read again: each trial asks the target
const sample = 5;

/** How a rule is written: another writing asks for another trial. */
export const written = (r: Rule) => `${r.ignored}|${r.target.trim()}|${r.transform.trim()}`;

/**
 * Tries the rules on records of the target whenever they have rested for a moment. Records of kinds are read, and of entitlements and grants
 * also where a rule fills one of their fields.
 */
export function useMappingPreview(id: string, rules: Rule[], kinds: Kind[]): TransformPreview {
  const [trial, setTrial] = useState<TransformPreview>({
    preview: undefined,
    tried: new Map(),
    wrong: new Map(),
    busy: true,
    refused: undefined,
  });
  const first = useRef(true);
  const signature = [...kinds, ...rules.map(written)].join("\n");
  const now = useRef({ rules, kinds });
  now.current = { rules, kinds };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is written is what is tried
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(
      async () => {
        setTrial((was) => ({ ...was, busy: true, refused: undefined }));
        try {
          const next = await attempt(id, now.current.rules, now.current.kinds, stop.signal);
          if (!stop.signal.aborted) setTrial(next);
        } catch (refused) {
          if (!stop.signal.aborted) setTrial((was) => ({ ...was, busy: false, refused }));
        }
      },
      first.current ? 0 : idle,
    );
    first.current = false;
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [id, signature]);
  return trial;
}

async function attempt(id: string, rules: Rule[], kinds: Kind[], signal: AbortSignal): Promise<TransformPreview> {
  const twice = duplicates(rules);
  const wrong = new Map<string, string>();
  let usable = rules.filter((r) => decided(r) && !twice.has(r.key));
  // Each round leaves out what the service says cannot be used, so that the others are tried all the same.
  for (let round = 0; ; round++) {
    try {
      const preview = await ask<Preview>("POST", `/connectors/${id}/mappings/preview`, {
        body: { sample, objects: objectsOf(usable, kinds), mappings: sentOf(usable) },
        signal,
      });
      return { preview, tried: new Map(rules.map((r) => [r.key, written(r)])), wrong, busy: false, refused: undefined };
    } catch (e) {
      const bad = e instanceof Refusal ? problemsByRule(e, usable) : new Map<string, string>();
      if (round > 2 || bad.size === 0) throw e;
      for (const [key, why] of bad) wrong.set(key, why);
      usable = usable.filter((r) => !bad.has(r.key));
    }
  }
}

/** What a refusal says is wrong with which of the rules that were sent. */
export function problemsByRule(e: Refusal, sent: Rule[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const w of e.errors) {
    const at = /^#\/mappings\/(\d+)/.exec(w.pointer ?? "");
    const rule = at && sent[Number(at[1])];
    if (rule) out.set(rule.key, w.detail);
  }
  return out;
}

type Verdict = Of<"TransformVerdict">;

/** What a transform makes of one record while it is written, 300 ms after the last key: by the interpreter that the sync uses. */
export function useTransformPreview(expression: string, value: unknown, record: unknown, on: boolean) {
  const [told, setTold] = useState<{ expression: string; value?: unknown; error?: string | undefined }>();
  const given = useRef({ value, record });
  given.current = { value, record };
  useEffect(() => {
    if (!on || !expression.trim()) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const v = await ask<Verdict>("POST", "/connectors/transforms/validate", {
          body: { expression, samples: [given.current] },
          signal: stop.signal,
        });
        const r = v.results[0];
        setTold({ expression, value: r?.value, error: v.error ?? r?.error ?? undefined });
      } catch (e) {
        if (!stop.signal.aborted) setTold({ expression, error: e instanceof Error ? e.message : String(e) });
      }
    }, 300);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [expression, on]);
  return told?.expression === expression ? told : undefined;
}
