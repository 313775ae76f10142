import { X } from "lucide-react";
import { type ComponentProps, type ReactNode, useState } from "react";
import * as text from "#text/roles";
import { FieldError } from "../../kit/form";
import { Button, Text } from "../../kit/kit";
import { Pick, type Picked } from "../../kit/pick";

type Props<T> = {
  label: string;
  source: ComponentProps<typeof Pick<T>>["source"];
  value: string[];
  set: (ids: string[]) => void;
  name: (id: string) => ReactNode;
  /** What may not be picked. */
  not?: string;
  error?: string | undefined;
};

const shown = 20;

/** Several things that were picked, and a place to pick one more. */
export function MultiPick<T>({ label, source, value, set, name, not, error }: Props<T>) {
  const [all, setAll] = useState(false);
  const [told, setTold] = useState<Record<string, string>>({});
  const [turn, setTurn] = useState(0);
  const add = (p: Picked | null) => {
    if (!p) return;
    if (p.id !== not && !value.includes(p.id)) {
      setTold((was) => ({ ...was, [p.id]: p.words }));
      set([...value, p.id]);
    }
    setTurn(turn + 1);
  };
  return (
    <fieldset className="roles-fields stack tight">
      <legend>
        {label} ({value.length})
      </legend>
      <ul>
        {(all ? value : value.slice(0, shown)).map((id, i) => (
          <li key={id} className="row between">
            {told[id] ? <Text of={told[id]} /> : name(id)}
            <Button
              tone="quiet"
              className="icon"
              aria-label={text.removeTold(told[id] ?? text.numberIOfLabel(i + 1, label))}
              onClick={() => set(value.filter((v) => v !== id))}
            >
              <X aria-hidden size={14} />
            </Button>
          </li>
        ))}
      </ul>
      {value.length > shown && !all && (
        <div>
          <Button reads tone="quiet" onClick={() => setAll(true)}>
            {text.showAllCount(value.length)}
          </Button>
        </div>
      )}
      <Pick key={turn} label={text.addToLabel(label.toLowerCase())} source={source} value={null} set={add} />
      <FieldError of={error} />
    </fieldset>
  );
}
