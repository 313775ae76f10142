import { type Count, type Insert, plural } from "../format";

// duties.tsx
export const duty = "Duty";
export const process = "Process";
export const members = "Members";
export const entitlements = "Entitlements";
export const usable = "in use";
export const notUsed = "not used";
export const unused = "Not used";
export const updated = "Updated";
export const namesAndProcesses = "names and processes";
export const noDutiesYet = "No duties yet";
export const noDutiesLead = "A duty is a function of the business, such as paying invoices, with the access that performs it.";
export const newDuty = "New duty";
export const yes = "yes";
export const no = "no";
export const usedByAPolicy = "Used";

// duty.tsx
export const deleteThisDuty = "Delete this duty?";
export const deleteDutyLead = "Its versions stay in the history.";
export const dutyDeleted = (name: Insert) => `${name} deleted.`;
export const dutySaved = (name: Insert) => `${name} saved.`;
export const dutyInUseLead = (n: Count) =>
  plural(n, {
    one: "# policy names this duty, so it cannot be deleted. Remove it from the policy first.",
    other: "# policies name this duty, so it cannot be deleted. Remove it from the policies first.",
  });
export const cannotBeDeletedYet = "Duty in use";
export const blindDutyNote =
  "A group has no entitlement in a connected system, so no one can perform this duty. Policies find no violations through it until the access is read.";
export const policiesThatNameIt = "Policies with this duty";
export const notNamedYet = "No policy names this duty";
export const notNamedLead = "Put it on a side of a policy.";
export const groupN = (n: Insert) => `Group ${n}`;
export const oneOfEachGroup = "A person performs the duty with at least one member of each group.";
export const oneOfTheGroup = "A person performs the duty with any of these members.";
export const membersOfTheGroup = (n: Insert) => `Members of group ${n}`;
export const entitlementCount = (n: Count) => plural(n, { one: "# entitlement", other: "# entitlements" });
export const notReadYet = "not read yet";
export const noLongerExists = "no longer exists";
export const showMoreMembers = (n: Count) => plural(n, { one: "Show # more member", other: "Show # more members" });
export const versionOfDuty = (members: Count, groups: Count) =>
  `${plural(members, { one: "# member", other: "# members" })} in ${plural(groups, { one: "# group", other: "# groups" })}`;
export const memberKinds: Record<string, string> = {
  entitlement: "entitlement",
  role: "role",
  duty_tag: "duty tag",
  connector: "all of a system",
  external: "external ID",
};

// dutyeditor.tsx
export const processHint = "The business process, such as Purchase to pay.";
export const addAMember = "Add a member";
export const kindOfMember = "Kind of member";
export const entitlementLabel = "Entitlement";
export const roleLabel = "Role";
export const dutyTagLabel = "Duty tag";
export const systemLabel = "System";
export const externalIdLabel = "External ID";
export const externalIdHint = "The ID in the system. It may be unknown until a sync run reads it.";
export const dutyTagHint = "All entitlements with this tag, and those of roles with it.";
export const add = "Add";
export const addGroup = "Add group";
export const removeGroupN = (n: Insert) => `Remove group ${n}`;
export const removeMember = (name: Insert) => `Remove ${name}`;
export const severalGroupsHint =
  "With several groups, a person needs one member of each, such as a transaction and an organizational level.";
export const noMembersYet = "No members yet.";
export const dutyLead =
  "A duty is a function of the business with the access that performs it. A change applies to all policies with the duty.";

// newduty.tsx
export const newDutyLead = "Define which access performs a function of the business. Policies name duties on their sides.";
