import * as texts from "#text/people";
import type { Of } from "../../api/types";
import { useGet } from "../../api/use";
import { type FormState, SelectField, TextField, WordsField } from "../../kit/form";
import { Pick, type Picked, people } from "../../kit/pick";
import { type Field, type Filled, groups } from "./fields";

/** The members of a person's record, in groups, and the custom attributes that the tenant has described. */
export function PersonFields({ of, note }: { of: FormState<Filled>; note?: (name: string) => string | undefined }) {
  const set = (name: string, v: string) => of.replace({ ...of.value, fields: { ...of.value.fields, [name]: v } });
  return (
    <>
      {groups.map((g) => (
        <fieldset key={g.title} className="person-group">
          <legend>{g.title}</legend>
          <div className="fields">
            {g.fields.map((f) => (
              <One
                key={f.name}
                of={f}
                value={of.value.fields[f.name] ?? ""}
                set={(v) => set(f.name, v)}
                hint={note?.(f.name) ?? f.hint}
                error={of.wrong(f.name)}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <CustomAttributes of={of} />
    </>
  );
}

type OneProps = { of: Field; value: string; set: (v: string) => void; hint: string | undefined; error: string | undefined };

function One({ of, value, set, hint, error }: OneProps) {
  const common = { label: of.words, hint, error };
  if (of.kind === "select") {
    const known = of.options ?? [];
    const options = value && !known.some(([v]) => v === value) ? [...known, [value, value] as const] : known;
    return <SelectField {...common} value={value} set={set} options={options} none={texts.notSet} />;
  }
  if (of.kind === "manager") return <PersonField of={of} value={value} set={set} hint={hint} error={error} by="external_id" />;
  if (of.kind === "person") return <PersonField of={of} value={value} set={set} hint={hint} error={error} by="id" />;
  return <TextField {...common} type={of.kind ?? "text"} value={value} set={set} max={limitOf(of)} />;
}

/** How long a value may be, as the service takes it. */
const limitOf = (of: Field) => (of.kind === "email" ? 254 : of.kind ? 64 : 256);

/** A person that the record names: by id, or a manager by the id in the source system. */
function PersonField({ of, value, set, hint, error, by }: OneProps & { by: "id" | "external_id" }) {
  const query = by === "id" ? `/identities/${value}` : "/identities";
  const known = useGet<Of<"Identity"> | { items: Of<"Identity">[] }>(query, by === "id" ? {} : { external_id: value, limit: 1 }, {
    enabled: value !== "",
  });
  const person = known.data && ("items" in known.data ? known.data.items[0] : known.data);
  const picked: Picked | null = value ? { id: value, words: person?.display_name || person?.email || value } : null;
  const as = (p: Of<"Identity">) => ({ ...people.as(p, new Map()), id: by === "id" ? p.id : p.external_id });
  return (
    <Pick
      label={of.words}
      source={{ path: "/identities", as }}
      value={picked}
      set={(p) => set(p?.id ?? "")}
      {...(hint ? { hint } : {})}
      error={error}
    />
  );
}

function CustomAttributes({ of }: { of: FormState<Filled> }) {
  const schema = useGet<Of<"Schema">>("/identities/schema/attributes");
  const described = schema.data?.attributes ?? [];
  if (described.length === 0) return null;
  const set = (name: string, v: unknown) => of.replace({ ...of.value, attributes: { ...of.value.attributes, [name]: v } });
  return (
    <fieldset className="person-group">
      <legend>{texts.customAttributes}</legend>
      <div className="fields">
        {described.map((a) => (
          <Custom
            key={a.name}
            of={a}
            value={of.value.attributes[a.name]}
            set={(v) => set(a.name, v)}
            error={of.wrong(`attributes/${a.name}`)}
          />
        ))}
      </div>
    </fieldset>
  );
}

type CustomProps = { of: Of<"Attribute">; value: unknown; set: (v: unknown) => void; error: string | undefined };

function Custom({ of, value, set, error }: CustomProps) {
  const common = { label: of.name.replaceAll("_", " "), hint: of.description, error, required: of.required ?? false };
  const text = value === undefined || value === null ? "" : String(value);
  if (of.type === "boolean")
    return (
      <SelectField
        {...common}
        value={text}
        none={texts.notSet}
        options={[
          ["true", texts.yes],
          ["false", texts.no],
        ]}
        set={(v: string) => set(v === "" ? null : v === "true")}
      />
    );
  if (of.type === "enum")
    return (
      <SelectField
        {...common}
        value={text}
        none={texts.notSet}
        options={(of.allowed ?? []).map((v) => [String(v), String(v)] as const)}
        set={(v: string) => set(v || null)}
      />
    );
  if (of.type === "list") return <WordsField {...common} value={Array.isArray(value) ? value.map(String) : []} set={set} />;
  if (of.type === "number")
    return <TextField {...common} type="number" value={text} set={(v) => set(v.trim() === "" ? null : Number(v))} />;
  return <TextField {...common} type={of.type === "date" ? "date" : "text"} value={text} set={(v) => set(v || null)} max={1000} />;
}
