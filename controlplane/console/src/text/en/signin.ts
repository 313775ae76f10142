// callback.tsx
export const signInFailed = "Sign-in failed";
export const signingIn = "Signing in…";
export const backToSignIn = "Back to sign in";
export const yourProviderConfirmedTheSignIn = "Your provider confirmed the sign-in. This takes a moment.";

// invitation.tsx
export const chooseAPassword = "Choose a password";
export const youSignInWithThisPassword = "You sign in with this password from now on. Your earlier sessions end.";
export const newPassword = "New password";
export const n12To256CharactersUseSeveral = "12 to 256 characters. Use several words. Common passwords are rejected.";
export const yourAccountHasASecondFactor = "Your account has a second factor. Enter its code to set the password.";
export const saving = "Saving…";
export const setPasswordAndSignIn = "Set password and sign in";
export const theLinkIsNotValid = "The link is not valid";
export const theLinkWasUsedBeforeIs =
  "The link was used before, is more than an hour old, or is incomplete. Ask an administrator for a new one. If you have a password, sign in with it.";
export const signIn = "Sign in";
