import { Send } from "lucide-react";
import { useState } from "react";
import * as text from "#text/notifications";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useMay } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { Verbatim } from "../../kit/elements";
import { Check, Form, SecretField, SelectField, TextField, useForm } from "../../kit/form";
import { Badge, Button, Facts, Note, Part, When } from "../../kit/kit";
import { showToast } from "../../kit/toast";

type Settings = Of<"NotificationSettings">;

const path = "/settings/notifications";
const uses = [
  ["installation", text.serverOfTheInstallation],
  ["own", text.ownServer],
] as const;
const encryptions = [
  ["starttls", text.startTls],
  ["tls", text.implicitTls],
  ["none", text.none],
] as const;
const ways = [
  ["none", text.none],
  ["plain", text.userNameAndPassword],
  ["xoauth2", text.accessToken],
] as const;

/** The mail server and the sender. A stored secret is never shown, only that there is one. */
export function Server({ of, again }: { of: Settings; again: () => void }) {
  const may = useMay();
  const form = useForm({ enabled: of.enabled, server: of.server, sender: of.sender, secret: "" }, async (v, key) => {
    const { secret, ...rest } = v;
    await ask("PATCH", path, { body: { ...rest, ...(secret ? { secret } : {}) }, ifMatch: of.version, key });
    showToast(text.saved);
    again();
  });
  const [result, setResult] = useState<Of<"TestMessage">>();
  const test = useAct({
    act: (_: undefined, key) => ask<Of<"TestMessage">>("POST", `${path}/test`, { key }),
    changes: [path],
    after: setResult,
  });
  const own = form.value.server.use === "own";
  return (
    <Part
      title={text.mailServer}
      actions={
        may.admin && (
          <Button disabled={!of.ready || test.isPending} onClick={() => test.mutate(undefined)}>
            <Send aria-hidden size={15} /> {text.sendATestMessage}
          </Button>
        )
      }
    >
      <div className="card padded stack">
        <Condition of={of} />
        {result && <Result of={result} />}
        <Form of={form} verb={text.save} closed={!may.admin}>
          <Check label={text.sendNotifications} value={form.value.enabled} set={(on) => form.set("enabled", on)} />
          <div className="fields">
            <SelectField
              label={text.server}
              value={form.value.server.use}
              set={(use) => form.set("server", { ...form.value.server, use })}
              options={uses}
              hint={of.installation_server ? undefined : text.theInstallationHasNone}
            />
            {own && <Connection form={form} kept={of.has_secret} />}
            <Sender form={form} own={own} />
          </div>
          <EditConflict refused={form.refused} again={again} />
        </Form>
      </div>
    </Part>
  );
}

type Editing = ReturnType<typeof useForm<{ enabled: boolean; server: Settings["server"]; sender: Settings["sender"]; secret: string }>>;

function Connection({ form, kept }: { form: Editing; kept: boolean }) {
  const v = form.value.server;
  const set = (change: Partial<typeof v>) => form.set("server", { ...v, ...change });
  const line = (name: "host" | "username" | "token_url" | "client_id" | "scope", label: string, required = false) => (
    <TextField
      label={label}
      mono
      required={required}
      value={v[name]}
      set={(typed) => set({ [name]: typed })}
      error={form.wrong(`server/${name}`)}
    />
  );
  return (
    <>
      {line("host", text.host, true)}
      <TextField
        label={text.port}
        type="number"
        value={String(v.port)}
        set={(port) => set({ port: Number(port) })}
        error={form.wrong("server/port")}
      />
      <SelectField
        label={text.encryption}
        value={v.security}
        set={(security) => set({ security })}
        options={encryptions}
        error={form.wrong("server/security")}
      />
      <SelectField label={text.signIn} value={v.auth} set={(auth) => set({ auth })} options={ways} error={form.wrong("server/auth")} />
      {v.auth !== "none" && line("username", text.userName, true)}
      {v.auth === "xoauth2" && line("token_url", text.tokenEndpoint, true)}
      {v.auth === "xoauth2" && line("client_id", text.clientId, true)}
      {v.auth === "xoauth2" && line("scope", text.scope)}
      {v.auth !== "none" && (
        <SecretField
          label={v.auth === "plain" ? text.password : text.clientSecret}
          kept={kept}
          {...form.field("secret")}
          error={form.wrong("secret")}
        />
      )}
      <TextField
        label={text.certificates}
        rows={3}
        mono
        hint={text.pemOrEmpty}
        value={v.ca}
        set={(ca) => set({ ca })}
        error={form.wrong("server/ca")}
      />
    </>
  );
}

function Sender({ form, own }: { form: Editing; own: boolean }) {
  const v = form.value.sender;
  const set = (change: Partial<typeof v>) => form.set("sender", { ...v, ...change });
  return (
    <>
      {own && (
        <TextField
          label={text.senderAddress}
          type="email"
          required
          value={v.address}
          set={(address) => set({ address })}
          error={form.wrong("sender/address")}
        />
      )}
      <TextField label={text.senderName} value={v.name} set={(name) => set({ name })} max={100} error={form.wrong("sender/name")} />
      <TextField
        label={text.replyTo}
        type="email"
        value={v.reply_to}
        set={(reply_to) => set({ reply_to })}
        error={form.wrong("sender/reply_to")}
      />
    </>
  );
}

/** How the mail server works at present. */
function Condition({ of }: { of: Settings }) {
  return (
    <Facts
      of={[
        [
          text.state,
          of.ready ? (
            <Badge key="s" tone="ok">
              {text.ready}
            </Badge>
          ) : (
            <Badge key="s">{text.notReady}</Badge>
          ),
        ],
        [text.lastAcceptedMessage, of.state.succeeded_at && <When key="at" at={of.state.succeeded_at} />],
        [text.lastError, of.state.last_error && <bdi key="e">{of.state.last_error}</bdi>],
        [text.nextAttempt, of.state.paused_until && <When key="n" at={of.state.paused_until} />],
      ]}
    />
  );
}

/** What became of a test message: whether the mail server accepted it, and its reply. */
function Result({ of }: { of: Of<"TestMessage"> }) {
  return (
    <Note tone={of.accepted ? "ok" : "bad"}>
      {of.accepted ? text.theServerAcceptedATest(of.address) : text.theServerDidNotAccept(of.reason)}
      {of.reply && <Verbatim label={text.replyOfTheMailServer}>{of.reply}</Verbatim>}
    </Note>
  );
}
