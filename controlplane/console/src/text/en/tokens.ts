import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// change.tsx
export const savedTheChangeIsEffectiveWithin = "Saved. The change is effective within seconds.";
export const save = "Save";
export const name = "Name";
export const purpose = "Purpose";

// create.tsx
export const createApiToken = "Create API token";
export const forAProgramItCanDo =
  "For a program. It can do what its scopes and its role both allow, as long as you are an active administrator.";
export const create = "Create";
export const helpsYouDecideLaterWhetherThe = "Helps you decide later whether the token is still needed.";
export const role = "Role";
export const theTokenHasThePermissionsOf = "The token has the permissions of this role.";
export const viewOf = "View of";
export const expiresAtTheEndOf = "Expires at the end of";
export const atMost365Days = "At most 365 days.";

// drawer.tsx
export const apiToken = "API token";
export const replace = "Replace";
export const edit = "Edit";
export const revoke = "Revoke";
export const aPerson = "A person";
export const lastUsed = "Last used";
export const from = "From";
export const ends = "Ends";
export const replacedValidUntil = "Replaced; valid until";
export const disabledIfUnusedFor = "Disabled if unused for";
export const rate = "Rate";
export const rpsPerSecondBurstBurst = (rps: Insert, burst: Insert) => `${rps} per second, burst ${burst}`;
export const default100PerSecond = "default: 100 per second";
export const networks = "Networks";
export const any = "any";
export const createdBy = "Created by";
export const created = "Created";
export const lastCharacters = "Last characters";
export const id = "ID";
export const scopes = "Scopes";
export const tokenEnabled = "Token enabled.";
export const tokenDisabledEffectiveWithinSeconds = "Token disabled, effective within seconds.";
export const disable = "Disable";
export const enable = "Enable";

// fields.tsx
export const allowedNetworks = "Allowed networks";
export const networksOnePerLine = "One per line, such as 203.0.113.0/24. Leave empty to allow any address.";
export const requestsPerSecond = "Requests per second";
export const leaveEmptyForTheDefaultOf = "Leave empty for the default of 100.";
export const burst = "Burst";
export const maximumNumberOfSimultaneousRequestsDefault = "Maximum number of simultaneous requests. Default: twice the rate.";
export const disableIfUnusedFor = "Disable if unused for";
export const oneHourTo365Days = "One hour to 365 days.";

// page.tsx
export const all = "All";
export const inUse = "In use";
export const expiring = "Expiring";
export const disabled = "Disabled";
export const ended = "Ended";
export const state = "State";
export const theLastCharactersOfItsJti = "The last characters of its jti, as shown in logs";
export const apiTokens = "API tokens";
export const tokensOfProgramsThatUseThe = "Tokens of programs that use the API: permissions, usage and expiry.";
export const createToken = "Create token";
export const names = "names";
export const noApiTokensYet = "No API tokens yet";
export const createASeparateTokenForEach = "Create a separate token for each program, so that you can revoke each one.";

// revoke.tsx
export const replaceToken = "Replace token";
export const createsATokenWithTheSame =
  "Creates a token with the same permissions and lifetime. The current token works for a while, so that you can update programs.";
export const overlapOfTheCurrentToken = "Overlap of the current token";
export const atMost7Days = "At most 7 days.";
export const tokenRevoked = "Token revoked.";
export const revokeToken = "Revoke token";
export const theTokenAndAllTokensCreated =
  "The token, and all tokens created with it, stop working within five seconds. Programs that use them fail. You cannot undo this.";
export const theTokenWasStolen = "The token was stolen";
export const alsoRevokesItsReplacementAndAll = "Also revokes its replacement, and all tokens created with it.";

// scopes.tsx
export const resource = "Resource";
export const read = "Read";
export const write = "Write";
export const operations = (count: Count) => plural(count, { one: "# operation", other: "# operations" });

// secret.tsx
export const copyTheTokenNow = "Copy the token now";
export const tokenNameIsShownOnlyOnce = (name: ReactNode) =>
  rich`Token ${name} is shown only once. Anyone with the token has its permissions, so store it in a secret store.`;
export const token = "Token";
export const thePreviousTokenWorksUntilIts = (until: ReactNode) =>
  rich`The previous token works until its first replacement use, at most until ${until}.`;
export const programsSendItAsCode = (code: ReactNode) => rich`Programs send it as ${code}`;
export const iHaveCopiedIt = "I have copied it";
export const done = "Done";

// words.tsx
export const auditorReadsTheWholeTenant = "Auditor: reads the whole tenant";
export const administratorReadsAndChangesTheWhole = "Administrator: reads and changes the whole tenant";
export const managerViewOfOneManager = "Manager: view of one manager";
export const ownerViewOfOneOwner = "Owner: view of one owner";
export const theTokenWasDisabledByAn = "The token was disabled by an administrator.";
export const theTokenWasDisabledBecauseIt = "The token was disabled because it was not used.";
export const theTokenWasDisabledBecauseIts = "The token was disabled because its creator is no longer an active administrator.";
export const theTokenWasDisabledBecauseThe = "The token was disabled because the token that created it is disabled or revoked.";
