import type { Of } from "../../api/types";
import { Verbatim } from "../../kit/elements";

type Detail = Of<"ErrorDetail">;

/** What failed, in a sentence, what to do about it, and the system's own answer word for word. */
export function TargetError({ of: e, title = "Response of the system", open }: { of: Detail; title?: string; open?: boolean }) {
  const said = verbatim(e);
  return (
    <div className="stack tight">
      <p dir="auto">{e.message}</p>
      {e.hint && <p className="muted">{e.hint}</p>}
      <p className="small faint">
        <code>{e.code}</code> · {e.class.replaceAll("_", " ")}
        {e.phase ? ` · during: ${e.phase.replaceAll("_", " ")}` : ""}
        {e.retryable ? " · temporary, retried automatically" : ""}
      </p>
      {said && (
        <details open={open}>
          <summary data-reads="">{title}</summary>
          <Verbatim label={title} copy>
            {said}
          </Verbatim>
        </details>
      )}
    </div>
  );
}

/** The target's answer as it came, with its codes. */
export function verbatim(e: Detail): string {
  const t = e.target;
  if (!t) return "";
  const lines: string[] = [];
  if (t.host) lines.push(`host: ${t.host}`);
  if (t.ldap)
    lines.push(
      `LDAP result ${t.ldap.result_code} (${t.ldap.name})`,
      ...[
        t.ldap.diagnostic,
        t.ldap.matched_dn && `matched: ${t.ldap.matched_dn}`,
        t.ldap.ad_subcode && `subcode: ${t.ldap.ad_subcode}`,
      ].filter(isText),
    );
  if (t.http) {
    lines.push(`${t.http.method} ${t.http.url}`, `HTTP ${t.http.status}${t.http.reason ? ` ${t.http.reason}` : ""}`);
    for (const [name, value] of Object.entries(t.http.headers ?? {})) lines.push(`${name}: ${value}`);
    if (t.http.body_excerpt) lines.push("", t.http.body_excerpt + (t.http.truncated ? "…" : ""));
  }
  if (t.net) lines.push([t.net.op, t.net.addr, t.net.errno].filter(isText).join(" "));
  if (t.tls) for (const [name, value] of Object.entries(t.tls)) if (value) lines.push(`TLS ${name.replaceAll("_", " ")}: ${value}`);
  return lines.join("\n");
}

const isText = (v: string | undefined): v is string => Boolean(v);
