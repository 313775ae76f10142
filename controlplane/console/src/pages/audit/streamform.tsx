import * as text from "#text/audit";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct } from "../../api/use";
import { Form, SecretField, SelectField, TextField, useForm } from "../../kit/form";

type Stream = Of<"Stream">;

const kinds = [
  ["https", text.https],
  ["syslog", text.syslogWithRfc],
] as const;
const formats = [
  ["ndjson", text.jsonLinesWithHashes],
  ["ocsf", text.ocsf],
] as const;
const froms = [
  ["now", text.newEntriesOnly],
  ["beginning", text.allEntriesFromTheFirst],
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
    done: text.saved,
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
    <Form of={form} verb={of ? text.save : text.add} cancel={done}>
      <div className="fields">
        <TextField label={text.name} required {...form.field("name")} />
        {!of && <SelectField label={text.protocol} {...form.field("kind")} options={kinds} />}
        <TextField
          label={text.address}
          mono
          required
          placeholder={value.kind === "https" ? "https://collector.example.com/audit" : "tls://syslog.example.com:6514"}
          {...form.field("url")}
        />
        <SelectField label={text.format} {...form.field("format")} options={formats} />
        {!of && <SelectField label={text.entries} {...form.field("from")} options={froms} />}
        {value.kind === "https" && (
          <>
            <TextField label={text.secretHeader} mono placeholder="Authorization" {...form.field("header")} />
            <SecretField label={text.headerValue} kept={of?.header_value_set ?? false} {...form.field("header_value")} />
          </>
        )}
      </div>
      <TextField
        label={text.certificateAuthorityPem}
        hint={of?.ca_set ? text.aCertificateIsSetPasteAnother : text.requiredIfTheCertificateIsNot}
        mono
        rows={4}
        {...form.field("ca")}
      />
    </Form>
  );
}
