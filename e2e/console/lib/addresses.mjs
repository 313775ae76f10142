// Every screen of the console with things that are there: the addresses that the crawler opens.
import { api } from "./people.mjs";
import { places, scene } from "./tools.mjs";

const lists = new Map();

/** The first items of a list of the API, as somebody sees it. "#key" after a path names the member that is taken instead of id. */
async function items(who, from) {
  const [path, member = "id"] = from.split("#");
  const key = `${who} ${from}`;
  if (!lists.has(key)) {
    const page = await api(who, "GET", `${path}${path.includes("?") ? "&" : "?"}limit=5`).catch((e) => {
      if (/answers 40[34]/.test(e.message)) return { items: [] };
      throw e;
    });
    lists.set(key, page.items.map((i) => i[member]));
  }
  return lists.get(key);
}

/** The parameters of a screen, each from its list: the first of the first that has what the others need. */
async function parameters(who, from) {
  const [[first, path], ...rest] = Object.entries(from);
  for (const id of await items(who, path)) {
    const found = { [first]: id };
    for (const [name, within] of rest) [found[name]] = await items(who, within.replace(`{${first}}`, id));
    if (Object.values(found).every(Boolean)) return found;
  }
  return undefined;
}

/** The addresses of one screen for somebody. Where they see none of its things, those of whoever does; theirs is false then. */
export async function addresses(who, place) {
  let found = place.from ? await parameters(who, place.from) : {};
  const theirs = found !== undefined;
  found ??= await parameters(place.roles?.includes("operator") ? "operator" : "admin", place.from);
  if (found === undefined) throw new Error(`nothing is there to open ${place.path} with; the seed lacks it`);
  let address = place.path;
  for (const [name, value] of Object.entries(found)) address = address.replace(`$${name}`, encodeURIComponent(value));
  const tab = address.match(/\$\w+/)?.[0];
  const all = tab ? place.tabs.map((t) => address.replace(tab, t)) : [address];
  return { all, theirs };
}

/** Things in states that a screen shows differently. */
export function inOtherStates() {
  const { ids } = scene;
  return [
    ...["draft", "failing", "paused", "staff", "hr", "apps"].map((c) => `/connectors/${ids[c]}`),
    `/connectors/${ids.apps}/settings?section=safety`,
    `/connectors/${ids.failing}/runs`, `/connectors/${ids.failing}/runs/${ids.failedRun}`, `/connectors/${ids.connector}/runs/${ids.heldRun}`,
    ...["connection", "discovery", "mapping", "sync"].map((step) => `/connectors/new/${ids.mapped}/${step}`),
    ...["requestCancelled", "requestRejected", "requestDone", "requestForAdmin"].map((r) => `/requests/${ids[r]}`),
    `/roles/${ids.roleDraft}`, `/roles/${ids.roleDraft}/draft`, `/settings/webhooks/${ids.webhookRefused}`, `/settings/agents/${ids.agentInvited}`,
    `/accounts/${ids.orphan}`, `/access/${ids.entitlement}`, `/access/${ids.entitlementFree}`, `/people/${ids.person}`, `/people/${ids.report}/access`,
    `/people/compare?a=${ids.person}&b=${ids.report}`, `/people?q=zzzzzz`, "/people?status=active&sort=-display_name", "/inbox?group=person",
    "/accounts?orphaned=true", "/sector-packs/manufacturing", "/sector-packs/baseline", "/no/such/page", `/people/${crypto.randomUUID()}`,
    `/connectors/${crypto.randomUUID()}`, `/roles/${crypto.randomUUID()}`, `/requests/${crypto.randomUUID()}`,
  ];
}

/** Every screen. */
export const screens = places;
