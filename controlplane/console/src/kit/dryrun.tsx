import * as texts from "#text/kit";
import "./diff.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue } from "react";
import { ask } from "../api/client";
import { Problems, Skeleton } from "./kit";

/** What an action would do: asked of the service with dry_run, which writes nothing. Asked again when what is sent changes. */
export function useDryRun<T>(path: string, body: object, on: boolean) {
  const text = useDeferredValue(JSON.stringify(body));
  return useQuery({
    queryKey: ["try", path, text],
    queryFn: ({ signal }) => ask<T>("POST", path, { query: { dry_run: true }, body: JSON.parse(text) as object, signal }),
    enabled: on,
    retry: false,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
}

/** Where it is shown: the space is there before the answer is. */
export function DryRun<T>({
  of,
  children,
}: {
  of: { data?: T | undefined; error: unknown; isPending: boolean };
  children: (told: T) => ReactNode;
}) {
  return (
    <section className="tried stack tight" aria-label={texts.previewOfTheChanges} aria-live="polite">
      <h3 className="small">{texts.previewOfTheChanges}</h3>
      {of.error ? <Problems of={of.error} /> : of.data !== undefined ? children(of.data) : of.isPending ? <Skeleton rows={2} /> : null}
    </section>
  );
}
