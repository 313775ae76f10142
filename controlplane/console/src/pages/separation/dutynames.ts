import type { Page } from "../../api/client";
import { useGet } from "../../api/use";

/** The names of the first 500 duties, by their IDs. */
export function useDutyNames(): Map<string, string> {
  const all = useGet<Page<{ id: string; name: string }>>("/policies/duties", { limit: 500 });
  return new Map((all.data?.items ?? []).map((d) => [d.id, d.name]));
}
