import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ask } from "../../api/client";
import type { Connector, Of } from "../../api/types";
import { useAct } from "../../api/use";
import { AskFirst } from "../../kit/dialog";
import { SelectField, TextField } from "../../kit/form";
import { Failure, Note, Skeleton, Table, Text } from "../../kit/kit";
import { TargetField } from "./target-fields";

type Props = { of: Connector; mapping: Of<"ConnectorMapping">; version: number; fields: Of<"TargetFields">; close: () => void };

/** Changes what becomes of one field, with what would come of it on a few real records. */
export function EditMapping({ of: c, mapping: m, version, fields, close }: Props) {
  const [action, setAction] = useState<"map" | "ignore">(m.action);
  const [target, setTarget] = useState(m.target_field ?? "");
  const [transform, setTransform] = useState(m.transform ?? "");
  const save = useAct({
    act: (_, key) =>
      ask("PATCH", `/connectors/${c.id}/mappings/${m.id}`, {
        key,
        ifMatch: version,
        body: action === "ignore" ? { action } : { action, target_field: target, transform: transform || null },
      }),
    changes: [`/connectors/${c.id}`],
    done: "Saved. The next run reads everything.",
    quiet: true,
  });
  return (
    <AskFirst
      open
      wide
      close={close}
      title={
        <>
          Change what becomes of <code>{m.source_path}</code>
        </>
      }
      verb="Save"
      disabled={action === "map" && !target}
      act={() => save.mutateAsync()}
    >
      <SelectField
        label="What is done with it"
        value={action}
        set={setAction}
        options={
          [
            ["map", "It fills a field of ours"],
            ["ignore", "It is ignored"],
          ] as const
        }
      />
      {action === "map" && (
        <>
          <TargetField of={fields} object={m.object} value={target} set={setTarget} />
          <TextField
            label="Transform"
            mono
            rows={2}
            value={transform}
            set={setTransform}
            max={4096}
            hint="A Python expression of value and record, such as value.strip().lower(). Empty: the value as it is."
          />
          {target && target !== "attributes." && (
            <Trial of={c.id} rule={{ object: m.object, source_path: m.source_path, target_field: target, transform }} />
          )}
        </>
      )}
    </AskFirst>
  );
}

type Rule = { object: "identity" | "account"; source_path: string; target_field: string; transform: string };

/** What comes of a mapping on real records, half a second after the last key. */
export function Trial({ of: connector, rule }: { of: string; rule: Rule }) {
  const [asked, setAsked] = useState(rule);
  const typed = JSON.stringify(rule);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(JSON.parse(typed) as Rule), 500);
    return () => clearTimeout(timer);
  }, [typed]);
  const tried = useQuery({
    queryKey: ["trial", connector, asked],
    queryFn: ({ signal }) => {
      const { transform, ...rest } = asked;
      const body = { sample: 5, mappings: [transform ? { ...rest, transform } : rest] };
      return ask<Of<"MappingPreview">>("POST", `/connectors/${connector}/mappings/preview`, { body, signal });
    },
    placeholderData: (was) => was,
    retry: false,
    staleTime: 60_000,
  });
  if (tried.isError) return <Failure error={tried.error} />;
  if (!tried.data) return <Skeleton rows={3} />;
  if (tried.data.error) return <Note tone="bad">{tried.data.error.message}</Note>;
  const rows = tried.data.rows.filter((r) => r.object === asked.object).slice(0, 5);
  return (
    <>
      <Table label="What comes of it" stale={tried.isPlaceholderData || typed !== JSON.stringify(asked)}>
        <thead>
          <tr>
            <th scope="col">Record</th>
            <th scope="col">In the source</th>
            <th scope="col">Here</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((r) => {
            const wrong = r.errors.find((e) => e.source_path === asked.source_path);
            return (
              <tr key={r.external_id}>
                <td>
                  <code>{r.external_id}</code>
                </td>
                <td>
                  <Text of={shown(r.before[asked.source_path])} none="empty" />
                </td>
                <td className={wrong ? "bad connectors-tall" : "connectors-tall"}>
                  {wrong ? wrong.message : <Text of={shown(after(r.after, asked.target_field))} none="empty" />}
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {tried.data.findings
        .filter((f) => f.source_path === asked.source_path || f.target_field === asked.target_field)
        .map((f) => (
          <Note key={f.check} tone="warn">
            {f.detail}
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
export function shown(of: unknown): string {
  if (of === null || of === undefined) return "";
  return typeof of === "string" ? of : JSON.stringify(of);
}
