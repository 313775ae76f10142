import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Form, SecretField, SelectField, TextField, useForm } from "../../kit/form";

type Stream = Of<"Stream">;

const kinds = [
  ["https", "HTTPS"],
  ["syslog", "Syslog (RFC 5424)"],
] as const;
const formats = [
  ["ndjson", "JSON lines, with the chain's hashes"],
  ["ocsf", "OCSF"],
] as const;
const froms = [
  ["now", "from now on"],
  ["beginning", "all that there is, from the first"],
] as const;

/** Where the audit log is sent. Secrets are written and never read. */
export function StreamForm({ of, done }: { of: Stream | undefined; done: () => void }) {
  const first = {
    name: of?.name ?? "",
    kind: of?.kind ?? ("https" as const),
    url: of?.url ?? "",
    format: of?.format ?? ("ndjson" as const),
    from: "now" as "now" | "beginning",
    header: of?.header ?? "",
    header_value: "",
    ca: "",
  };
  const save = useAct({
    act: (v: { body: unknown; key: string }) =>
      of ? ask("PATCH", `/settings/audit-streams/${of.id}`, { ...v, ifMatch: of.version }) : ask("POST", "/settings/audit-streams", v),
    done: "Saved",
    changes: ["/settings/audit-streams"],
    quiet: true,
    after: done,
  });
  const form = useForm(first, ({ kind, from, header_value, ca, header, ...rest }, key) =>
    save.mutateAsync({
      body: {
        ...rest,
        ...(of ? {} : { kind, from }),
        ...(header || of?.header ? { header } : {}),
        ...(header_value ? { header_value } : {}),
        ...(ca ? { ca } : {}),
      },
      key,
    }),
  );
  const { value, set, wrong } = form;
  return (
    <Form of={form} verb={of ? "Save" : "Send it"} cancel={done}>
      <div className="fields">
        <TextField label="Name" required value={value.name} set={(v) => set("name", v)} error={wrong("name")} />
        {!of && <SelectField label="By" value={value.kind} set={(v) => set("kind", v)} options={kinds} />}
        <TextField
          label="Address"
          mono
          required
          placeholder={value.kind === "https" ? "https://collector.example.com/audit" : "tls://syslog.example.com:6514"}
          value={value.url}
          set={(v) => set("url", v)}
          error={wrong("url")}
        />
        <SelectField label="Format" value={value.format} set={(v) => set("format", v)} options={formats} />
        {!of && <SelectField label="What is sent" value={value.from} set={(v) => set("from", v)} options={froms} />}
        {value.kind === "https" && (
          <>
            <TextField
              label="Header with a secret"
              mono
              placeholder="Authorization"
              value={value.header}
              set={(v) => set("header", v)}
              error={wrong("header")}
            />
            <SecretField
              label="Its value"
              kept={of?.header_value_set ?? false}
              value={value.header_value}
              set={(v) => set("header_value", v)}
              error={wrong("header_value")}
            />
          </>
        )}
      </div>
      <TextField
        label="Certificate authority (PEM)"
        hint={of?.ca_set ? "One is set. Paste another to replace it." : "When its certificate does not come from a public one."}
        mono
        rows={4}
        value={value.ca}
        set={(v) => set("ca", v)}
        error={wrong("ca")}
      />
    </Form>
  );
}
