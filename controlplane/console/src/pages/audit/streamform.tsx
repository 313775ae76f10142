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
  ["ndjson", "JSON lines, with hashes"],
  ["ocsf", "OCSF"],
] as const;
const froms = [
  ["now", "new entries only"],
  ["beginning", "all entries, from the first"],
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
  const { value } = form;
  return (
    <Form of={form} verb={of ? "Save" : "Add"} cancel={done}>
      <div className="fields">
        <TextField label="Name" required {...form.field("name")} />
        {!of && <SelectField label="Protocol" {...form.field("kind")} options={kinds} />}
        <TextField
          label="Address"
          mono
          required
          placeholder={value.kind === "https" ? "https://collector.example.com/audit" : "tls://syslog.example.com:6514"}
          {...form.field("url")}
        />
        <SelectField label="Format" {...form.field("format")} options={formats} />
        {!of && <SelectField label="Entries" {...form.field("from")} options={froms} />}
        {value.kind === "https" && (
          <>
            <TextField label="Secret header" mono placeholder="Authorization" {...form.field("header")} />
            <SecretField label="Header value" kept={of?.header_value_set ?? false} {...form.field("header_value")} />
          </>
        )}
      </div>
      <TextField
        label="Certificate authority (PEM)"
        hint={
          of?.ca_set
            ? "A certificate is set. Paste another one to replace it."
            : "Required if the certificate is not signed by a public authority."
        }
        mono
        rows={4}
        {...form.field("ca")}
      />
    </Form>
  );
}
