import type { Insert } from "../format";

// batch.ts
export const countFailedMessage = (count: Insert, message: Insert) => `; ${count} failed: ${message}`;

// client.ts
export const theServiceCannotBeReachedNothing = "The service cannot be reached. Nothing was changed. Try again.";

// session.ts
export const theServiceReturnedStatusStatus = (status: Insert) => `The service returned status ${status}.`;
export const theServiceCannotBeReachedCheck = "The service cannot be reached. Check your connection and try again.";
export const youAreSignedOutThisChange = "You are signed out. This change was not sent.";
