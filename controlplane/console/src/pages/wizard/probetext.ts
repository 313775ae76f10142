import * as text from "#text/wizard";
import type { Of } from "../../api/types";

export type Step = Of<"TestStep">;
export type Answer = { http?: Of<"HTTPResult">; ldap?: Of<"LDAPResult">; net?: Of<"NetResult">; tls?: Of<"TLSResult"> };

const names: Record<string, string> = {
  dns: text.resolveTheHostName,
  tcp: text.connect,
  tls: text.tlsHandshake,
  start_tls: text.starttls,
  token: text.getAToken,
  request: text.requestTheFirstPage,
  service_provider_config: text.requestTheCapabilities,
  users_probe: text.requestOneUserInstead,
  users: text.requestOneUser,
  anonymous_bind: text.anonymousBind,
  paged_search_anonymous: text.anonymousPagedSearch1Result,
  bind: text.bind,
  paged_search: text.pagedSearch1Result,
  search: text.searchLabel,
  root_dse: text.readTheRootEntry,
  manifest: text.requestTheManifest,
  test: text.connectorTest,
  sync: text.requestTheFirstPage,
  agent: text.contactTheAgent,
};

/** What a check is called. */
export const checkName = (name: string) => names[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

/** What the target answered, word for word: the code of a directory, or the status line and the body. Empty where it said nothing. */
export function verbatim(a: Answer): string {
  const said: string[] = [];
  const { ldap, http, tls, net } = a;
  if (ldap) {
    said.push(text.ldapResultCodeResultCodeName(ldap.result_code, ldap.name));
    if (ldap.ad_subcode) said.push(text.activeDirectoryCodeAdSubcode(ldap.ad_subcode));
    if (ldap.diagnostic) said.push(ldap.diagnostic);
    if (ldap.matched_dn) said.push(text.matchedDnMatchedDn(ldap.matched_dn));
  }
  if (http) {
    said.push(`${http.method} ${http.url}`, text.httpStatusReason(http.status, http.reason ?? "").trimEnd());
    if (http.content_type) said.push(text.contentTypeContentType(http.content_type));
    for (const [k, v] of Object.entries(http.headers ?? {})) if (!/^(content-length|date|content-type)$/i.test(k)) said.push(`${k}: ${v}`);
    if (http.body_excerpt) said.push("", http.body_excerpt + (http.truncated ? " …" : ""));
  }
  if (tls?.verify_error) said.push(tls.verify_error);
  if (tls && (tls.subject || tls.issuer)) said.push(text.certificateOf(tls.subject ?? ""), text.issuedByIssuer(tls.issuer ?? ""));
  if (net) said.push([net.op, net.addr, net.errno].filter(Boolean).join(" "));
  return said.join("\n").trim();
}

/** The first line of what a check says; a check that went well needs no more. */
export function stepSummary(s: Step): string {
  if (s.detail) return s.detail;
  if (s.ldap) return text.resultCodeResultCodeName(s.ldap.result_code, s.ldap.name);
  if (s.http) return `${s.http.status} ${s.http.reason ?? ""}`.trimEnd();
  if (s.tls?.version)
    return [s.tls.version, s.tls.not_after && text.certificateValidUntilNotAfter(s.tls.not_after.slice(0, 10))].filter(Boolean).join(", ");
  return "";
}
