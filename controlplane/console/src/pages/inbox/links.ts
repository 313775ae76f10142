import * as text from "#text/inbox";
import { type Task, words } from "./tasks";

/** A place of the console, and what it is called. */
export type Place = { words: string; to: string; params?: Record<string, string>; search?: Record<string, string> };

type Ref = { type: string; id: string; display?: string | undefined };

/** Where one can read on: the people, access, requests, runs and systems that a task is about. */
export function linksOf(task: Task): Place[] {
  const violation = words(task.context, "links", "violation")?.split("/").pop();
  const of: Ref[] = violation ? [{ type: "violation", id: violation }] : [];
  const all: Ref[] = [...task.links, task.subject, task.source, ...of];
  const found = new Map<string, Place>();
  for (const ref of all) {
    const place = placeOf(ref, task);
    if (place) found.set(place.to + ref.id, found.get(place.to + ref.id) ?? place);
  }
  return [...found.values()];
}

function placeOf(ref: Ref, task: Task): Place | undefined {
  const name = (fallback: string) => ref.display || fallback;
  const id = { id: ref.id };
  switch (ref.type) {
    case "identity":
      return { words: name("person"), to: "/people/$id", params: id };
    case "entitlement":
      return { words: name("entitlement"), to: "/access/$id", params: id };
    case "mail_message":
      return { words: text.rejectedMessage, to: "/settings/notifications", search: { delivery: ref.id } };
    case "role":
      return { words: name("role"), to: "/roles/$id", params: id };
    case "account":
      return { words: name("account"), to: "/accounts/$id", params: id };
    case "access_request":
      return { words: text.requestName(name("")).trim(), to: "/requests/$id", params: id };
    case "violation":
      return { words: text.violation, to: "/violations/$id", params: id };
    case "separation_policy":
      return { words: name("policy"), to: "/separation-of-duties/$id", params: id };
    case "mitigation":
      return { words: text.mitigationOf(name("")), to: "/separation-of-duties/mitigations/$id", params: id };
    case "connector":
      return { words: name("system"), to: "/connectors/$id", params: id };
    case "sync_run": {
      const connector = words(task.context, "connector", "id") ?? task.subject.id;
      return { words: text.heldChanges, to: "/connectors/$id/runs/$run", params: { id: connector, run: ref.id } };
    }
    case "schema_diff":
      return { words: text.schemaChanges, to: "/connectors/$id/rediscover", params: { id: task.subject.id } };
    case "provisioning_task":
      return { words: text.provisioningTask, to: "/provisioning", search: { task: ref.id } };
    case "sector_pack":
      return {
        words: text.packWords(words(task.context, "pack_key") ?? "").trim(),
        to: "/sector-packs/$key",
        params: { key: words(task.context, "pack_key") ?? ref.id },
      };
    default:
      return undefined;
  }
}
