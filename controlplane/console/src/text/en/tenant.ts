import type { ReactNode } from "react";
import { rich } from "../format";

// attributes.tsx
export const text = "Text";
export const numberLabel = "Number";
export const yesOrNo = "Yes or no";
export const date = "Date";
export const singleChoice = "Single choice";
export const multipleValues = "Multiple values";
export const customAttributes = "Custom attributes";
export const fieldsOfPeopleBeyondTheStandard = "Fields of people beyond the standard ones. Conditions of policies and roles can use them.";
export const settings = "Settings";
export const saved = "Saved";
export const save = "Save";
export const keepAttributesThatAreNotDefined = "Keep attributes that are not defined here";
export const otherwiseASyncOmitsThemAnd = "Otherwise a sync omits them and reports it.";
export const noAttributesYet = "No attributes yet";
export const defineAttributesThatYourSystemsProvide = "Define attributes that your systems provide, such as cost unit, ward or license.";
export const addAnAttribute = "Add an attribute";
export const newAttribute = "New attribute";
export const name = "Name";
export const typeLabel = "Type";
export const description = "Description";
export const allowedValuesOnePerLine = "Allowed values, one per line";
export const required = "Required";
export const personalData = "Personal data";
export const remove = "Remove";

// lifecycle.tsx
export const leadTimeBeforeTheFirstDay = "Lead time before the first day";
export const onTheFirstDay = "on the first day";
export const noticePeriodBeforeTheLastDay = "Notice period before the last day";
export const asSoonAsTheLastDay = "as soon as the last day is known";
export const gracePeriodAfterAMove = "Grace period after a move";
export const accessEndsAtOnce = "access ends at once";
export const aPolicyCanOverrideIt = "A policy can override it.";
export const deleteDisabledAccountsOfLeaversAfter = "Delete disabled accounts of leavers after";
export const archiveLeaversAndMinimizeTheirData = "Archive leavers and minimize their data after";
export const stayUnchanged = "Stay unchanged";
export const areDisabledUntilTheReturn = "Are disabled until the return";
export const joinersMoversAndLeavers = "Joiners, movers and leavers";
export const accountsDuringLeave = "Accounts during leave";
export const matchRehiresByTheAttribute = "Match rehires by the attribute";
export const inAdditionToTheEmployeeNumber =
  "In addition to the employee number, for example a national number. Empty: employee number only.";
export const timeZoneForFirstAndLast = "Time zone for first and last days";

// orphans.tsx
export const accountsWithoutAnOwner = "Accounts without an owner";
export const daysWithoutAnOwnerBeforeAn = "Days without an owner before an account counts as orphaned";
export const accountsThatCannotBelongToA = "Accounts that cannot belong to a person count as orphaned at once.";

// page.tsx
export const tenant = "Tenant";
export const settingsForTheWholeTenant = "Settings for the whole tenant.";
export const general = "General";
export const address = "Address";
export const shortName = "Short name";
export const region = "Region";
export const state = "State";
export const stage = "Stage";
export const created = "Created";
export const auditLogOnly = "Audit log only";
export const auditLogAndWebhook = "Audit log and webhook";
export const timeZone = "Time zone";
export const timeZoneOfDatesSuchAs = "Time zone of dates, such as Europe/Paris. Empty: UTC.";
export const notificationWhenAServiceOperatorWorks = "Notification when a service operator works in this tenant";
export const callbackHosts = "Callback hosts";
export const hostsThatSyncProgressMayBe =
  "Hosts that sync progress may be sent to, separated by spaces. Leave empty to allow every public host.";

// writing.tsx
export const writingToTargetSystems = "Writing to target systems";
export const onChangesAreSentToThe = "On: changes are sent to the connected systems, as each connector allows.";
export const noneGiven = "none given";
export const offSinceChangedAtNoChange = (changedAt: ReactNode, reason: ReactNode) =>
  rich`Turned off ${changedAt}. No change is sent to any system. Tasks are planned and wait. Reason: ${reason}`;
