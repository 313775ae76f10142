import { useQuery } from "@tanstack/react-query";
import * as texts from "#text/accounts";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { number } from "../../kit/count";
import { DryRun } from "../../kit/dryrun";
import { PersonById } from "../people/personbyid";
import { loginOf } from "./columns";

const most = 50;

/** An account by its id, as it is called. */
export function Login({ id }: { id: string }) {
  const account = useGet<Of<"AccountDetail">>(`/accounts/${id}`);
  return <bdi>{account.data ? loginOf(account.data) : account.isError ? id : "…"}</bdi>;
}

/** Whom accounts would be linked to: asked of the service, which writes nothing. */
export function LinkTry({ body, names }: { body: object; names: Map<string, string> }) {
  const text = JSON.stringify(body);
  const preview = useQuery({
    queryKey: ["try", "/accounts/bulk-link", text],
    queryFn: ({ signal }) =>
      ask<Of<"BulkLinked">>("POST", "/accounts/bulk-link", { body: { ...JSON.parse(text), dry_run: true, reason: "preview" }, signal }),
    retry: false,
    gcTime: 0,
  });
  return (
    <DryRun of={preview}>
      {(r) => (
        <>
          <p className="small">
            {texts.linkedWillBeAssignedUnchangedAre(number(r.counts.linked), number(r.counts.unchanged), number(r.counts.failed))}
          </p>
          <ul className="small">
            {(r.results ?? []).slice(0, most).map((l) => (
              <li key={l.index} dir="auto">
                <PersonOrId id={l.account_id} names={names} />:{" "}
                {l.status === "failed" ? (
                  <span className="bad">{l.detail ?? l.code}</span>
                ) : (
                  (l.status === "unchanged" ? texts.alreadyBelongsTo : texts.toPerson)(l.identity_id && <PersonById id={l.identity_id} />)
                )}
              </li>
            ))}
            {(r.results ?? []).length > most && <li>{texts.andCountMore(number((r.results ?? []).length - most))}</li>}
          </ul>
        </>
      )}
    </DryRun>
  );
}

function PersonOrId({ id = "", names }: { id?: string | undefined; names: Map<string, string> }) {
  const name = names.get(id);
  return name ? <bdi>{name}</bdi> : <Login id={id} />;
}
