import * as text from "#text/policies";
import "./condition.css";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useState } from "react";
import { useGet } from "../../api/use";
import { FieldError } from "../../kit/form";
import { Button, Text } from "../../kit/kit";
import {
  access,
  approvalRules,
  connectors,
  duties,
  inSystem,
  mitigatingControls,
  Pick,
  people,
  roles,
  separationPolicies,
} from "../../kit/pick";
import { State } from "../../kit/state";
import { type InSystem, systemOf, useSystems } from "../../kit/systems";

const kinds = {
  roles: { source: roles, at: "/entitlements/roles/" },
  access: { source: access, at: "/entitlements/" },
  systems: { source: connectors, at: "/connectors/" },
  people: { source: people, at: "/identities/" },
  duties: { source: duties, at: "/policies/duties/" },
  controls: { source: mitigatingControls, at: "/policies/mitigation/" },
  rules: { source: approvalRules, at: "/approval-rules/" },
  separation: { source: separationPolicies, at: "/policies/separation-of-duties/" },
};
export type PickKind = keyof typeof kinds;

type Props = {
  label: string;
  kind: PickKind;
  ids: string[];
  set: (ids: string[]) => void;
  hint?: string;
  error?: string | undefined;
  /** Their order matters, and somebody may stand there more than once. */
  ordered?: boolean;
  disabled?: boolean;
};

/** Several of many: those that were chosen, and a search for one more. */
export function ManyPick({ label, kind, ids, set, hint, error, ordered, disabled }: Props) {
  const [names, name] = useState<Record<string, string>>({});
  const swap = (i: number, j: number) => {
    const next = [...ids];
    [next[i], next[j]] = [next[j] ?? "", next[i] ?? ""];
    set(next);
  };
  return (
    <div className="stack tight">
      {!disabled && (
        <Pick
          label={label}
          source={kinds[kind].source as typeof people}
          value={null}
          set={(p) => {
            if (!p || (!ordered && ids.includes(p.id))) return;
            name((was) => ({ ...was, [p.id]: p.words }));
            set([...ids, p.id]);
          }}
          {...(hint ? { hint } : {})}
        />
      )}
      {disabled && <span className="field-label">{label}</span>}
      {ids.length > 0 && (
        <ul className={ordered ? "stack tight" : "row"} aria-label={label}>
          {ids.map((id, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same can stand there twice
            <li key={i} className="chosen-item">
              {ordered && <span className="small muted">{i + 1}.</span>}
              <Named kind={kind} id={id} known={names[id]} />
              {ordered && !disabled && i > 0 && (
                <Button tone="quiet" className="icon" aria-label={text.moveEntryIUp(i + 1)} onClick={() => swap(i, i - 1)}>
                  <ArrowUp aria-hidden size={13} />
                </Button>
              )}
              {ordered && !disabled && i < ids.length - 1 && (
                <Button tone="quiet" className="icon" aria-label={text.moveEntryIDown(i + 1)} onClick={() => swap(i, i + 1)}>
                  <ArrowDown aria-hidden size={13} />
                </Button>
              )}
              {!disabled && (
                <Button
                  tone="quiet"
                  className="icon"
                  aria-label={text.removeNames(names[id] ?? "entry")}
                  onClick={() => set(ids.filter((_, j) => j !== i))}
                >
                  <X aria-hidden size={13} />
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <FieldError of={error} />
    </div>
  );
}

/** How something is called. */
export function Named({ kind, id, known }: { kind: PickKind; id: string; known?: string | undefined }) {
  const found = useGet<{ name?: string; display_name?: string | null; lifecycle?: string; status?: string } & InSystem>(
    `${kinds[kind].at}${id}`,
    {},
    { enabled: !known && id !== "" },
  );
  const systems = useSystems(kind === "access");
  const name = found.data?.display_name || found.data?.name;
  const words = name && kind === "access" ? inSystem(name, systemOf(found.data, systems)) : name;
  const gone = found.data?.lifecycle === "disconnected" || found.data?.status === "deleted";
  return (
    <>
      <Text of={known || words} none={found.isError ? text.noLongerExists : "…"} />{" "}
      {gone && <State of="disconnected" tone="warn" words={text.systemDisconnected} />}
    </>
  );
}
