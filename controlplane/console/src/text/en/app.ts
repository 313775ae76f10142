import type { ReactNode } from "react";
import { type Insert, rich } from "../format";

// codefield.tsx
export const recoveryCode = "Recovery code";
export const code = "Code";
export const oneOfTheCodesThatWere = "One of the codes that were shown when you set up the second factor. Each code works once.";
export const theSixDigitCodeFromYour = "The six-digit code from your authenticator app.";
export const useTheAuthenticatorApp = "Use the authenticator app";
export const useARecoveryCode = "Use a recovery code";

// commands.ts
export const goToTitle = (title: Insert) => `Go to ${title}`;
export const inviteAUser = "Invite a user";
export const createAnApiToken = "Create an API token";
export const showKeyboardShortcuts = "Show keyboard shortcuts";
export const helpForThisPage = "Help for this page";
export const documentation = "Documentation";
export const copyTheAddressOfThisPage = "Copy the address of this page";
export const signOut = "Sign out";
export const signOutEverywhere = "Sign out everywhere";
export const onAllYourDevices = "on all your devices";
export const lightTheme = "Light theme";
export const darkTheme = "Dark theme";
export const systemTheme = "System theme";
export const comfortableRowHeight = "Comfortable row height";
export const compactRowHeight = "Compact row height";

// help.tsx
export const documentationOfThisPage = "Documentation of this page";

// keylist.ts
export const nextRow = "next row (also ↓)";
export const previousRow = "previous row (also ↑)";
export const everywhere = "Everywhere";
export const ctrlK = "Ctrl K";
export const searchOrEnterACommandLower = "search, or enter a command";
export const searchTheList = "search the list";
export const showKeyboardShortcutsLower = "show keyboard shortcuts";
export const esc = "Esc";
export const closeOrClearTheSearch = "close, or clear the search";
export const goTo = "Go to";
export const lists = "Lists";
export const openTheRow = "open the row";
export const selectTheRow = "select the row";
export const shiftX = "Shift X";
export const selectARangeOfRows = "select a range of rows";
export const ctrlA = "Ctrl A";
export const selectAllRowsOfThePage = "select all rows of the page";
export const inbox = "Inbox";
export const approveOrTheFirstAction = "approve, or the first action";
export const writeAComment = "write a comment";
export const undoTheLastDecision = "undo the last decision";
export const nextTask = "next task";
export const previousTask = "previous task";
export const backToTheList = "back to the list";
export const connectASystem = "Connect a system";
export const ctrlEnter = "Ctrl Enter";

// keysheet.tsx
export const keyboardShortcuts = "Keyboard shortcuts";
export const turnThemOn = "Turn them on";
export const singleKeyShortcutsAreOffIn = (link: ReactNode) => rich`Single-key shortcuts are off in this browser. ${link}`;
export const singleKeyShortcutsWorkOutsideFields =
  "Single-key shortcuts work outside fields and dialogs. You can turn them off in your settings.";

// navigation.tsx
export const main = "Main";
export const product = "Grantwright";
export const menu = "Menu";
export const search = "Search";
export const themeNextTheme = (nextTheme: Insert) => `Theme: ${nextTheme}`;
export const theme = "Theme";

// palette.tsx
export const searchAndCommands = "Search and commands";
export const searchPeopleAccessAndSystemsOr = "Search people, access and systems, or enter a command";
export const searchOrEnterACommand = "Search, or enter a command";
export const theSearchFailedForFailedType = (failed: string[]) => `The search failed for ${failed.join(" and ")}. Type again to retry.`;
export const searching = "Searching…";
export const noResults = "No results.";
export const nFound = (n: Insert) => `${n} found`;
export const recent = "Recent";
export const commands = "Commands";
export const results = "Results";

// router.tsx
export const signInGrantwright = "Sign in · Grantwright";
export const administrators = "administrators";
export const auditors = "auditors";
export const managers = "managers";
export const resourceOwners = "resource owners";
export const serviceOperators = "service operators";
export const notVisibleToYou = "Not visible to you";
export const thisPageIsForRolesAsk = (roles: string[]) => `This page is for ${roles.join(" and ")}. Ask an administrator for access.`;
export const pageNotFound = "Page not found";
export const useTheMenuOrPressCtrl = "Use the menu, or press Ctrl K to search.";

// searchresults.ts
export const people = "People";
export const access = "Access";
export const connectors = "Connectors";

// sessionexpired.tsx
export const signInAgain = "Sign in again";
export const signInAsAnotherUser = "Sign in as another user";

// shell.tsx
export const windowTitle = (page: Insert) => `${page} · Grantwright`;
export const skipToContent = "Skip to content";
export const readOnlyYouCanSeeEverything = "Read-only: you can see everything in this tenant and cannot change anything.";
export const grantwright = "Grantwright";
export const youAreWorkingInNameAs = (name: ReactNode) =>
  rich`You are working in ${name} as a service operator. Everything you view and do is recorded in its audit log and in yours.`;
export const leaveThisTenant = "Leave this tenant";
export const youAreOfflineDataMayBe = "You are offline. Data may be outdated, and changes cannot be saved.";

// signin.tsx
export const yourSessionHasExpiredYourUnsaved = "Your session has expired. Your unsaved text is still here.";
export const signIn = "Sign in";
export const eMail = "E-mail";
export const password = "Password";
export const enterTheCodeOfYourSecond = "Enter the code of your second factor.";
export const tenant = "Tenant";
export const requiredForSingleSignOnAnd = "Required for single sign-on, and if your address is used in several tenants.";
export const signingIn = "Signing in…";
export const forgotYourPassword = "Forgot your password?";
export const or = "or";
export const signInWithDisplayName = (displayName: ReactNode) => rich`Sign in with ${displayName}`;
export const inANewTab = "in a new tab";
export const signInWithAPasskey = "Sign in with a passkey";
export const useAPasskey = "Use a passkey";
export const confirmWithAPasskey = "Confirm with one of your passkeys.";

// signinoptions.ts
export const theServiceCannotBeReachedCheck = "The service cannot be reached. Check your connection and try again.";
export const wrongEMailAddressOrPassword = "Wrong e-mail address or password. After several failed attempts, wait 15 minutes.";
export const theCodeIsWrongOrWas = "The code is wrong or was used before. Wait for the next code, or use a recovery code.";
export const thePasskeyWasNotAccepted = "The passkey was not accepted. It may have been deleted here. Use another method to sign in.";
export const yourCompanysIdentityProviderRefusedThe =
  "Your company's identity provider refused the sign-in. Try again there, or contact its administrator.";
export const theResponseOfYourCompanysIdentity =
  "The response of your company's identity provider could not be verified. Try again. If the problem remains, contact an administrator.";
export const yourCompanysAccountIsNotLinked = "Your company's account is not linked to a user here. Ask an administrator to invite you.";
export const noActivePersonHasYour =
  "No active person has the e-mail address of your company's account. An administrator can correct the address, or invite you.";
export const noSignInRuleAppliesToYou = "No sign-in rule applies to you. An administrator can change a sign-in rule, or invite you.";
export const yourUserHasAnotherAddress =
  "Your user has another e-mail address than your company's account. An administrator can change the address of your user.";
export const yourCompanysIdentityProviderCannotBe =
  "Your company's identity provider cannot be reached. Try again later, or sign in with a password.";
export const yourCompanysIdentityProviderDidNotConfirm =
  "Your company's identity provider did not confirm your e-mail address. Ask the administrator of the identity provider.";
export const theSignInCouldNotBe = "The sign-in could not be completed. Try again.";
export const thisSignInWasStartedIn = "This sign-in was started in another browser, was used before, or has expired. Sign in again.";
export const tooManyFailedAttemptsTryAgain = (clock: Insert) => `Too many failed attempts. Try again after ${clock}.`;
export const theSignInFailed = "The sign-in failed.";

// unsavedguard.tsx
export const discardUnsavedChanges = "Discard unsaved changes?";
export const thisFormHasUnsavedChanges = "This form has unsaved changes.";
export const discardChanges = "Discard changes";
export const keepEditing = "Keep editing";
