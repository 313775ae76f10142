import { useRef, useState } from "react";
import * as text from "#text/settings";
import { ask, save } from "../../api/client";
import type { Of } from "../../api/types";
import { ConfirmDialog, Dialog } from "../../kit/dialog";
import { Copy } from "../../kit/elements";
import { Check, TextField } from "../../kit/form";
import { Button } from "../../kit/kit";
import { Qr } from "./qrpicture";
import { OwnSettings, reauthentication } from "./reauthentication";

/** The app gets its secret, and proves by a first code that it has it. */
export function FactorEnrollment({ of, close }: { of: Of<"FactorSecret">; close: () => void }) {
  const [code, setCode] = useState("");
  const [codes, setCodes] = useState<string[]>();
  const goesOn = useRef(false);
  if (codes) return <Codes of={codes} close={close} />;
  return (
    <ConfirmDialog
      open
      close={() => goesOn.current || close()}
      title={text.addToAuthenticatorApp}
      lead={text.useAnyAppForOneTime}
      verb={text.confirm}
      disabled={code.trim().length < 6}
      act={async () => {
        const answer = await reauthentication(ask<Of<"RecoveryCodes">>("POST", "/auth/mfa/totp/confirm", { body: { code: code.trim() } }));
        goesOn.current = true;
        setCodes(answer.recovery_codes);
      }}
    >
      <OwnSettings>
        <div className="settings-qr">
          <Qr of={of.otpauth_uri} />
          <div className="stack tight">
            <p className="small">{text.scanTheQrCodeWithThe}</p>
            <p className="row">
              <code className="mono">{of.secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>
              <Copy text={of.secret} label={text.copyTheKey} />
            </p>
            <p className="small">
              <a href={of.otpauth_uri}>{text.openInAnAppOnThis}</a>
            </p>
          </div>
        </div>
        <TextField label={text.codeFromTheApp} value={code} set={setCode} max={64} mono required autoFocus />
      </OwnSettings>
    </ConfirmDialog>
  );
}

/** Recovery codes are seen once: the dialog does not close by mistake. */
function Codes({ of, close }: { of: string[]; close: () => void }) {
  const [kept, keep] = useState(false);
  return (
    <Dialog open close={() => kept && close()} title={text.saveTheRecoveryCodes} lead={text.eachCodeWorksOnceIfYou}>
      <OwnSettings>
        <ul className="settings-codes verbatim" aria-label={text.recoveryCodes}>
          {of.map((c) => (
            <li key={c}>{c}</li>
          ))}
        </ul>
        <div className="row">
          <Button onClick={() => save(new Blob([`${of.join("\n")}\n`], { type: "text/plain" }), "grantwright-recovery-codes.txt")}>
            {text.download}
          </Button>
          <Copy text={of.join("\n")} label={text.copyAll} />
        </div>
        <Check reads label={text.iHaveSavedTheCodesIn} value={kept} set={keep} />
        <div className="row end">
          <Button tone="primary" disabled={!kept} onClick={close}>
            {text.done}
          </Button>
        </div>
      </OwnSettings>
    </Dialog>
  );
}
