import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import * as text from "#text/wizard";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Connector } from "../../api/types";
import type { Reach } from "./reach";
import { atFields } from "./settingproblems";
import { patchOf, type Setting, type Typed } from "./settings";

/** What is said of a connector beside its settings. */
export type About = { name: string; environment: string; purpose: string; reach: Reach };
export const aboutOf = (c: Connector): About => ({
  name: c.name,
  environment: c.environment,
  purpose: c.purpose,
  reach: { mode: c.mode, agent_id: c.agent_id, agent_group: c.agent_group },
});

/** Saves what was typed. quietly says nothing of a refusal: somebody is still typing. */
export function useSave(id: string, fields: Setting[], connector: Connector) {
  const queries = useQueryClient();
  const [refused, setRefused] = useState<unknown>();
  const [local, setLocal] = useState<Record<string, string>>({});
  const running = useRef<Promise<unknown>>(Promise.resolve());
  // Secrets that were typed on this page. The service wants them again with each new address; whoever mends a port need not type them again.
  const given = useRef<Record<string, unknown>>({});
  const patch = (shown: Setting[], typed: Typed, about: About) => {
    const made = patchOf(shown, typed);
    // Secrets of another way of signing in would have to be given again with each new address.
    for (const f of fields) if (f.secret && connector.credentials[f.key]?.set && !shown.includes(f)) made.credentials[f.key] = null;
    const { reach, ...rest } = about;
    Object.assign(given.current, made.credentials);
    if (Object.keys(made.connection).length > 0 || reachChanged(reach, connector))
      for (const f of shown) {
        const typedBefore = given.current[f.key];
        if (f.secret && connector.credentials[f.key]?.set && typedBefore) made.credentials[f.key] ??= typedBefore;
      }
    const body = {
      connection: made.connection,
      credentials: made.credentials,
      ...changed(rest, aboutOf(connector)),
      ...(reachChanged(reach, connector) ? reachBody(reach) : {}),
    };
    return { body, wrong: made.wrong };
  };
  const put = (body: unknown) => {
    const next = running.current
      .catch(() => undefined)
      .then(() => ask<Connector>("PATCH", `/connectors/${id}`, { body, key: crypto.randomUUID() }));
    running.current = next;
    return next.then(async (c) => {
      queries.setQueryData([`/connectors/${id}`, {}], c);
      await queries.invalidateQueries({ queryKey: [`/connectors/${id}/wizard`] });
    });
  };
  const send = async (shown: Setting[], typed: Typed, about: About) => {
    const { body, wrong } = patch(shown, typed, about);
    setLocal(wrong);
    setRefused(undefined);
    if (Object.keys(wrong).length > 0) return false;
    try {
      await put(body);
      return true;
    } catch (e) {
      setRefused(atFields(e));
      return false;
    }
  };
  const quietly = async (shown: Setting[], typed: Typed, about: About) => {
    const { body, wrong } = patch(shown, typed, about);
    setLocal(wrong);
    if (Object.keys(wrong).length > 0) return false;
    return put(body).then(
      () => {
        setRefused(undefined);
        return true;
      },
      (e: unknown) => {
        // Only what somebody cannot know is told at once: that a secret must be given again for the new address.
        if (e instanceof Refusal && e.code === "credentials_required") setRefused(atFields(e));
        return false;
      },
    );
  };
  const at = (pointer: string) => {
    const found = refused instanceof Refusal ? refused.errors.find((w) => w.pointer === `#/${pointer}`) : undefined;
    return found?.detail;
  };
  return {
    refused,
    send,
    quietly,
    touched: (key: string) => setLocal(({ [key]: _, ...rest }) => rest),
    wrong: (f: Setting) => local[f.key] ?? at(`${f.secret ? "credentials" : "connection"}/${f.key}`),
    wrongAt: at,
  };
}

function changed(now: Omit<About, "reach">, was: Omit<About, "reach">) {
  return Object.fromEntries(Object.entries(now).filter(([k, v]) => v !== was[k as keyof typeof was]));
}
const reachChanged = (r: Reach, c: Connector) => r.mode !== c.mode || r.agent_id !== c.agent_id || r.agent_group !== c.agent_group;
function reachBody(r: Reach) {
  if (r.mode === "hosted") return { mode: r.mode };
  return { mode: r.mode, ...(r.agent_group ? { agent_group: r.agent_group } : r.agent_id ? { agent_id: r.agent_id } : {}) };
}

// What cannot be saved yet survives leaving the page; secrets do not.
const place = (id: string) => text.wizardId(id);
export function restoreTyped(id: string): Typed {
  try {
    return JSON.parse(sessionStorage.getItem(place(id)) ?? "{}") as Typed;
  } catch {
    return {};
  }
}
export function storeTyped(id: string, fields: Setting[], typed: Typed) {
  const open = Object.entries(typed).filter(([k]) => !fields.find((f) => f.key === k)?.secret);
  if (open.length > 0) sessionStorage.setItem(place(id), JSON.stringify(Object.fromEntries(open)));
  else sessionStorage.removeItem(place(id));
}
