import * as text from "#text/connectors";
import type { Of } from "../../api/types";
import { Verbatim } from "../../kit/elements";

/** The exact requests that are, or would be, sent to a system, with secrets masked. */
export function Requests({ of, label = text.requestDetails }: { of: Of<"PlannedRequest">[]; label?: string }) {
  if (of.length === 0) return null;
  return (
    <div className="stack tight">
      {of.map((r, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: requests come in their order and stay
        <div key={i} className="stack tight">
          {r.note && <p className="small muted">{r.note}</p>}
          <Verbatim label={of.length > 1 ? `${label} ${i + 1}` : label} copy>
            {requestText(r)}
          </Verbatim>
        </div>
      ))}
    </div>
  );
}

/** A request as it goes over the wire. */
export function requestText(r: Of<"PlannedRequest">): string {
  if (r.ldap) return r.ldap.ldif || `dn: ${r.ldap.dn}\nchangetype: ${r.ldap.op}`;
  if (!r.http) return r.note ?? "";
  const head = Object.entries(r.http.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const body =
    r.http.body === undefined || r.http.body === null
      ? []
      : ["", typeof r.http.body === "string" ? r.http.body : JSON.stringify(r.http.body, null, 2)];
  return [`${r.http.method} ${r.http.url}`, ...head, ...body].join("\n");
}
