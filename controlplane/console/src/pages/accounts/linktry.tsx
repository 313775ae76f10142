import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { Tried } from "../../kit/tryfirst";
import { Somebody } from "../people/somebody";

const most = 50;

/** Whom accounts would be linked to: asked of the service, which writes nothing. */
export function LinkTry({ body, names }: { body: object; names: Map<string, string> }) {
  const text = JSON.stringify(body);
  const tried = useQuery({
    queryKey: ["try", "/accounts/bulk-link", text],
    queryFn: ({ signal }) =>
      ask<Of<"BulkLinked">>("POST", "/accounts/bulk-link", { body: { ...JSON.parse(text), dry_run: true, reason: "preview" }, signal }),
    retry: false,
    gcTime: 0,
  });
  return (
    <Tried of={tried}>
      {(r) => (
        <>
          <p className="small">
            {r.counts.linked} would be linked, {r.counts.unchanged} are already, {r.counts.failed} cannot be.
          </p>
          <ul className="small">
            {(r.results ?? []).slice(0, most).map((l) => (
              <li key={l.index} dir="auto">
                <bdi>{names.get(l.account_id ?? "") ?? l.account_id}</bdi>:{" "}
                {l.status === "failed" ? (
                  <span className="bad">{l.detail ?? l.code}</span>
                ) : (
                  <>
                    {l.status === "unchanged" ? "is already of " : "to "}
                    {l.identity_id && <Somebody id={l.identity_id} />}
                  </>
                )}
              </li>
            ))}
            {(r.results ?? []).length > most && <li>and {(r.results ?? []).length - most} more</li>}
          </ul>
        </>
      )}
    </Tried>
  );
}
