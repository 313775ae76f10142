import type { ReactNode } from "react";
import { type Insert, rich } from "../format";

// actions.tsx
export const createPasswordLink = "Create password link";
export const theUserSetsANewPassword =
  "The user sets a new password with the link. Earlier links stop working, and the sessions of the user end.";
export const create = "Create";
export const endSessions = "End sessions";
export const theUserIsSignedOutEverywhere = "The user is signed out everywhere within seconds, and can sign in again.";
export const removeSecondFactor = "Remove second factor";
export const forUsersWhoHaveLostTheir =
  "For users who have lost their phone. The password alone signs them in until they set up a new factor. Their sessions end.";
export const remove = "Remove";
export const disableUser = "Disable user";
export const theUserIsSignedOutWithin =
  "The user is signed out within seconds and cannot sign in until an administrator enables the user again.";
export const disable = "Disable";
export const deleteUser = "Delete user";
export const signInMethodsNameEMail =
  "Sign-in methods, name, e-mail address and roles are deleted. The audit log keeps past actions under an ID. You cannot undo this.";
export const userDeleted = "User deleted.";
export const more = "More";
export const moreActionsForThisUser = "More actions for this user";
export const createNewInvitation = "Create new invitation";
export const enable = "Enable";
export const sessionsEnded = "Sessions ended.";
export const secondFactorRemoved = "Second factor removed.";
export const userDisabled = "User disabled.";
export const userEnabled = "User enabled.";

// edit.tsx
export const savedTheChangeIsEffectiveAt = "Saved. The change is effective at once.";
export const edit = "Edit";
export const save = "Save";
export const name = "Name";
export const eMail = "E-mail";
export const roles = "Roles";
export const person = "Person";
export const managersAndOwnersSeeWhatThis = "Managers and owners see what this person manages or owns.";

// invite.tsx
export const inviteUser = "Invite user";
export const theUserGetsALinkFrom = "The user gets a link from you to set a password. It is valid for one hour.";
export const invite = "Invite";
export const managersAndOwnersWithoutALinked = "Managers and owners without a linked person see no people.";
export const theUserSeesThePersonsOwn = "The user sees the person's own record, access and requests.";

// link.tsx
export const sendThisLink = "Send this link";
export const whoUsesThisLinkToSet = (who: ReactNode, expiresAt: ReactNode) =>
  rich`${who} uses this link to set a password. It works once and expires ${expiresAt}. It is not shown again. You can create another one at any time.`;
export const oneTimeLink = "One-time link";
export const done = "Done";

// page.tsx
export const none = "none";
export const state = "State";
export const secondFactor = "Second factor";
export const on = "on";
export const off = "off";
export const findings = "Findings";
export const review = "review";
export const lastSignIn = "Last sign-in";
export const all = "All";
export const administrators = "Administrators";
export const invited = "Invited";
export const disabled = "Disabled";
export const active = "active";
export const invitedLower = "invited";
export const disabledLower = "disabled";
export const role = "Role";
export const users = "Users";
export const peopleWhoCanSignInAnd = "People who can sign in, and their roles.";
export const namesAndAddresses = "names and addresses";
export const noUsersYet = "No users yet";
export const inviteAUserTheySetA = "Invite a user. They set a password with a link that you send.";

// providerform.tsx
export const administrator = "Administrator";
export const manager = "Manager";
export const resourceOwner = "Resource owner";
export const auditor = "Auditor";
export const saved = "Saved";
export const providerAdded = "Provider added";
export const add = "Add";
export const lowerCaseLettersDigitsAndHyphens = "Lower-case letters, digits and hyphens.";
export const issuer = "Issuer";
export const exactlyAsInTheTokensOf = "Exactly as in the tokens of the provider.";
export const clientId = "Client ID";
export const clientSecret = "Client secret";
export const emptyForAPublicClientEnter = "Empty for a public client. Enter it again after you change the issuer.";
export const allowedEMailDomainsOnePer = "Allowed e-mail domains, one per line";
export const leaveEmptyToAllowAny = "Leave empty to allow any.";
export const claimWithTheGroups = "Claim with the groups";
export const groups = "groups";
export const createAUserAtTheFirst = "Create a user at the first sign-in";
export const requiresAllowedEMailDomains = "Requires allowed e-mail domains.";
export const additionalScopesOnePerLine = "Additional scopes, one per line";
export const defaultProfileAndEmail = "Default: profile and email.";
export const moreSettings = "More settings";
export const groupsAndTheirRoles = "Groups and their roles";
export const group = "Group";
export const addGroup = "Add group";

// providers.tsx
export const singleSignOn = "Single sign-on";
export const peopleSignInWithYourIdentity = "People sign in with your identity provider (OpenID Connect) and get roles from its groups.";
export const settings = "Settings";
export const addProvider = "Add provider";
export const noIdentityProvidersYet = "No identity providers yet";
export const addYourIdentityProviderToEnable = "Add your identity provider to enable single sign-on.";
export const editName = (name: Insert) => `Edit ${name}`;
export const registerThisRedirectAddressAtThe = (id: ReactNode) => rich`Register this redirect address at the provider: ${id}`;
export const providerEnabled = "Provider enabled";
export const providerDisabled = "Provider disabled";
export const deleteLabel = "Delete";
export const client = "Client";
export const secret = "Secret";
export const isSet = "is set";
export const nonePublicClient = "none (public client)";
export const eMailDomains = "E-mail domains";
export const any = "any";
export const unknownUsers = "Unknown users";
export const areCreated = "are created";
export const areRejected = "are rejected";
export const groupsClaim = "Groups claim";
export const disableName = (name: Insert) => `Disable ${name}?`;
export const usersCannotSignInWithThis = "Users cannot sign in with this provider until it is enabled again.";
export const deleteName = (name: Insert) => `Delete ${name}?`;
export const usersCanNoLongerSignIn =
  "Users can no longer sign in with this provider. Its sessions end at once, and roles from its groups end, except those of the last administrator.";
export const providerDeleted = "Provider deleted";

// user.tsx
export const thisIsYourOwnUserAnother = "This is your own user. Another administrator must change your roles, or disable or delete you.";
export const account = "Account";
export const noneSeesTheOwnRecordOnly = "none: sees the own record only";
export const created = "Created";
export const subjectAtTheProvider = "Subject at the provider";
export const id = "ID";
export const notLinked = "not linked";
export const somebody = "somebody";

// words.tsx
export const administratorSeesAndChangesTheWhole = "Administrator: sees and changes the whole tenant";
export const auditorSeesTheWholeTenantAnd = "Auditor: sees the whole tenant and changes nothing";
export const managerSeesDirectAndIndirectReports = "Manager: sees direct and indirect reports";
export const ownerSeesTheHoldersOfOwned = "Owner: sees the holders of owned access";
export const administratorLower = "administrator";
export const auditorLower = "auditor";
export const managerLower = "manager";
export const owner = "owner";
export const serviceOperator = "service operator";
export const thisUserIsAnAdministratorAnd =
  "This user is an administrator and an auditor, so they could audit their own work. Remove one of the two roles.";
export const theLinkedPersonHasLeftOr = "The linked person has left or is inactive, but can still sign in.";
export const theLinkedPersonNoLongerExists = "The linked person no longer exists.";
