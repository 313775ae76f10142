import { Plus, Trash2 } from "lucide-react";
import * as text from "#text/tenant";
import { ask } from "../../api/client";
import type { Of } from "../../api/types";
import { useGet, useMay } from "../../api/use";
import { Check, Form, type FormState, SelectField, TextField, useForm, WordsField } from "../../kit/form";
import { Button, Empty, Failure, Head, Skeleton } from "../../kit/kit";
import { Link } from "../../kit/link";
import { showToast } from "../../kit/toast";

type Attribute = Of<"Attribute">;
type Schema = { open?: boolean; attributes: Attribute[] };

const types = [
  ["string", text.text],
  ["number", text.numberLabel],
  ["boolean", text.yesOrNo],
  ["date", text.date],
  ["enum", text.singleChoice],
  ["list", text.multipleValues],
] as const;

/** What else is known of people than the fields that everybody has. */
export default function Attributes() {
  const schema = useGet<Schema>("/identities/schema/attributes");
  return (
    <>
      <Head title={text.customAttributes} lead={text.fieldsOfPeopleBeyondTheStandard} up={<Link to="/settings">{text.settings}</Link>} />
      {schema.isPending ? (
        <Skeleton rows={5} />
      ) : schema.isError ? (
        <Failure error={schema.error} retry={() => void schema.refetch()} />
      ) : (
        <Editor key={JSON.stringify(schema.data)} of={schema.data} saved={() => void schema.refetch()} />
      )}
    </>
  );
}

function Editor({ of, saved }: { of: Schema; saved: () => void }) {
  const may = useMay();
  const form = useForm<Schema>({ open: of.open ?? false, attributes: of.attributes }, async (v, key) => {
    await ask("PUT", "/identities/schema/attributes", { body: v, key });
    showToast(text.saved);
    saved();
  });
  const { attributes } = form.value;
  return (
    <Form of={form} verb={text.save} closed={!may.admin}>
      <Check
        label={text.keepAttributesThatAreNotDefined}
        hint={text.otherwiseASyncOmitsThemAnd}
        value={form.value.open ?? false}
        set={(v) => form.set("open", v)}
      />
      {attributes.length === 0 && <Empty title={text.noAttributesYet}>{text.defineAttributesThatYourSystemsProvide}</Empty>}
      {attributes.map((a, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name is typed letter by letter, and there is nothing else
        <One key={i} of={a} at={i} form={form} />
      ))}
      {may.admin && (
        <div>
          <Button onClick={() => form.set("attributes", [...attributes, { name: "", type: "string" }])}>
            <Plus aria-hidden size={15} /> {text.addAnAttribute}
          </Button>
        </div>
      )}
    </Form>
  );
}

function One({ of, at, form }: { of: Attribute; at: number; form: FormState<Schema> }) {
  const { attributes } = form.value;
  const set = (change: Partial<Attribute>) =>
    form.set(
      "attributes",
      attributes.map((a, i) => (i === at ? { ...a, ...change } : a)),
    );
  const wrong = (name: string) => form.wrong(`attributes/${at}/${name}`);
  return (
    <fieldset className="card padded stack tight closed">
      <legend className="sr">{of.name || text.newAttribute}</legend>
      <div className="fields">
        <TextField label={text.name} mono required value={of.name} set={(name) => set({ name })} error={wrong("name")} />
        <SelectField label={text.typeLabel} value={of.type} set={(type) => set({ type })} options={types} error={wrong("type")} />
        <TextField
          label={text.description}
          value={of.description ?? ""}
          set={(v) => set({ description: v || undefined } as never)}
          error={wrong("description")}
        />
        {(of.type === "enum" || of.type === "list" || of.allowed) && (
          <WordsField
            label={text.allowedValuesOnePerLine}
            value={(of.allowed ?? []).map(String)}
            set={(v) => set({ allowed: v.length ? v.map((w) => (of.type === "number" ? Number(w) : w)) : null })}
            error={wrong("allowed")}
          />
        )}
      </div>
      <div className="row between">
        <div className="row">
          <Check label={text.required} value={of.required ?? false} set={(required) => set({ required })} />
          <Check label={text.personalData} value={of.pii ?? false} set={(pii) => set({ pii })} />
        </div>
        <Button
          tone="danger"
          onClick={() =>
            form.set(
              "attributes",
              attributes.filter((_, i) => i !== at),
            )
          }
        >
          <Trash2 aria-hidden size={15} /> {text.remove}
        </Button>
      </div>
    </fieldset>
  );
}
