import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import * as text from "#text/connectors";
import { ask } from "../../api/client";
import { Refusal } from "../../api/session";
import type { Connector, Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { Button, Failure, Note, Part, Problems, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";
import { SettingField } from "../wizard/field";
import { blockedByAgent, Probe, useProbe } from "../wizard/probe";
import { type Reach, ReachField } from "../wizard/reach";
import { atFields } from "../wizard/settingproblems";
import { applies, patchOf, type Setting, type Typed, textOf, typeKey } from "../wizard/settings";
import "../wizard/wizard.css";
import { Stale } from "./stale";
import { TargetError } from "./target";

/** How the system is reached: settings, secrets that are never shown, and a test. */
export default function Connection({ of: c }: { of: Connector }) {
  const type = useGet<Of<"ConnectorType">>(`/connectors/types/${typeKey(c)}`);
  if (type.isPending) return <Skeleton rows={6} />;
  if (!type.data) return <Failure error={type.error} retry={() => void type.refetch()} />;
  return <Fields of={c} fields={type.data.fields} />;
}

const reachOf = (c: Connector): Reach => ({ mode: c.mode, agent_id: c.agent_id, agent_group: c.agent_group });

function Fields({ of: c, fields }: { of: Connector; fields: Setting[] }) {
  const may = useMay();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed>({});
  const [reach, setReach] = useState(() => reachOf(c));
  const value = (key: string) => {
    const f = fields.find((x) => x.key === key);
    return f ? textOf(f, typed, c.connection) : "";
  };
  const shown = fields.filter((f) => applies(f, fields, value));
  const patch = patchOf(shown, typed);
  const dirty = Object.keys(typed).length > 0 || JSON.stringify(reach) !== JSON.stringify(reachOf(c));
  const save = useAct({
    act: (_, key) =>
      ask("PATCH", `/connectors/${c.id}`, {
        key,
        ifMatch: c.version,
        body: { connection: patch.connection, credentials: patch.credentials, ...reachBody(reach, c) },
      }),
    quiet: true,
    after: async () => {
      setTyped({});
      await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/connectors") });
      showToast(text.savedTestTheConnectionAgainAfter);
    },
  });
  const probe = useProbe(c.id, async () => true);
  const fieldErrors = useMemo(() => atFields(save.error), [save.error]);
  const refused = fieldErrors instanceof Refusal ? fieldErrors : undefined;
  const wrong = (f: Setting) =>
    patch.wrong[f.key] ?? refused?.errors.find((w) => w.pointer === `#/${f.secret ? "credentials" : "connection"}/${f.key}`)?.detail;
  const field = (f: Setting) => (
    <SettingField
      key={f.key}
      of={f}
      text={textOf(f, typed, f.secret ? {} : c.connection)}
      kept={c.credentials[f.key]?.set ? c.credentials[f.key]?.updated_at : undefined}
      set={(v) => setTyped((was) => ({ ...was, [f.key]: v }))}
      error={wrong(f) ?? (dirty ? undefined : blockedByAgent(probe, f))}
    />
  );
  const advanced = shown.filter((f) => f.advanced);
  return (
    <div className="connectors-columns">
      <form
        className="stack form"
        onSubmit={(e) => {
          e.preventDefault();
          save.mutate();
        }}
      >
        <fieldset className="stack closed" disabled={!may.admin}>
          {may.admin && <ReachField value={reach} set={setReach} />}
          {shown.filter((f) => !f.advanced).map(field)}
          {advanced.length > 0 && (
            <details>
              <summary data-reads="">{text.moreSettingsAdvanced(advanced.length)}</summary>
              <div className="stack">{advanced.map(field)}</div>
            </details>
          )}
        </fieldset>
        <Problems of={fieldErrors} />
        <Stale of={save.error} path={`/connectors/${c.id}`} />
        {may.admin && (
          <div className="row">
            <Button type="submit" tone="primary" disabled={!dirty || save.isPending || Object.keys(patch.wrong).length > 0}>
              {save.isPending ? text.saving : text.save}
            </Button>
            {dirty && <TryUnsaved of={c} fields={shown} typed={typed} reach={reach} value={value} />}
          </div>
        )}
      </form>
      {may.admin && (
        <Part title={text.test}>
          <Probe of={probe} last={c.last_test} changed={dirty} missing={dirty ? [text.toSaveYourChanges] : []} />
        </Part>
      )}
    </div>
  );
}

function reachBody(r: Reach, c: Connector) {
  if (JSON.stringify(r) === JSON.stringify(reachOf(c))) return {};
  if (r.mode === "hosted") return { mode: r.mode };
  return r.agent_group ? { mode: r.mode, agent_group: r.agent_group } : { mode: r.mode, agent_id: r.agent_id };
}

type TryProps = { of: Connector; fields: Setting[]; typed: Typed; reach: Reach; value: (key: string) => string };

/** Tries what was typed without saving it. Secrets that are kept cannot be lent to settings that nobody has saved: they have to be typed. */
function TryUnsaved({ of: c, fields, typed, reach, value }: TryProps) {
  const [tried, setTried] = useState<Of<"TestResponse">>();
  const needs = fields.filter((f) => f.secret && c.credentials[f.key]?.set && !typed[f.key]).map((f) => f.label);
  const test = useAct({
    act: (_, key) => {
      const all = patchOf(fields, {
        ...Object.fromEntries(
          fields
            .filter((f) => !f.secret && value(f.key) !== "")
            .map((f) => [f.key, f.type === "boolean" ? value(f.key) === "true" : value(f.key)]),
        ),
        ...typed,
      });
      const to =
        reach.mode === "hosted"
          ? { mode: reach.mode }
          : { mode: reach.mode, ...(reach.agent_group ? { agent_group: reach.agent_group } : { agent_id: reach.agent_id }) };
      const kind = c.vendor_key ? { type: c.type, vendor_key: c.vendor_key } : { type: c.type };
      const set = Object.fromEntries(Object.entries(all.connection).filter(([, v]) => v !== null));
      return ask<Of<"TestResponse">>("POST", "/connectors/test", {
        key,
        body: { ...kind, ...to, connection: set, credentials: all.credentials },
      });
    },
    after: setTried,
  });
  return (
    <>
      <Button disabled={needs.length > 0 || test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? text.testing : text.testBeforeSaving}
      </Button>
      {needs.length > 0 && <span className="small muted">{text.toTestBeforeSavingEnterThese(needs.join(", "))}</span>}
      {tried && (
        <Note tone={tried.success ? "ok" : "bad"}>
          <div role="status">
            {tried.success ? text.theConnectionWorks : tried.error ? <TargetError of={tried.error} /> : text.theConnectionFailed}
          </div>
        </Note>
      )}
    </>
  );
}
