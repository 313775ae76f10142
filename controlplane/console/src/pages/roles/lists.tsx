import { Plus, X } from "lucide-react";
import { useState } from "react";
import * as text from "#text/roles";
import type { Of } from "../../api/types";
import { Check, SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { Pick, type Picked, people } from "../../kit/pick";
import { PersonName } from "./names";

type Exclusion = Of<"RoleExclusion">;
type Parameter = Of<"RoleParameter">;
type ProblemLookup = (pointer: string) => string | undefined;

/** People for whom a role's rule does not count, until a day or for good. */
export function Exclusions({ value, set, wrong }: { value: Exclusion[]; set: (v: Exclusion[]) => void; wrong: ProblemLookup }) {
  const [turn, setTurn] = useState(0);
  const put = (i: number, change: Partial<Exclusion>) => set(value.map((x, j) => (i === j ? { ...x, ...change } : x)));
  const add = (p: Picked | null) => {
    if (p && !value.some((x) => x.identity_id === p.id)) set([...value, { identity_id: p.id, reason: "" }]);
    setTurn(turn + 1);
  };
  return (
    <fieldset className="roles-fields stack tight">
      <legend>{text.excludedCount(value.length)}</legend>
      {value.map((x, i) => (
        <div key={x.identity_id} className="roles-line">
          <strong>
            <PersonName id={x.identity_id} />
          </strong>
          <TextField
            label={text.reason}
            required
            max={500}
            value={x.reason}
            set={(reason) => put(i, { reason })}
            error={wrong(`membership_exclusions/${i}/reason`)}
          />
          <TextField
            type="date"
            label={text.until}
            hint={text.leaveEmptyForNoEndDate}
            value={x.until ?? ""}
            set={(until) =>
              set(value.map((y, j) => (i !== j ? y : until ? { ...y, until } : { identity_id: y.identity_id, reason: y.reason })))
            }
            error={wrong(`membership_exclusions/${i}/until`)}
          />
          <Button
            tone="quiet"
            className="icon"
            aria-label={text.removeExclusionI(i + 1)}
            onClick={() => set(value.filter((_, j) => j !== i))}
          >
            <X aria-hidden size={14} />
          </Button>
        </div>
      ))}
      <Pick key={turn} label={text.addAnExcludedPerson} source={people} value={null} set={add} />
    </fieldset>
  );
}

const kinds = [
  ["string", text.text],
  ["integer", text.wholeNumber],
  ["boolean", text.yesOrNo],
  ["date", text.day],
] as const;

/** What has to be said, or may be, when a role is given. */
export function Parameters({ value, set, wrong }: { value: Parameter[]; set: (v: Parameter[]) => void; wrong: ProblemLookup }) {
  const put = (i: number, change: Partial<Parameter>) => set(value.map((p, j) => (i === j ? { ...p, ...change } : p)));
  return (
    <fieldset className="roles-fields stack tight">
      <legend>{text.assignmentParametersCount(value.length)}</legend>
      {value.map((p, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a parameter is known by its place while its name is typed
        <div key={i} className="roles-line">
          <TextField
            label={text.name}
            required
            mono
            max={64}
            value={p.name}
            set={(name) => put(i, { name })}
            error={wrong(`parameters/${i}/name`)}
          />
          <SelectField
            label={text.description}
            value={p.type as "string"}
            set={(type) => put(i, { type } as Partial<Parameter>)}
            options={kinds}
          />
          {p.type === "string" && (
            <TextField
              label={text.allowedValuesSeparatedByCommas}
              hint={text.leaveEmptyToAllowAnyValue}
              value={(p.allowed_values ?? []).join(", ")}
              set={(t) => put(i, { allowed_values: t.split(/, */).filter(Boolean) })}
              error={wrong(`parameters/${i}/allowed_values`)}
            />
          )}
          <Check label={text.required} value={p.required ?? false} set={(required) => put(i, { required })} />
          <Button
            tone="quiet"
            className="icon"
            aria-label={text.removeParameterName(p.name || i + 1)}
            onClick={() => set(value.filter((_, j) => j !== i))}
          >
            <X aria-hidden size={14} />
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => set([...value, { name: "", type: "string", required: false, allowed_values: [] } as Parameter])}>
          <Plus aria-hidden size={14} /> {text.addParameter}
        </Button>
      </div>
    </fieldset>
  );
}
