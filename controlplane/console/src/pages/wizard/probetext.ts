import type { Of } from "../../api/types";

export type Step = Of<"TestStep">;
export type Answer = { http?: Of<"HTTPResult">; ldap?: Of<"LDAPResult">; net?: Of<"NetResult">; tls?: Of<"TLSResult"> };

const names: Record<string, string> = {
  dns: "Resolve the host name",
  tcp: "Connect",
  tls: "TLS handshake",
  start_tls: "StartTLS",
  token: "Get a token",
  request: "Request the first page",
  service_provider_config: "Request the capabilities",
  users_probe: "Request one user instead",
  users: "Request one user",
  anonymous_bind: "Anonymous bind",
  paged_search_anonymous: "Anonymous paged search, 1 result",
  bind: "Bind",
  paged_search: "Paged search, 1 result",
  search: "Search",
  root_dse: "Read the root entry",
  manifest: "Request the manifest",
  test: "Connector test",
  sync: "Request the first page",
  agent: "Contact the agent",
};

/** What a check is called. */
export const checkName = (name: string) => names[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

/** What the target answered, word for word: the code of a directory, or the status line and the body. Empty where it said nothing. */
export function verbatim(a: Answer): string {
  const said: string[] = [];
  const { ldap, http, tls, net } = a;
  if (ldap) {
    said.push(`LDAP result code ${ldap.result_code} (${ldap.name})`);
    if (ldap.ad_subcode) said.push(`Active Directory code ${ldap.ad_subcode}`);
    if (ldap.diagnostic) said.push(ldap.diagnostic);
    if (ldap.matched_dn) said.push(`matched DN: ${ldap.matched_dn}`);
  }
  if (http) {
    said.push(`${http.method} ${http.url}`, `HTTP ${http.status} ${http.reason ?? ""}`.trimEnd());
    if (http.content_type) said.push(`Content-Type: ${http.content_type}`);
    for (const [k, v] of Object.entries(http.headers ?? {})) if (!/^(content-length|date|content-type)$/i.test(k)) said.push(`${k}: ${v}`);
    if (http.body_excerpt) said.push("", http.body_excerpt + (http.truncated ? " …" : ""));
  }
  if (tls?.verify_error) said.push(tls.verify_error);
  if (tls && (tls.subject || tls.issuer)) said.push(`certificate: ${tls.subject ?? ""}`, `issued by: ${tls.issuer ?? ""}`);
  if (net) said.push([net.op, net.addr, net.errno].filter(Boolean).join(" "));
  return said.join("\n").trim();
}

/** The first line of what a check says; a check that went well needs no more. */
export function stepSummary(s: Step): string {
  if (s.detail) return s.detail;
  if (s.ldap) return `result code ${s.ldap.result_code} (${s.ldap.name})`;
  if (s.http) return `${s.http.status} ${s.http.reason ?? ""}`.trimEnd();
  if (s.tls?.version)
    return [s.tls.version, s.tls.not_after && `certificate valid until ${s.tls.not_after.slice(0, 10)}`].filter(Boolean).join(", ");
  return "";
}
