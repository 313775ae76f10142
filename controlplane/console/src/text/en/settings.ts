import type { ReactNode } from "react";
import { type Count, type Insert, plural, rich } from "../format";

// agent.ts
export const edge = "Edge";
export const opera = "Opera";
export const firefox = "Firefox";
export const chrome = "Chrome";
export const safari = "Safari";
export const android = "Android";
export const unknown = "Unknown";
export const browserOnSystem = (browser: Insert, system: Insert) => `${browser} on ${system}`;

// enrollment.tsx
export const addToAuthenticatorApp = "Add to authenticator app";
export const useAnyAppForOneTime = "Use any app for one-time codes. The second factor is active after you enter a code.";
export const confirm = "Confirm";
export const scanTheQrCodeWithThe = "Scan the QR code with the app, or type this key:";
export const copyTheKey = "Copy the key";
export const openInAnAppOnThis = "Open in an app on this device";
export const codeFromTheApp = "Code from the app";
export const saveTheRecoveryCodes = "Save the recovery codes";
export const eachCodeWorksOnceIfYou = "Each code works once, if you do not have the app. They are not shown again.";
export const recoveryCodes = "Recovery codes";
export const download = "Download";
export const copyAll = "Copy all";
export const iHaveSavedTheCodesIn = "I have saved the codes in a safe place";
export const done = "Done";

// factor.tsx
export const secondFactor = "Second factor";
export const on = "on";
export const off = "off";
export const authenticatorApp = "Authenticator app";
export const signingInRequiresYourPasswordAnd = (left: Count) =>
  `Signing in requires your password and a code from your authenticator app. ${plural(left, { one: "# recovery code is", other: "# recovery codes are" })} left.`;
export const withASecondFactorSigningIn = "With a second factor, signing in also requires a code from an app on your phone.";
export const toGetNewRecoveryCodesRemove = "To get new recovery codes, remove the second factor and set it up again.";
export const remove = "Remove";
export const setUp = "Set up";
export const setUpASecondFactor = "Set up a second factor";
export const firstEnterYourPassword = "First enter your password.";
export const continueLabel = "Continue";
export const password = "Password";
export const removeTheSecondFactor = "Remove the second factor";
export const afterThisYourPasswordAloneSigns = "After this, a password alone signs you in if you have no passkey.";
export const secondFactorRemoved = "Second factor removed.";
export const authenticatorCodeOrRecoveryCode = "Authenticator code or recovery code";

// me.tsx
export const rows = "Rows";
export const colours = "Colours";
export const andList = (reasons: string[]) => reasons.join(" and ");
export const nobody = "nobody";
export const accountAndAppearance = "Account and appearance";
export const yourRolesTheAppearanceOfThe = "Your roles, the appearance of the console, and your sign-in methods.";
export const youAreWorkingInAnotherTenant = "You are working in another tenant. Leave it to change your sign-in methods.";
export const administratorSeesAndChangesTheWhole = "Administrator: sees and changes the whole tenant.";
export const auditorSeesTheWholeTenantAnd = "Auditor: sees the whole tenant and changes nothing.";
export const managerSeesDirectAndIndirectReports = "Manager: sees direct and indirect reports and their access.";
export const ownerSeesTheHoldersOfOwned = "Owner: sees the holders of owned access and decides about it.";
export const yourOwnRecordLower = "your own record";
export const yourTeam = "your team";
export const whatYouOwn = "what you own";
export const theWholeTenant = "the whole tenant";
export const identitiesByWhy = (identities: Insert, why: Insert) => `${identities}, by ${why}`;
export const account = "Account";
export const name = "Name";
export const eMail = "E-mail";
export const tenant = "Tenant";
export const person = "Person";
export const yourOwnRecord = "Your own record";
export const notLinkedToAPerson = "Not linked to a person";
export const visiblePeople = "Visible people";
export const operatorManagesTheTenantsOfThis = "Operator: manages the tenants of this service.";
export const youSeeYourOwnRecordYour = "You see your own record, your requests and your decision tasks.";
export const system = "System";
export const light = "Light";
export const dark = "Dark";
export const comfortable = "Comfortable";
export const compact = "Compact";
export const appearanceAndKeyboard = "Appearance and keyboard";
export const theseSettingsApplyToThisBrowser = "These settings apply to this browser only.";
export const singleKeyShortcuts = "Single-key shortcuts";
export const jAndKInListsG = "J and K in lists, G and a letter for navigation. Ctrl K, arrows and Escape always work.";

// page.tsx
export const yourAccountAppearancePasswordSecondFactor = "Your account, appearance, password, second factor and sessions";
export const whoApprovesAccessRequests = "Who approves access requests";
export const workingHoursForDueTimesAnd = "Working hours for due times, and on-call approvers";
export const programsInYourNetworkThatRun = "Programs in your network that run connectors";
export const sendEventsToOtherSystems = "Send events to other systems";
export const accessToTheApiForPrograms = "Access to the API for programs";
export const whoCanSignInAndWith = "Who can sign in, and with which roles";
export const singleSignOnWithYourIdentity = "Single sign-on with your identity provider";
export const nameTimeZoneAndSettingsFor = "Name, time zone, and settings for joiners, movers and leavers";
export const customAttributesOfPeople = "Custom attributes of people";
export const backgroundWorkThatWaitsOrFailed = "Background work that waits or failed";
export const retentionAndStreamsOfTheAudit = "Retention and streams of the audit log";
export const settings = "Settings";
export const settingsOfThisTenantThatYou = "Settings of this tenant that you can view.";
export const more = "More";
export const documentation = "Documentation";
export const console = "console";
export const guidesAndReference = "Guides and reference";

// password.tsx
export const youSignInWithYourCompanys =
  "You sign in with your company's identity provider and have no password here. An administrator can send you a link to set one.";
export const passwordChangedYourOtherSessionsHave = "Password changed. Your other sessions have ended.";
export const changePassword = "Change password";
export const currentPassword = "Current password";
export const newPassword = "New password";
export const n12To256CharactersUseSeveral = "12 to 256 characters. Use several words. Common passwords are rejected.";
export const theCurrentPasswordIsWrong = "The current password is wrong.";

// qrpicture.tsx
export const qrCodeForYourAuthenticatorApp = "QR code for your authenticator app, with the same key as below";

// sessions.tsx
export const passwordLower = "password";
export const passwordAndPasskey = "password and passkey";
export const passkeyLower = "passkey";
export const passwordAndSecondFactor = "password and second factor";
export const oneTimeLink = "one-time link";
export const singleSignOn = "single sign-on";
export const sessionEnded = "Session ended.";
export const sessions = "Sessions";
export const signOutEverywhere = "Sign out everywhere";
export const client = "Client";
export const signInMethod = "Sign-in method";
export const address = "Address";
export const started = "Started";
export const lastUsed = "Last used";
export const current = "current";
export const endSessionAgent = (agent: Insert) => `End session: ${agent}`;
export const end = "End";
export const endsAllYourSessionsIncludingThis = "Ends all your sessions, including this one. Unsaved changes in other tabs are lost.";

// passkeys.tsx
export const passkeys = "Passkeys";
export const noPasskeysYet =
  "A passkey signs you in with your fingerprint, face or PIN, without a password. With a passkey, signing in with your password requires a second factor.";
export const passkeysWorkAt = (address: ReactNode) => rich`Passkeys do not work at this address. Open ${address} to use them.`;
export const passkeysAreNotAvailable =
  "Passkeys are not available, because they need HTTPS and a host name. Ask the operator of this service to set its base URL.";
export const passkeysNeedAPassword = "To use passkeys, first set a password: ask an administrator for a sign-in link.";
export const addPasskey = "Add passkey";
export const addAPasskey = "Add a passkey";
export const nameOfPasskey = "Name";
export const nameThePasskeyAfter = "Name it after the device or the password manager that stores it.";
export const passkeyAdded = "Passkey added.";
export const created = "Created";
export const synced = "Synced";
export const neverUsed = "Never";
export const rename = "Rename";
export const renamePasskeyName = (name: string) => `Rename passkey ${name}`;
export const deletePasskeyName = (name: string) => `Delete passkey ${name}`;
export const renamePasskey = "Rename the passkey";
export const passkeyRenamed = "Passkey renamed.";
export const deleteLabel = "Delete";
export const deletePasskey = "Delete the passkey?";
export const itNoLongerSignsYouIn = "It no longer signs you in. Also delete it on your device, which still offers it.";
export const passkeyDeleted = "Passkey deleted.";
export const confirmWith = "Confirm with";
export const onePasskey = "A passkey";
export const anAuthenticatorCode = "An authenticator code or recovery code";
export const theBrowserAsksForYourPasskey = "Your browser asks for one of your passkeys when you continue.";
