import { useState } from "react";
import * as text from "#text/settings";
import { ask } from "../../api/client";
import { type PasskeyOptions, signWithPasskey } from "../../api/passkey";
import type { Me } from "../../api/types";
import { SecretField, TextField } from "../../kit/form";

type Method = "password" | "otp" | "passkey";

/** How somebody confirms who they are, and what they have typed for it. */
export type ProofValue = { by: Method; typed: string };

/** The methods of a user: the password only if there is no second factor. */
function methodsOf(me: Me): Method[] {
  const second: Method[] = [...(me.mfa?.passkeys ? (["passkey"] as const) : []), ...(me.mfa?.totp ? (["otp"] as const) : [])];
  return second.length > 0 ? second : ["password"];
}

export const useProof = (me: Me) => useState<ProofValue>({ by: methodsOf(me)[0] ?? "password", typed: "" });

export const ready = (p: ProofValue) => p.by === "passkey" || (p.by === "otp" ? p.typed.trim().length >= 6 : p.typed !== "");

/** The body of a confirmation. For a passkey the browser asks its user. */
export async function proofOf(p: ProofValue): Promise<Record<string, unknown>> {
  if (p.by !== "passkey") return { [p.by]: p.by === "otp" ? p.typed.trim() : p.typed };
  return { passkey: await signWithPasskey(await ask<PasskeyOptions>("POST", "/auth/passkeys/assertion")) };
}

/** Asks for a password, a code or a passkey, whichever the user has. */
export function Proof({ of, value, set }: { of: Me; value: ProofValue; set: (v: ProofValue) => void }) {
  const methods = methodsOf(of);
  const type = (typed: string) => set({ ...value, typed });
  return (
    <>
      {methods.length > 1 && (
        <fieldset className="settings-choices">
          <legend>{text.confirmWith}</legend>
          {methods.map((m) => (
            <label key={m}>
              <input type="radio" name="proof" checked={value.by === m} onChange={() => set({ by: m, typed: "" })} />
              {m === "passkey" ? text.onePasskey : text.anAuthenticatorCode}
            </label>
          ))}
        </fieldset>
      )}
      {value.by === "password" && <SecretField own label={text.password} kept={false} value={value.typed} set={type} required />}
      {value.by === "otp" && (
        <TextField label={text.authenticatorCodeOrRecoveryCode} value={value.typed} set={type} max={64} mono required />
      )}
      {value.by === "passkey" && <p className="small muted">{text.theBrowserAsksForYourPasskey}</p>}
    </>
  );
}
