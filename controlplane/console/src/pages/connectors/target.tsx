import * as text from "#text/connectors";
import type { Of } from "../../api/types";
import { Verbatim } from "../../kit/elements";

type Detail = Of<"ErrorDetail">;

/** What failed, in a sentence, what to do about it, and the system's own answer word for word. */
export function TargetError({ of: e, title = text.responseOfTheSystem, open }: { of: Detail; title?: string; open?: boolean }) {
  const said = verbatim(e);
  return (
    <div className="stack tight">
      <p dir="auto">{e.message}</p>
      {e.hint && <p className="muted">{e.hint}</p>}
      <p className="small faint">
        <code>{e.code}</code> · {e.class.replaceAll("_", " ")}
        {e.phase ? text.duringPhase(e.phase.replaceAll("_", " ")) : ""}
        {e.retryable && <> {text.temporaryRetriedAutomatically}</>}
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
  if (t.host) lines.push(text.hostOf(t.host));
  if (t.ldap)
    lines.push(
      text.ldapResultResultCodeName(t.ldap.result_code, t.ldap.name),
      ...[
        t.ldap.diagnostic,
        t.ldap.matched_dn && text.matchedDn(t.ldap.matched_dn),
        t.ldap.ad_subcode && text.subcode(t.ldap.ad_subcode),
      ].filter(isText),
    );
  if (t.http) {
    lines.push(
      `${t.http.method} ${t.http.url}`,
      t.http.reason ? text.httpStatusReason(t.http.status, t.http.reason) : text.httpStatus(t.http.status),
    );
    for (const [name, value] of Object.entries(t.http.headers ?? {})) lines.push(`${name}: ${value}`);
    if (t.http.body_excerpt) lines.push("", t.http.body_excerpt + (t.http.truncated ? "…" : ""));
  }
  if (t.net) lines.push([t.net.op, t.net.addr, t.net.errno].filter(isText).join(" "));
  if (t.tls) for (const [name, value] of Object.entries(t.tls)) if (value) lines.push(text.tlsNameValue(name.replaceAll("_", " "), value));
  return lines.join("\n");
}

const isText = (v: string | undefined): v is string => Boolean(v);
