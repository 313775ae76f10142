import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import * as text from "#text/settings";
import { ask } from "../../api/client";
import type { Me, Of } from "../../api/types";
import { ConfirmDialog } from "../../kit/dialog";
import { SecretField, TextField } from "../../kit/form";
import { Button, Part } from "../../kit/kit";
import { State } from "../../kit/state";
import { showToast } from "../../kit/toast";
import { FactorEnrollment } from "./enrollment";
import { OwnSettings, reauthentication } from "./reauthentication";

/** The own second factor: whether there is one, and the way to one, or to none. */
export function Factor({ of }: { of: Me }) {
  const [open, setOpen] = useState<"begin" | "remove">();
  const queries = useQueryClient();
  const close = () => {
    setOpen(undefined);
    void queries.invalidateQueries({ queryKey: ["/auth/me"] });
  };
  const on = of.mfa?.totp ?? false;
  const left = of.mfa?.recovery_codes_left ?? 0;
  return (
    <Part title={text.authenticatorApp}>
      <div className="card padded row between">
        <div className="grow">
          <p>
            <State of={on ? "enabled" : "off"} words={on ? text.on : text.off} tone={on ? "ok" : "warn"} />
          </p>
          <p className="small muted">{on ? text.signingInRequiresYourPasswordAnd(left) : text.withASecondFactorSigningIn}</p>
          {on && left < 3 && <p className="small">{text.toGetNewRecoveryCodesRemove}</p>}
        </div>
        {on ? (
          <Button tone="danger" onClick={() => setOpen("remove")}>
            {text.remove}
          </Button>
        ) : (
          of.password_set !== false && (
            <Button tone="primary" onClick={() => setOpen("begin")}>
              {text.setUp}
            </Button>
          )
        )}
      </div>
      {open === "begin" && <Enrol close={close} />}
      {open === "remove" && <Remove close={close} />}
    </Part>
  );
}

/** Sets a second factor up: the password, then the app and a first code of it, then the recovery codes. */
function Enrol({ close }: { close: () => void }) {
  const [password, setPassword] = useState("");
  const [begun, begin] = useState<Of<"FactorSecret">>();
  const goesOn = useRef(false);
  if (begun) return <FactorEnrollment of={begun} close={close} />;
  return (
    <ConfirmDialog
      open
      close={() => goesOn.current || close()}
      title={text.setUpASecondFactor}
      lead={text.firstEnterYourPassword}
      verb={text.continueLabel}
      disabled={!password}
      act={async () => {
        const secret = await reauthentication(ask<Of<"FactorSecret">>("POST", "/auth/mfa/totp", { body: { password } }));
        goesOn.current = true;
        begin(secret);
      }}
    >
      <OwnSettings>
        <SecretField own label={text.password} kept={false} value={password} set={setPassword} required />
      </OwnSettings>
    </ConfirmDialog>
  );
}

function Remove({ close }: { close: () => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <ConfirmDialog
      open
      close={close}
      title={text.removeTheSecondFactor}
      lead={text.afterThisYourPasswordAloneSigns}
      verb={text.remove}
      tone="danger"
      disabled={!password || code.trim().length < 6}
      act={async () => {
        await reauthentication(ask("DELETE", "/auth/mfa/totp", { body: { password, code: code.trim() } }));
        showToast(text.secondFactorRemoved);
      }}
    >
      <OwnSettings>
        <SecretField own label={text.password} kept={false} value={password} set={setPassword} required />
        <TextField label={text.authenticatorCodeOrRecoveryCode} value={code} set={setCode} max={64} mono required />
      </OwnSettings>
    </ConfirmDialog>
  );
}
