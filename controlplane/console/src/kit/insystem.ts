/** What is in a system: an account, an entitlement or a grant. Where an answer names the system, it does so for every role. */
export type InSystem = { connector_id?: string | null; connector_name?: string | null };

/** The name of the system that something is in, or nothing where the reader may not know it. */
export const systemOf = (of: InSystem | null | undefined, names: Map<string, string>): string | undefined =>
  of?.connector_name || names.get(of?.connector_id ?? "") || undefined;
