import { useState } from "react";
import * as text from "#text/webhooks";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Check, FieldError, Form, SelectField, TextField, useForm } from "../../kit/form";
import { Badge, Skeleton } from "../../kit/kit";
import { FilterFields, filterOf, type Typed, typedOf } from "./filter";
import { formats, grouped, headersOf, isChat, type Webhook } from "./words";

type CreatedWebhook = Of<"Made">;
type Event = Of<"Described">;
type Value = {
  name: string;
  url: string;
  events: string[];
  headers: string;
  ordered: boolean;
  format: Webhook["format"];
  rps: string;
  filter: Typed;
};

/** Makes a webhook, or changes one. done hears of the secret when one was made. */
export function Edit({ of, done, cancel }: { of?: Webhook; done: (w: CreatedWebhook | Webhook) => void; cancel: () => void }) {
  const first: Value = {
    name: of?.name ?? "",
    url: of?.url ?? "",
    events: of?.events ?? [],
    headers: "",
    ordered: of?.ordered_per_subject ?? false,
    format: of?.format ?? "standard",
    rps: of?.max_rps ? String(of.max_rps) : "",
    filter: typedOf(of?.filter),
  };
  const [line, setLine] = useState<string>();
  const form = useForm(first, async (v, key) => {
    const body = bodyOf(v, of, setLine);
    const saved = of
      ? await ask<Webhook>("PATCH", `/settings/webhooks/${of.id}`, { body, ifMatch: of.version, key })
      : await ask<CreatedWebhook>("POST", "/settings/webhooks", { body, key });
    done(saved);
  });
  const v = form.value;
  return (
    <Form of={form} verb={of ? text.save : text.create} cancel={cancel}>
      <TextField label={text.name} value={v.name} set={(name) => form.set("name", name)} required max={200} error={form.wrong("name")} />
      <TextField
        label={text.address}
        type="url"
        mono
        value={v.url}
        set={(url) => form.set("url", url)}
        required
        max={2000}
        placeholder="https://…"
        error={form.wrong("url")}
        hint={text.anHttpsAddressItMustBe}
      />
      <SelectField
        label={text.format}
        value={v.format}
        set={(format) => form.set("format", format)}
        options={formats}
        error={form.wrong("format")}
        hint={isChat(v.format) ? text.theAddressOfAChatServiceIsSecret : undefined}
      />
      <Events value={v.events} set={(events) => form.set("events", events)} error={form.wrong("events")} />
      <details>
        <summary className="webhooks-more">{text.filterHeadersAndOrder}</summary>
        <div className="stack">
          <FilterFields value={v.filter} set={(filter) => form.set("filter", filter)} wrong={form.wrong} />
          <TextField
            label={text.customHeaders}
            rows={2}
            mono
            value={v.headers}
            set={(headers) => form.set("headers", headers)}
            placeholder={text.xKey}
            error={line ?? form.wrong("headers")}
            hint={
              of && of.header_names.length > 0 ? text.setHeaderNamesValuesAreNot(of.header_names.join(", ")) : text.onePerLineValuesAreNot
            }
          />
          <TextField
            label={text.rateLimitPerSecond}
            type="number"
            value={v.rps}
            set={(rps) => form.set("rps", rps)}
            error={form.wrong("max_rps")}
            hint={text.maximumNumberOfDeliveriesThatStart}
          />
          <Check
            label={text.keepTheOrderOfEventsPer}
            hint={text.aDeliveryWaitsUntilEarlierDeliveries}
            value={v.ordered}
            set={(ordered) => form.set("ordered", ordered)}
          />
        </div>
      </details>
    </Form>
  );
}

function bodyOf(v: Value, of: Webhook | undefined, told: (line: string | undefined) => void) {
  let headers: Record<string, string | null> = {};
  told(undefined);
  try {
    headers = headersOf(v.headers);
  } catch (e) {
    told((e as Error).message);
    throw e;
  }
  if (of) headers = Object.fromEntries(Object.entries(headers).map(([k, x]) => [k, x === "" ? null : x]));
  const filter = filterOf(v.filter);
  return {
    name: v.name.trim(),
    url: v.url.trim(),
    events: v.events,
    ordered_per_subject: v.ordered,
    format: v.format,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(v.rps ? { max_rps: Number(v.rps) } : of ? { max_rps: null } : {}),
    ...(filter || of ? { filter } : {}),
  };
}

/** The kinds of event, in their groups. */
function Events({ value, set, error }: { value: string[]; set: (events: string[]) => void; error: string | undefined }) {
  const { data } = useGet<{ items: Event[] }>("/settings/webhooks/event-types");
  if (!data) return <Skeleton rows={3} />;
  const toggle = (type: string, on: boolean) => set(on ? [...value, type] : value.filter((t) => t !== type));
  return (
    <fieldset className="webhooks-events">
      <legend>{text.events}</legend>
      {grouped(data.items).map(([group, events]) => (
        <div key={group} className="stack tight">
          <Check
            label={<strong>{`${group.charAt(0).toUpperCase()}${group.slice(1)}`}</strong>}
            value={events.every((e) => value.includes(e.type))}
            set={(on) => set([...value.filter((t) => !events.some((e) => e.type === t)), ...(on ? events.map((e) => e.type) : [])])}
          />
          <div className="webhooks-group">
            {events.map((e) => (
              <Check
                key={e.type}
                label={
                  <>
                    <code>{e.type}</code> {e.opt_in && <Badge>{text.onlyIfSelected}</Badge>}
                  </>
                }
                hint={e.description}
                value={value.includes(e.type)}
                set={(on) => toggle(e.type, on)}
              />
            ))}
          </div>
        </div>
      ))}
      <FieldError of={error} />
    </fieldset>
  );
}
