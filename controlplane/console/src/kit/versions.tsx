import { type ReactNode, useState } from "react";
import * as text from "#text/kit";
import type { Page } from "../api/client";
import { useGet } from "../api/use";
import { Verbatim } from "./elements";
import { Button, Failure, Part, Skeleton, Text, When } from "./kit";

type Version = { version: number; changed_by?: unknown; changed_at: string; content?: unknown };

/** What something has said before, and by whom: path is its list of versions, and says tells one in words. */
export function Versions<T extends Version>({ path, lead, says }: { path: string; lead: string; says: (v: T) => ReactNode }) {
  const [open, setOpen] = useState<number>();
  const all = useGet<Page<T>>(path, { limit: 100 });
  return (
    <Part title={text.versions} lead={lead}>
      {all.isError ? (
        <Failure error={all.error} retry={() => void all.refetch()} />
      ) : !all.data ? (
        <Skeleton rows={2} />
      ) : (
        <ul className="stack tight">
          {all.data.items.map((v) => (
            <li key={v.version} className="card padded stack tight">
              <div className="row between">
                <span className="small">
                  <strong>{text.versionVersion(v.version)}</strong> <Text of={who(v.changed_by)} />{" "}
                  <span className="muted">
                    <When at={v.changed_at} />
                  </span>
                </span>
                <Button
                  reads
                  tone="quiet"
                  aria-expanded={open === v.version}
                  onClick={() => setOpen(open === v.version ? undefined : v.version)}
                >
                  {open === v.version ? text.hide : text.showAll}
                </Button>
              </div>
              <div className="small muted" dir="auto">
                {says(v)}
              </div>
              {open === v.version && (
                <Verbatim label={text.versionVersionText(v.version)} copy>
                  {JSON.stringify(v.content, null, 2)}
                </Verbatim>
              )}
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

/** Whoever changed something, by name. */
function who(by: unknown): string {
  const actor = (by ?? {}) as { display?: string; name?: string; email?: string; type?: string };
  return actor.display || actor.name || actor.email || actor.type || "";
}
