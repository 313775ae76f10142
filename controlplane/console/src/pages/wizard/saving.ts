import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Of } from "../../api/types";
import { duplicates, type Rule, sentOf } from "./rules";

type Mappings = Of<"Mappings">;
/** What is being kept of which connector: whoever reads its mappings waits for that. */
export const pendingSaves = new Map<string, Promise<unknown>>();

const rest = 1500; // milliseconds after the last change

export type Saving = {
  state: "saved" | "saving" | "changed" | "refused" | "overtaken";
  refused: unknown;
  now: () => Promise<boolean>;
  version: number;
};

/**
 * Keeps decisions as they are made, so that leaving is safe. What cannot be kept as it is (a field filled twice, a transform that is not
 * written to its end) waits: fine says that the service has found nothing wrong with them. version is the one that was read; another's change in between is not overwritten.
 */
export function useSaving(id: string, rules: Rule[], fine: boolean, from: number): Saving {
  const queries = useQueryClient();
  const version = useRef(from);
  const text = JSON.stringify(sentOf(rules));
  const kept = useRef(from > 0 ? text : "");
  const opened = useRef(text);
  const [state, setState] = useState<Saving["state"]>("saved");
  const [refused, setRefused] = useState<unknown>();
  const usable = fine && duplicates(rules).size === 0;
  const now = useRef({ text, usable });
  now.current = { text, usable };
  const chain = useRef<Promise<boolean>>(Promise.resolve(true));

  const write = async (): Promise<boolean> => {
    const sending = now.current.text;
    if (sending === kept.current) return true;
    setState("saving");
    try {
      // The proposals are kept first: then each rule remembers what found it.
      if (version.current === 0) version.current = (await put(id, "POST", "wizard/accept-mappings", version.current)).mapping_version;
      const saved = await put(id, "PUT", "mappings", version.current, { mappings: JSON.parse(sending) });
      version.current = saved.mapping_version;
      kept.current = sending;
      setRefused(undefined);
      setState(now.current.text === sending ? "saved" : "changed");
      await queries.invalidateQueries({ queryKey: [`/connectors/${id}/wizard`] });
      return true;
    } catch (e) {
      setRefused(e);
      setState(e instanceof Refusal && e.status === 412 ? "overtaken" : "refused");
      return false;
    }
  };
  const save = () => {
    chain.current = chain.current.then(write);
    pendingSaves.set(id, chain.current);
    return chain.current;
  };
  const latest = useRef(save);
  latest.current = save;

  useEffect(() => {
    if (text === kept.current || text === opened.current || !usable || state === "overtaken") return;
    opened.current = "";
    setState((was) => (was === "saving" ? was : "changed"));
    const timer = setTimeout(() => void latest.current(), rest);
    return () => clearTimeout(timer);
  }, [text, usable, state]);
  useEffect(
    () => () => {
      const { text: last, usable: sound } = now.current;
      if (sound && opened.current === "" && last !== kept.current) void latest.current();
    },
    [],
  );
  return { state, refused, now: save, version: version.current };
}

const put = (id: string, method: string, path: string, version: number, body?: unknown) =>
  ask<Mappings>(method, `/connectors/${id}/${path}`, { ifMatch: version, key: crypto.randomUUID(), ...(body ? { body } : {}) });
