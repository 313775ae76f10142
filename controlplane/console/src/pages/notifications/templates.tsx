import { useState } from "react";
import * as text from "#text/notifications";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useAct, useGet, useMay } from "../../api/use";
import { EditConflict } from "../../kit/editconflict";
import { Verbatim } from "../../kit/elements";
import { Form, SelectField, TextField, useForm } from "../../kit/form";
import { Button, Failure, Part, Skeleton } from "../../kit/kit";
import { showToast } from "../../kit/toast";

type Template = Of<"NotificationTemplate">;

const path = "/settings/notifications/templates";
const english = "en";

/** The subjects and texts of notifications, in the languages of the tenant's people. */
export function Templates() {
  const all = useGet<Of<"NotificationTemplates">>(path);
  const [kind, choose] = useState("task.assigned");
  const [language, speak] = useState(english);
  if (all.isError) return <Failure error={all.error} retry={() => void all.refetch()} />;
  const of = all.data?.templates ?? [];
  const kinds = of.filter((t) => t.language === english).map((t) => [t.kind, t.title] as const);
  const base = of.find((t) => t.kind === kind && t.language === english);
  const own = of.find((t) => t.kind === kind && t.language === language);
  const shown = own ?? (base && { ...base, language, changed: false, version: 0 });
  const languages = [...new Set(of.filter((t) => t.kind === kind).map((t) => t.language))].join(", ");
  return (
    <Part title={text.templates} lead={text.peopleReadTheirLanguage}>
      {!shown ? (
        <Skeleton rows={4} />
      ) : (
        <div className="card padded stack">
          <div className="fields" data-reads="">
            <SelectField label={text.kind} value={kind} set={choose} options={kinds} hint={shown.when} />
            <TextField
              label={text.language}
              value={language}
              set={(l) => speak(l.toLowerCase())}
              max={35}
              hint={text.writtenIn(languages)}
            />
          </div>
          <Editor key={`${kind} ${language} ${shown.version}`} of={shown} again={() => void all.refetch()} />
        </div>
      )}
    </Part>
  );
}

function Editor({ of, again }: { of: Template; again: () => void }) {
  const may = useMay();
  const at = `${path}/${of.kind}`;
  const query = { language: of.language };
  const form = useForm({ subject: of.subject, text: of.text }, async (body, key) => {
    await ask("PUT", at, { body, query, ifMatch: of.version, key });
    showToast(text.saved);
    again();
  });
  const preview = useAct({
    act: (_: undefined, key) => ask<Of<"TemplatePreview">>("POST", `${at}/preview`, { body: form.value, query, key }),
  });
  const reset = useAct({
    act: (_: undefined, key) => ask("DELETE", at, { query, key }),
    done: text.theDefaultApplies,
    changes: [path],
  });
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <TextField label={text.subject} {...form.field("subject")} max={180} />
      <TextField
        label={text.bodyText}
        {...form.field("text")}
        rows={6}
        max={2000}
        hint={text.fieldsAre(of.fields.map((f) => `{${f}}`).join(" "))}
      />
      {may.admin && (
        <div className="row">
          <Button disabled={preview.isPending} onClick={() => preview.mutate(undefined)}>
            {text.preview}
          </Button>
          {of.changed && (
            <Button disabled={reset.isPending} onClick={() => reset.mutate(undefined)}>
              {text.resetToDefault}
            </Button>
          )}
        </div>
      )}
      {preview.data && <Verbatim label={text.textOfTheMessage}>{`${preview.data.subject}\n\n${preview.data.text}`}</Verbatim>}
      <EditConflict refused={form.refused} again={again} />
    </Form>
  );
}
