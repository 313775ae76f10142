import { type FormEvent, type ReactNode, useState } from "react";
import * as text from "#text/kit";
import { Refusal } from "../api/session";
import { Button, Problems } from "./kit";
import { useUnsaved } from "./unsaved";

export * from "./fields";
export * from "./secretfield";

/** What is typed into a form, and what became of sending it. */
export type FormState<T> = {
  value: T;
  set: <K extends keyof T>(name: K, v: T[K]) => void;
  replace: (v: T) => void;
  dirty: boolean;
  busy: boolean;
  refused: unknown;
  /** What the service says is wrong with a member, by its JSON pointer without #/. */
  wrong: (pointer: string) => string | undefined;
  /** What a field of a member is given: its value, how it is set, and what is wrong with it at pointer, which is its name without one. */
  field: <K extends keyof T & string>(name: K, pointer?: string) => FieldBinding<T[K]>;
  submit: (e?: FormEvent) => void;
};

/** What the service says is wrong with a member, by its JSON pointer without #/. */
export const problemAt = (refused: unknown, pointer: string) =>
  refused instanceof Refusal ? refused.errors.find((w) => w.pointer === `#/${pointer}`)?.detail : undefined;

/** What binds a field to a member of a form. */
export type FieldBinding<V> = { value: V; set: (v: V) => void; error: string | undefined };

/**
 * A form over value. send is called with what was typed, and with an Idempotency-Key that stays the same while the same is sent again. A refusal
 * leaves everything as it is, and stands at the members that it names.
 */
export function useForm<T extends object>(first: T, send: (v: T, key: string) => Promise<unknown>): FormState<T> {
  const [value, replace] = useState(first);
  const [clean, setClean] = useState(first);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<unknown>();
  const [meant, setMeant] = useState({ what: "", key: "" });
  const submit = async () => {
    const what = JSON.stringify(value);
    const key = meant.what === what ? meant.key : crypto.randomUUID();
    setMeant({ what, key });
    setBusy(true);
    setRefused(undefined);
    try {
      await send(value, key);
      setClean(value);
      setMeant({ what: "", key: "" });
    } catch (e) {
      setRefused(e);
      if (e instanceof Refusal && e.status > 0 && e.status < 500) setMeant({ what: "", key: "" });
    } finally {
      setBusy(false);
    }
  };
  const dirty = JSON.stringify(value) !== JSON.stringify(clean);
  useUnsaved(dirty && !busy);
  const set: FormState<T>["set"] = (name, v) => replace((was) => ({ ...was, [name]: v }));
  const wrong = (pointer: string) => problemAt(refused, pointer);
  return {
    value,
    set,
    replace,
    dirty,
    busy,
    refused,
    wrong,
    field: (name, pointer = name) => ({ value: value[name], set: (v) => set(name, v), error: wrong(pointer) }),
    submit: (e) => {
      e?.preventDefault();
      e?.stopPropagation();
      if (!busy) void submit();
    },
  };
}

/** The form itself with its button; children are its fields. */
export function Form<T>({
  of,
  verb,
  children,
  cancel,
  always,
  closed,
}: {
  of: FormState<T>;
  verb: string;
  children: ReactNode;
  cancel?: () => void;
  /** Can be sent as it is, without a change. */
  always?: boolean;
  /** Can only be read: nothing can be typed, and there is no button. */
  closed?: boolean;
}) {
  if (closed)
    return (
      <fieldset className="stack form closed" disabled>
        {children}
      </fieldset>
    );
  return (
    <form className="stack form" onSubmit={of.submit}>
      {children}
      <Problems of={of.refused} />
      <div className="row">
        {/* Not disabled while it works: whoever pressed it by key would lose their place. */}
        <Button type="submit" tone="primary" disabled={!of.busy && !always && !of.dirty} aria-disabled={of.busy || undefined}>
          {of.busy ? text.saving : verb}
        </Button>
        {cancel && <Button onClick={cancel}>{text.cancel}</Button>}
      </div>
    </form>
  );
}
