import { useState } from "react";
import * as text from "#text/app";
import { Button } from "../kit/kit";

/** Asks for a code of the second factor, or for one of the recovery codes. It is the field otp of the form around it. */
export function CodeField({ lead }: { lead?: string }) {
  const [recovery, setRecovery] = useState(false);
  return (
    <div className="field signin-code">
      {lead && (
        <p className="small" role="status">
          {lead}
        </p>
      )}
      <label className="field">
        <span>{recovery ? text.recoveryCode : text.code}</span>
        <input
          key={String(recovery)}
          name="otp"
          inputMode={recovery ? "text" : "numeric"}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          required
          // biome-ignore lint/a11y/noAutofocus: it is what is missing
          autoFocus
        />
        <small className="muted">{recovery ? text.oneOfTheCodesThatWere : text.theSixDigitCodeFromYour}</small>
      </label>
      <Button tone="quiet" reads onClick={() => setRecovery(!recovery)}>
        {recovery ? text.useTheAuthenticatorApp : text.useARecoveryCode}
      </Button>
    </div>
  );
}
