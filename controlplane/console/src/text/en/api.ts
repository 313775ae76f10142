import type { Insert } from "../format";

// batch.ts
export const countFailedMessage = (count: Insert, message: Insert) => `; ${count} failed: ${message}`;

// client.ts
export const theServiceCannotBeReachedNothing = "The service cannot be reached. Nothing was changed. Try again.";

// session.ts
export const theServiceReturnedStatusStatus = (status: Insert) => `The service returned status ${status}.`;
export const theServiceCannotBeReachedCheck = "The service cannot be reached. Check your connection and try again.";
export const youAreSignedOutThisChange = "You are signed out. This change was not sent.";

// passkey.ts
export const thisDeviceAlreadyHasAPasskey = "This device already has a passkey for your account.";
export const thePasskeyWasNotUsed = "No passkey was used. Try again, or use another method.";
export const theBrowserCannotUseThePasskey = "The browser cannot use the passkey. Try again, or use another method.";
