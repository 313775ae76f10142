import type { ReactNode } from "react";
import { rich } from "../format";

// callback.tsx
export const signInFailed = "Sign-in failed";
export const signingIn = "Signing in…";
export const backToSignIn = "Back to sign in";
export const yourProviderConfirmedTheSignIn = "Your provider confirmed the sign-in. This takes a moment.";

// invitation.tsx
export const chooseAPassword = "Choose a password";
export const chooseANewPassword = "Choose a new password";
export const youSignInWithThisPassword = "You sign in with this password from now on. Your earlier sessions end.";
export const newPassword = "New password";
export const n12To256CharactersUseSeveral = "12 to 256 characters. Use several words. Common passwords are rejected.";
export const yourAccountHasASecondFactor = "Your account has a second factor. Enter its code to set the password.";
export const useAPasskey = "Use a passkey";
export const saving = "Saving…";
export const setPasswordAndSignIn = "Set password and sign in";
export const theLinkIsNotValid = "The link is not valid";
export const theLinkWasUsedBeforeIs =
  "The link was used before, is more than an hour old, or is incomplete. Ask an administrator for a new one. If you have a password, sign in with it.";
export const theLinkWasUsedBeforeOr = "The link was used before, is more than an hour old, or is incomplete. You can request another one.";
export const requestAnotherLink = "Request another link";
export const signIn = "Sign in";

// forgot.tsx
export const resetYourPassword = "Reset your password";
export const enterYourEMailAddress = "Enter your e-mail address. You receive a mail with a link, where you choose a new password.";
export const eMail = "E-mail";
export const tenant = "Tenant";
export const onlyIfYourAddressIsUsed = "Only if your address is used in several tenants and you want the link for one of them.";
export const sendTheLink = "Send the link";
export const sending = "Sending…";
export const checkYourMail = "Check your mail";
export const ifAUserWithThePassword = (email: ReactNode) =>
  rich`If ${email} belongs to a user with a password, a mail with a link was sent there. The link works once, and for an hour.`;
export const noMailArrivesIfYou =
  "If no mail arrives, ask an administrator. You may sign in through your company's identity provider, or mail may not be set up. You receive at most three links in an hour.";
