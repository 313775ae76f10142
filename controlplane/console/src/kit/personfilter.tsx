import { useState } from "react";
import * as text from "#text/kit";
import { useGet } from "../api/use";
import { Pick, type Picked, people } from "./pick";

type Props = { words: string; value: string; set: (id: string) => void };

/** A filter of which one person is looked for and chosen. A person that only the address names is shown by name once it is read. */
export function PersonFilter({ words, value, set }: Props) {
  const [chosen, choose] = useState<Picked | null>(null);
  const known = chosen?.id === value ? chosen : null;
  const read = useGet<{ display_name?: string | null; email?: string | null }>(
    `/identities/${value}`,
    {},
    { enabled: Boolean(value) && !known },
  );
  const named = read.data?.display_name || read.data?.email || (read.isError ? text.unknownPerson : "…");
  return (
    <div className={`filter${value ? " on" : ""}`} data-reads="">
      <Pick
        label={words}
        keeps
        source={people}
        value={value ? (known ?? { id: value, words: named }) : null}
        set={(p) => {
          choose(p);
          set(p?.id ?? "");
        }}
      />
    </div>
  );
}
