import { useQuery } from "@tanstack/react-query";
import * as text from "#text/mappings";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { number } from "../../kit/count";
import { useDebounced } from "../../kit/debounce";
import { Failure, Note, Skeleton, Table, Text } from "../../kit/kit";
import { countOf, type Kind } from "./kinds";

type Rule = { object: Kind; source_path: string; target_field: string; transform: string };

/** What comes of a mapping on real records, half a second after the last key. */
export function MappingPreview({ of: connector, rule }: { of: string; rule: Rule }) {
  const typed = JSON.stringify(rule);
  const rested = useDebounced(typed, 500);
  const asked = JSON.parse(rested) as Rule;
  const preview = useQuery({
    queryKey: ["trial", connector, asked],
    queryFn: ({ signal }) => {
      const { transform, ...rest } = asked;
      const body = { sample: 5, objects: [rest.object], mappings: [transform ? { ...rest, transform } : rest] };
      return ask<Of<"MappingPreview">>("POST", `/connectors/${connector}/mappings/preview`, { body, signal });
    },
    placeholderData: (was) => was,
    retry: false,
    staleTime: 60_000,
  });
  if (preview.isError) return <Failure error={preview.error} />;
  if (!preview.data) return <Skeleton rows={3} />;
  if (preview.data.error) return <Note tone="bad">{preview.data.error.message}</Note>;
  const rows = preview.data.rows.filter((r) => r.object === asked.object).slice(0, 5);
  return (
    <>
      <Table label={text.result} stale={preview.isPlaceholderData || typed !== rested}>
        <thead>
          <tr>
            <th scope="col">{text.record}</th>
            <th scope="col">{text.sourceValue}</th>
            <th scope="col">{text.mappedValue}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r, i) => {
            const wrong = r.errors.find((e) => e.source_path === asked.source_path);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: two grants may have one name
              <tr key={i}>
                <td>
                  <code>{r.external_id}</code>
                </td>
                <td>
                  <Text of={previewValue(r.before[asked.source_path])} none={text.empty} />
                </td>
                <td className={wrong ? "bad connectors-cell" : "connectors-cell"}>
                  {wrong ? wrong.message : <Text of={previewValue(after(r.after, asked.target_field))} none={text.empty} />}
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {preview.data.findings
        .filter((f) => f.source_path === asked.source_path || f.target_field === asked.target_field)
        .map((f) => (
          <Note key={f.check} tone="warn">
            {text.countOfCountOfDetail(number(f.count), countOf(f.of, f.object), f.detail)}
          </Note>
        ))}
    </>
  );
}

/** The value of one of our fields, or of an attribute of one's own. */
function after(of: Record<string, unknown>, field: string): unknown {
  if (!field.startsWith("attributes.")) return of[field];
  const attributes = of.attributes as Record<string, unknown> | undefined;
  return attributes?.[field.slice("attributes.".length)];
}

/** A value as text: lists and objects as JSON. */
export function previewValue(of: unknown): string {
  if (of === null || of === undefined) return "";
  return typeof of === "string" ? of : JSON.stringify(of);
}
