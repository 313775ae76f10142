import { Menu as Base } from "@base-ui/react/menu";
import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";

/** One thing that can be done; a missing act is not shown. */
export type Choice = { words: ReactNode; act: () => void; danger?: boolean; disabled?: boolean };

/** A button that opens a list of things that can be done. reads: none of them changes anything. */
export function Menu({
  words,
  of,
  label,
  reads,
}: {
  words: ReactNode;
  of: (Choice | false | undefined)[];
  label?: string;
  reads?: boolean;
}) {
  const choices = of.filter((c): c is Choice => Boolean(c));
  if (choices.length === 0) return null;
  return (
    <Base.Root>
      <Base.Trigger className="button" aria-label={label} data-reads={reads ? "" : undefined}>
        {words} <ChevronDown aria-hidden size={14} />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="over" sideOffset={4} align="end">
          <Base.Popup className="menu">
            {choices.map((c, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: choices stay in their order
              <Base.Item key={i} className={`choice${c.danger ? " danger" : ""}`} disabled={c.disabled ?? false} onClick={c.act}>
                {c.words}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
