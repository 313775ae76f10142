import { createParser } from "eventsource-parser";
import { request } from "./client";
import { Refusal } from "./session";

/** One event of a stream: its name, its data as JSON, and its id. */
export type StreamEvent = { event: string; data: unknown; id: string };

/** How a stream is followed. ends says after which event there is nothing more to come; cut hears of each loss, and of the return. */
export type StreamOptions = {
  method?: "GET" | "POST";
  body?: unknown;
  key?: string;
  signal: AbortSignal;
  ends: (t: StreamEvent) => boolean;
  event: (t: StreamEvent) => void;
  cut?: (lost: boolean) => void;
};

const longest = 15_000; // milliseconds between two attempts

/**
 * Follows server-sent events to their end. EventSource cannot carry a token nor send a body. A stream that breaks is asked for again,
 * with a fresh token and from the last event that came; waits between attempts grow. What the service refuses (4xx) is thrown.
 */
export async function followStream(path: string, f: StreamOptions): Promise<void> {
  let last = "";
  for (let failures = 0; !f.signal.aborted; failures++) {
    try {
      const ended = await once(path, f, last, (id) => {
        if (id) last = id;
        if (failures > 0) f.cut?.(false);
        failures = 0;
      });
      if (ended) return;
    } catch (e) {
      if (f.signal.aborted) return;
      if (e instanceof Refusal && e.status >= 400 && e.status < 500 && e.status !== 429) throw e;
    }
    f.cut?.(true);
    await pause(Math.min(longest, 500 * 2 ** Math.min(failures, 5)), f.signal);
  }
}

async function once(path: string, f: StreamOptions, last: string, came: (id: string) => void): Promise<boolean> {
  const answer = await request(f.method ?? "GET", path, {
    headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) },
    signal: f.signal,
    ...(f.body === undefined ? {} : { body: f.body }),
    ...(f.key ? { key: f.key } : {}),
  });
  if (!answer.body) return false;
  let ended = false;
  const parser = createParser({
    onEvent: (e) => {
      const event = { event: e.event ?? "message", data: parse(e.data), id: e.id ?? "" };
      came(event.id);
      f.event(event);
      ended ||= f.ends(event);
    },
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (value) parser.feed(value);
    if (ended) await reader.cancel();
    if (done || ended) return ended;
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}
