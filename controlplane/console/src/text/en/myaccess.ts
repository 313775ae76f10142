import type { Insert } from "../format";

// page.tsx
export const myAccess = "My access";
export const yourAccountsAndEntitlementsTheirReasons = "Your accounts and entitlements, their reasons and end dates.";
export const requestAccess = "Request access";
export const yourSignInIsNotLinked = "Your sign-in is not linked to a person";
export const accessBelongsToPeopleAnAdministrator =
  "Access belongs to people. An administrator can link your sign-in to your record under Settings, Users.";
export const access = "Access";
export const account = "Account";
export const reason = "Reason";
export const basis = "Basis";
export const since = "Since";
export const ends = "Ends";
export const returnEntitlement = (entitlement: Insert) => `Return ${entitlement}`;
export const returnLabel = "Return";
export const person = "Person";
export const owner = "Owner";
export const youHaveNoAccessYet = "You have no access yet";
export const accessThatYouRequestOrThat = "Access that you request, or that a policy grants, is listed here.";
export const accounts = "Accounts";
export const myAccounts = "My accounts";
export const youHaveNoAccountsYet = "You have no accounts yet";
export const yourAccountsInTheConnectedSystems = "Your accounts in the connected systems are listed here.";

// return.tsx
export const returnRequestNumberValueSubmittedThe = (numberValue: Insert) =>
  `Return request ${numberValue} submitted. The Requests page shows its state.`;
export const returnAccess = "Return access";
export const optionalShownInTheHistoryOf = "Optional. Shown in the history of the access.";
