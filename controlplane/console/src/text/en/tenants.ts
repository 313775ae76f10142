import type { ReactNode } from "react";
import { type Insert, rich } from "../format";

// create.tsx
export const create = "Create";
export const name = "Name";
export const shortName = "Short name";
export const lowerCaseLettersDigitsAndHyphens = "Lower-case letters, digits and hyphens. It is part of the address and cannot be changed.";
export const useOnlyLowerCaseLettersDigits = "Use only lower-case letters, digits and inner hyphens, and a name that no other tenant has.";
export const eMailOfTheFirstAdministrator = "E-mail of the first administrator";
export const nameOfTheFirstAdministrator = "Name of the first administrator";
export const region = "Region";
export const locationOfTheDataAsFree = "Location of the data, as free text.";
export const timeZone = "Time zone";
export const sectorPacks = "Sector packs";

// limits.tsx
export const saved = "Saved";
export const save = "Save";
export const requestsPerSecond = "Requests per second";
export const defaultRateLimit = "Default: 100.";
export const burst = "Burst";
export const defaultTwiceTheRate = "Default: twice the rate.";

// page.tsx
export const state = "State";
export const stage = "Stage";
export const created = "Created";
export const all = "All";
export const active = "Active";
export const suspended = "Suspended";
export const closing = "Closing";
export const tenants = "Tenants";
export const allTenantsOfThisServiceYour = "All tenants of this service. Your actions here are recorded in the operators' audit log.";
export const createTenant = "Create tenant";
export const tenantNameCreatedSendThisLink = (name: ReactNode, email: ReactNode) =>
  rich`Tenant ${name} created. Send this link to ${email} to set a password and sign in. It works once, within one hour, and is not shown again. If it is lost, act in the tenant and create another link under Settings, Users.`;
export const oneTimeLink = "One-time link";
export const names = "names";
export const noTenantsYet = "No tenants yet";
export const createTheFirstTenant = "Create the first tenant.";

// tenant.tsx
export const noReasonGiven = "no reason given";
export const allDataIsDeletedPurgeAfter = (purgeAfter: ReactNode, erasedRows: Insert) =>
  rich`All data is deleted ${purgeAfter}. ${erasedRows} rows are already deleted.`;
export const address = "Address";
export const people = "People";
export const users = "Users";
export const connectors = "Connectors";
export const agents = "Agents";
export const limits = "Limits";
export const defaultLimitsForApiTokens = "Default limits for API tokens.";
export const actInTenant = "Act in tenant";
export const suspend = "Suspend";
export const resume = "Resume";
export const reopen = "Reopen";
export const close = "Close";
export const youSeeAndDoWhatIts =
  "You see and do what its administrators can, in this tab. Each request is recorded in its audit log and in yours, with your reason.";
export const withinFiveSecondsSignInsAnd =
  "Within five seconds, sign-ins and tokens stop working, agents are disconnected and syncs stop. No data is lost.";
export const allActivityContinuesWhereItStopped = "All activity continues where it stopped.";
export const signInsStopAtOnceAfter =
  "Sign-ins stop at once. After the grace period, keys and all data of the tenant are deleted, including its audit log. Until then you can reopen it.";
export const theTenantIsActiveAgainSyncs = "The tenant is active again. Syncs that were canceled stay canceled.";
export const reason = "Reason";
export const enterSlugToConfirm = (slug: Insert) => `Enter ${slug} to confirm`;
export const gracePeriod = "Grace period";
export const p30dMeans30DaysPt0sDeletes = "P30D means 30 days. PT0S deletes the data at once and permanently.";
