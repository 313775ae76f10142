import { plural } from "../format";

// signinrules.tsx
export const signInRules = "Sign-in rules";
export const lead =
  "Rules give console sign-in to people, for example to everyone who manages people or owns access. An approver who cannot sign in counts as absent.";
export const users = "Users";
export const addRule = "Add rule";
export const noRulesYet = "No sign-in rules yet";
export const addARuleInsteadOf = "Add a rule instead of inviting each manager and owner.";
export const editName = (name: string) => `Edit ${name}`;
export const edit = "Edit";
export const enable = "Enable";
export const disable = "Disable";
export const deleteLabel = "Delete";
export const ruleEnabled = "Rule enabled. People get sign-in within minutes.";
export const ruleDisabled = "Rule disabled. Its users can no longer sign in.";
export const ruleDeleted = "Rule deleted. Its users can no longer sign in.";
export const disableName = (name: string) => `Disable ${name}?`;
export const deleteName = (name: string) => `Delete ${name}?`;
export const usersOfTheRuleLose = "Users of this rule are disabled and signed out, unless another rule applies to them.";
export const appliesTo = "Applies to";
export const roles = "Roles";
export const noRoles = "none: the person's own record, access and requests";
export const invitation = "Invitation";
export const people = "People";
export const limitPerDay = "Limit";
export const percentPerDay = (percent: number) => `${percent}% of its people lose sign-in in 24 hours at most, or five`;
export const held = (n: number) =>
  plural(n, {
    one: "This rule is held: # person would lose sign-in within a day, which is more than its limit.",
    other: "This rule is held: # people would lose sign-in within a day, which is more than its limit.",
  });
export const acceptTheLosses = "Accept the losses";
export const acceptQuestion = "Accept the losses?";
export const accept = "Accept";
export const evaluatesWithoutLimit =
  "The rule is evaluated for everyone without its limit. People who no longer meet it are disabled and signed out.";
export const lossesAccepted = "Losses accepted.";
export const manager = "manager";
export const owner = "owner";
export const auditor = "auditor";
export const byMail = "by mail, at once";
export const bySignOn = "at the first single sign-on";

// signinruleform.tsx
export const name = "Name";
export const responsibleFor = "People who";
export const managePeople = "manage people";
export const ownAccess = "own entitlements or roles";
export const oneIsEnough = "With both, one is enough. With neither, the rule applies to everyone who meets the condition.";
export const andMeet = "And who meet this condition";
export const rolesOfTheUsers = "Roles of the users";
export const managerSees = "Manager: sees direct and indirect reports";
export const ownerSees = "Owner: sees the holders of owned access";
export const auditorSees = "Auditor: sees the whole tenant";
export const howTheyAreInvited = "Invitation";
export const mailOption = "By mail: the user is created at once and gets a one-time link";
export const signOnOption = "By single sign-on: the user is created at the first sign-in";
export const limit = "Limit of losses in 24 hours, in percent";
export const limitHint = "The rule is held if more of its people would lose sign-in. Leavers do not count, and five may always.";
export const enabled = "Enabled";
export const nothingHappensUntil = "Nothing happens until the rule is enabled. Preview it first.";
export const save = "Save";
export const add = "Add";
export const ruleAdded = "Rule added.";
export const saved = "Saved.";
export const preview = "Preview";
export const previewAgain = "Preview again";
export const peopleMeet = (n: number) => plural(n, { one: "# person meets the rule.", other: "# people meet the rule." });
export const gained = (n: number) => plural(n, { one: "# person gets sign-in.", other: "# people get sign-in." });
export const lost = (n: number) => plural(n, { one: "# person loses sign-in.", other: "# people lose sign-in." });
export const wouldBeHeld = (limit: number) =>
  plural(limit, {
    one: "The rule would be held: at most # person may lose sign-in within a day.",
    other: "The rule would be held: at most # people may lose sign-in within a day.",
  });
export const person = "Person";
export const eMail = "E-mail";
export const effect = "Effect";
export const effectCount = (effect: string, n: string) => `${effect}: ${n}`;
export const firstPeople = "The first 200 people";
export const invited = "invited";
export const atFirstSignIn = "user at the first sign-in";
export const enabledAgain = "enabled again";
export const hasUser = "has a user already";
export const noEmail = "no e-mail address";
export const addressTaken = "another user has the address";
export const disabledLower = "disabled";
export const kept = "kept by another rule or an administrator";
export const notUsed = "no user yet";
