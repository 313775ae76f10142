import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import * as text from "#text/kit";
import { type Common, Field } from "./fields";
import { Button } from "./kit";

type SecretProps = Common & {
  kept: boolean;
  value: string;
  set: (v: string) => void;
  /** The password that whoever types signs in with: the browser may fill it in. */
  own?: boolean;
};

/** Where a secret is kept: that there is one, and, for whoever may, how it is replaced. */
export const KeptSecret = ({ label, replace }: { label: string; replace: (() => void) | undefined }) => (
  <div className="field">
    <span className="field-label">{label}</span>
    <div className="row">
      <span className="muted">{text.isSet}</span>
      {replace && <Button onClick={replace}>{text.replace}</Button>}
    </div>
  </div>
);

/** A secret: what is kept is never shown, only that there is one, and it can be replaced. */
export function SecretField({ kept, value, set, own, ...common }: SecretProps) {
  const [replacing, setReplacing] = useState(!kept);
  const [shown, setShown] = useState(false);
  if (!replacing) return <KeptSecret label={common.label} replace={common.disabled ? undefined : () => setReplacing(true)} />;
  return (
    <Field {...common}>
      {(id, described) => (
        <div className="picker">
          <input
            id={id}
            type={shown ? "text" : "password"}
            autoComplete={own ? "current-password" : "new-password"}
            spellCheck={false}
            value={value}
            required={common.required}
            aria-describedby={described}
            onChange={(e) => set(e.target.value)}
          />
          <Button tone="quiet" className="icon" aria-label={shown ? text.hideValue : text.showValue} onClick={() => setShown(!shown)}>
            {shown ? <EyeOff aria-hidden size={15} /> : <Eye aria-hidden size={15} />}
          </Button>
        </div>
      )}
    </Field>
  );
}
