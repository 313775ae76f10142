import { Plus, X } from "lucide-react";
import * as text from "#text/separationimport";
import { SelectField, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { connectors, Pick } from "../../kit/pick";
import type { Options } from "./importing";

type Props = { of: Options; set: (o: Partial<Options>) => void };

/** What an SAP rule set leaves open: the connectors of its systems, and which parts of it are read. */
export function SapOptions({ of: o, set }: Props) {
  const put = (i: number, change: Partial<Options["systems"][number]>) =>
    set({ systems: o.systems.map((s, j) => (i === j ? { ...s, ...change } : s)) });
  return (
    <fieldset className="stack closed">
      <legend>{text.sapRuleSet}</legend>
      <div className="fields">
        <Pick
          label={text.connectorOfMembers}
          hint={text.connectorOfMembersHint}
          source={connectors}
          value={o.connector}
          set={(connector) => set({ connector })}
        />
        <SelectField
          label={text.permissions}
          hint={text.permissionsHint}
          value={o.permissions}
          set={(permissions) => set({ permissions })}
          options={Object.entries(text.permissionUses) as [Options["permissions"], string][]}
        />
        <TextField label={text.ruleSet} hint={text.ruleSetHint} max={200} value={o.ruleSet} set={(ruleSet) => set({ ruleSet })} />
        <TextField label={text.language} hint={text.languageHint} max={10} value={o.language} set={(language) => set({ language })} />
      </div>
      {o.systems.map((s, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: systems stay in their order
        <div key={i} className="import-system">
          <TextField label={text.system} hint={text.systemHint} max={200} value={s.name} set={(name) => put(i, { name })} />
          <Pick
            label={text.connectorOfSystem(s.name || i + 1)}
            source={connectors}
            value={s.connector}
            set={(c) => put(i, { connector: c })}
          />
          <Button
            tone="quiet"
            className="icon"
            aria-label={text.removeSystem(s.name || i + 1)}
            onClick={() => set({ systems: o.systems.filter((_, j) => j !== i) })}
          >
            <X aria-hidden size={14} />
          </Button>
        </div>
      ))}
      <div className="row">
        <Button onClick={() => set({ systems: [...o.systems, { name: "", connector: null }] })}>
          <Plus aria-hidden size={14} /> {text.addSystem}
        </Button>
        <span className="muted small">{text.systemsLead}</span>
      </div>
    </fieldset>
  );
}
