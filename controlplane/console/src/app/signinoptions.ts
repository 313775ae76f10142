import { useQuery } from "@tanstack/react-query";
import * as texts from "#text/app";
import { basePath } from "../api/base";
import { Refusal, refusal } from "../api/session";

/** The ways into a tenant, as GET /auth/options answers. */
type Options = { tenant: string; tenant_required: boolean; providers: { key: string; display_name: string }[]; passkey_origin: string };

/** Asks for the ways in, without a token. Nobody is kept from the password form when that fails. */
export function useSignInOptions(tenant: string) {
  return useQuery({
    queryKey: ["/auth/options", tenant],
    queryFn: async ({ signal }) => {
      const answer = await fetch(`${basePath}/api/v1/auth/options${tenant ? `?tenant=${encodeURIComponent(tenant)}` : ""}`, { signal });
      if (!answer.ok) throw await refusal(answer);
      return (await answer.json()) as Options;
    },
    staleTime: 60_000,
    placeholderData: (was) => was,
  });
}

/** Where the browser goes to sign in with a provider; it comes back to /signed-in, and from there to next. */
export function providerAddress(tenant: string, provider: string, next: string): string {
  const back = `/signed-in?${new URLSearchParams({ next })}`;
  return `${basePath}/api/v1/auth/oidc/start?${new URLSearchParams({ tenant, provider, redirect: back })}`;
}

/** Looks whether a way begins, before the browser is sent on it: a refusal is said here, and not shown as a document. */
export async function checkProvider(address: string): Promise<void> {
  let answer: Response;
  try {
    answer = await fetch(address, { redirect: "manual" });
  } catch {
    throw unreachable();
  }
  if (answer.type !== "opaqueredirect" && !answer.ok) throw await refusal(answer);
}

const unreachable = () => new Refusal(0, "unreachable", texts.theServiceCannotBeReachedCheck);

const words: Record<string, string> = {
  invalid_credentials: texts.wrongEMailAddressOrPassword,
  invalid_otp: texts.theCodeIsWrongOrWas,
  invalid_passkey: texts.thePasskeyWasNotAccepted,
  sso_refused: texts.yourCompanysIdentityProviderRefusedThe,
  sso_failed: texts.theResponseOfYourCompanysIdentity,
  sso_not_linked: texts.yourCompanysAccountIsNotLinked,
  sso_no_person: texts.noActivePersonHasYour,
  sso_no_rule: texts.noSignInRuleAppliesToYou,
  sso_other_address: texts.yourUserHasAnotherAddress,
  sso_email_unverified: texts.yourCompanysIdentityProviderDidNotConfirm,
  provider_unreachable: texts.yourCompanysIdentityProviderCannotBe,
  internal_error: texts.theSignInCouldNotBe,
};

/** What went wrong on the way in, in plain words: for a refusal, or for the code that a provider's way back ends with. */
export function signInError(wrong: Refusal | string): string {
  if (typeof wrong === "string") return words[wrong] ?? texts.thisSignInWasStartedIn;
  if (wrong.code === "login_throttled") return texts.tooManyFailedAttemptsTryAgain(clock(wrong.retryAfter));
  return words[wrong.code] ?? sentence(wrong.message);
}

function clock(seconds: number): string {
  const at = new Date(Date.now() + seconds * 1000);
  // A minute is not over when its last second is told.
  at.setSeconds(at.getSeconds() + 59, 0);
  return at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

function sentence(text: string): string {
  return text ? `${text[0]?.toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}` : texts.theSignInFailed;
}
