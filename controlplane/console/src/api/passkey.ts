import * as text from "#text/api";
import { Refusal } from "./session";

/** What the service answers for navigator.credentials. */
export type PasskeyOptions = { public_key: unknown };

/** A response of an authenticator, as the service takes it. */
export type PasskeyResponse = Record<string, unknown>;

/** Whether passkeys work on this page: origin is passkey_origin of GET /auth/options. */
export const passkeysWork = (origin: string | undefined) => Boolean(origin) && origin === location.origin && "credentials" in navigator;

/** Has the browser create a passkey. */
export async function createPasskey(o: PasskeyOptions): Promise<PasskeyResponse> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(o.public_key as PublicKeyCredentialCreationOptionsJSON);
  return answer(() => navigator.credentials.create({ publicKey }));
}

/** Has the browser sign a challenge with a passkey. */
export async function signWithPasskey(o: PasskeyOptions): Promise<PasskeyResponse> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(o.public_key as PublicKeyCredentialRequestOptionsJSON);
  return answer(() => navigator.credentials.get({ publicKey }));
}

async function answer(act: () => Promise<Credential | null>): Promise<PasskeyResponse> {
  try {
    const made = (await act()) as PublicKeyCredential | null;
    if (!made) throw new DOMException("", "NotAllowedError");
    return made.toJSON() as unknown as PasskeyResponse;
  } catch (e) {
    throw new Refusal(0, "passkey_not_used", why(e));
  }
}

function why(e: unknown): string {
  const name = e instanceof DOMException ? e.name : "";
  if (name === "InvalidStateError") return text.thisDeviceAlreadyHasAPasskey;
  if (name === "NotAllowedError" || name === "AbortError") return text.thePasskeyWasNotUsed;
  return text.theBrowserCannotUseThePasskey;
}
