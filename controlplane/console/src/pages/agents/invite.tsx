import { useQueryClient } from "@tanstack/react-query";
import { Check, LoaderCircle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import * as text from "#text/agents";
import { basePath } from "../../api/base";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { Copy, Verbatim } from "../../kit/elements";
import { Form, TextField, useForm } from "../../kit/form";
import { Button, Note, When } from "../../kit/kit";
import "./agents.css";
import { Release } from "./release";
import { type Agent, addressIn, installs, ready } from "./words";

export type Invited = Of<"Invited">;

/** Registers an agent: a name, and a group where several stand in for each other. */
export function InviteForm({ invited, cancel }: { invited: (i: Invited) => void; cancel?: () => void }) {
  const queries = useQueryClient();
  const form = useForm({ name: "", group: "", description: "", release: false }, async (v, key) => {
    const body = {
      name: v.name.trim(),
      ...(v.group.trim() ? { group: v.group.trim(), release_credentials: v.release } : {}),
      ...(v.description ? { description: v.description } : {}),
    };
    const made = await ask<Invited>("POST", "/settings/agents", { body, key });
    await queries.invalidateQueries({ predicate: (q) => String(q.queryKey[0]).startsWith("/settings/agents") });
    invited(made);
  });
  return (
    <Form of={form} verb={text.register} {...(cancel ? { cancel } : {})}>
      <div className="fields">
        <TextField
          label={text.name}
          {...form.field("name")}
          required
          max={100}
          error={form.wrong("name")}
          hint={text.forExampleTheNameOfThe}
        />
        <TextField
          label={text.groupOptional}
          {...form.field("group")}
          max={100}
          error={form.wrong("group")}
          hint={text.agentsOfOneGroupTakeOver}
        />
      </div>
      {form.value.group.trim() !== "" && <Release {...form.field("release")} />}
      <TextField label={text.descriptionOptional} {...form.field("description")} max={1000} error={form.wrong("description")} />
    </Form>
  );
}

/** The enrolment token, which is shown this once, the commands for the host, and then the line that says the agent is there. */
export function Enrolment({ of, online }: { of: Invited; online?: (a: Agent) => void }) {
  const commands = installs(addressIn(of.install.enroll, window.location.origin + basePath));
  const [key, setKey] = useState(commands[0]?.key);
  const way = commands.find((w) => w.key === key);
  return (
    <div className="stack tight">
      <Note tone="warn">
        {text.strongItWorksForOneHost(<strong>{text.copyTheTokenNowItIs}</strong>, <When at={of.enrollment_expires_at} />)}
        <div className="agents-token">
          <code>{of.enrollment_token}</code>
          <Copy text={of.enrollment_token} label={text.copyTheToken} />
        </div>
      </Note>
      <fieldset className="agents-commands" aria-label={text.hostType}>
        {commands.map((w) => (
          <Button key={w.key} reads className="chip" tone="quiet" aria-pressed={w.key === key} onClick={() => setKey(w.key)}>
            {w.words}
          </Button>
        ))}
      </fieldset>
      {way && (
        <>
          <Verbatim label={text.commandsWords(way.words)} copy>
            {way.command}
          </Verbatim>
          <p className="small muted">{way.after}</p>
        </>
      )}
      <Waiting id={of.id} {...(online ? { online } : {})} />
    </div>
  );
}

/** Looks every two seconds until the agent is connected, and says so. */
export function Waiting({ id, online }: { id: string; online?: (a: Agent) => void }) {
  const [there, setThere] = useState(false);
  const { data } = useGet<Agent>(`/settings/agents/${id}`, {}, { every: there ? 0 : 2000 });
  const announced = useRef(online);
  announced.current = online;
  useEffect(() => {
    if (!data || there || !ready(data)) return;
    setThere(true);
    announced.current?.(data);
  }, [data, there]);
  return (
    <p className={`agents-waiting ${there ? "there" : ""}`} role="status">
      {there && data ? (
        <>
          <Check aria-hidden size={16} />
          <span>
            {text.nameIsOnline(<bdi>{data.name}</bdi>)}
            {data.hostname && <> {text.onHostname(<bdi>{data.hostname}</bdi>)}</>}
            {data.version && text.versionVersion(data.version)}
          </span>
        </>
      ) : (
        <>
          <LoaderCircle aria-hidden size={16} className="agents-spin" />{" "}
          {data?.state === "registered" || data?.state === "offline" ? text.enrolledWaitingForTheAgentTo : text.waitingForTheHostToEnroll}
        </>
      )}
    </p>
  );
}
