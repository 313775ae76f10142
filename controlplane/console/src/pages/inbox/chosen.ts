import { useCallback, useMemo, useRef, useState } from "react";
import type { Group, Task } from "./tasks";

/** Which tasks are selected. What has left the list is not any more. */
export function useChosen(shown: Task[]) {
  const [picked, setPicked] = useState<Map<string, Task>>(new Map());
  const [beyond, setBeyond] = useState(false); // selected are tasks that the list has not read
  const last = useRef<string>(undefined);
  const list = useRef(shown);
  list.current = shown;
  const chosen = useMemo(() => {
    if (picked.size === 0 || beyond) return picked;
    const here = new Map(shown.map((t) => [t.id, t]));
    return new Map([...picked.keys()].flatMap((id) => (here.has(id) ? [[id, here.get(id) as Task]] : [])));
  }, [picked, beyond, shown]);
  const now = useRef(chosen);
  now.current = chosen;
  const replace = useCallback((tasks: Task[], outside = false) => {
    setBeyond(outside);
    setPicked(new Map(tasks.map((t) => [t.id, t])));
  }, []);
  const mark = useCallback((id: string, range: boolean) => {
    const rows = list.current;
    const next = new Map(now.current);
    const to = rows.findIndex((t) => t.id === id);
    const from = rows.findIndex((t) => t.id === last.current);
    const row = rows[to];
    if (!row) return;
    if (range && from >= 0) for (const t of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.set(t.id, t);
    else if (next.has(id)) next.delete(id);
    else next.set(id, row);
    last.current = id;
    setPicked(next);
  }, []);
  const group = useCallback((g: Group) => {
    const next = new Map(now.current);
    const all = g.tasks.every((t) => next.has(t.id));
    for (const t of g.tasks)
      if (all) next.delete(t.id);
      else next.set(t.id, t);
    setPicked(next);
  }, []);
  return { chosen, mark, group, replace, all: replace, clear: useCallback(() => replace([]), [replace]) };
}
