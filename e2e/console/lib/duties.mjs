// Duties of a journey's own, and somebody who performs two of them.
import { until } from "./desk.mjs";
import { api } from "./people.mjs";
import { scene } from "./tools.mjs";

/** A duty of one entitlement. */
export const duty = (name, entitlement) =>
  api("admin", "POST", "/policies/duties", { name, all_of: [{ members: [{ kind: "entitlement", entitlement_id: entitlement.id }] }] });

/** A policy that keeps two duties apart; more are further fields of it. */
export const apart = (name, [first, second], more = {}) =>
  api("admin", "POST", "/policies/separation-of-duties", {
    name,
    kind: "pair",
    severity: "critical",
    mode: "enforce",
    sides: [{ label: first.name, duty_ids: [first.id] }, { label: second.name, duty_ids: [second.id] }],
    context: { same_environment: false },
    remediation: "Ask the head of the department which of the two is needed.",
    ...more,
  });

/** Two entitlements, of which somebody is given the first ones, and the person. */
export async function holder(names = ["Printers", "Vault"], given = 2) {
  const { items } = await api("admin", "GET", "/entitlements?limit=500");
  const both = names.map((name) => items.find((e) => e.name === name));
  const person = { id: scene.users.member.identity_id, name: scene.users.member.name };
  for (const e of both.slice(0, given))
    await api("admin", "POST", "/entitlements/grants", { identity_id: person.id, entitlement_id: e.id, justification: "for the year's end" });
  for (const e of both.slice(0, given))
    await until(async () => {
      const held = await api("admin", "GET", `/identities/${person.id}/grants?limit=200`);
      return held.items.some((g) => g.entitlement_id === e.id && g.status === "active");
    }, `${person.name} does not get ${e.name}`);
  return { person, both };
}

/** Waits until somebody's violation of a policy is in a state, and answers it. */
export async function violation(policy, person, state = "open") {
  let found;
  await until(async () => {
    found = (await api("admin", "GET", `/policies/violations?policy_id=${policy.id}&identity_id=${person.id}&state=${state}`)).items[0];
    return found;
  }, `${person.name} has no ${state} violation of ${policy.name}`);
  return found;
}

/** A name that nothing else has, so that a journey can be told twice. */
export const named = (words) => `${words} ${Date.now() % 1e7}`;
