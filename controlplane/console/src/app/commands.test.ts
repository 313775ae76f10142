import { expect, test } from "vitest";
import type { Permissions } from "../api/use";
import { commands, matching, screenEntries } from "./commands";

const noPermissions: Permissions = {
  admin: false,
  manager: false,
  owner: false,
  auditor: false,
  operator: false,
  oversees: false,
  readOnly: false,
};
const words = (may: Permissions) =>
  [
    ...screenEntries(may),
    ...commands(
      may,
      "/people/1",
      () => {},
      () => {},
    ),
  ].map((o) => o.words);

test("somebody is offered what they may open, and nothing else", () => {
  const mine = words(noPermissions);
  expect(mine).toContain("Go to Inbox");
  expect(mine).toContain("Request access");
  expect(mine).toContain("Help for this page");
  for (const closed of ["Go to Connectors", "Connect a system", "Invite a user", "Go to Tenants"]) expect(mine).not.toContain(closed);
  const admins = words({ ...noPermissions, admin: true, oversees: true });
  for (const open of ["Go to Connectors", "Connect a system", "Invite a user", "Create an API token"]) expect(admins).toContain(open);
  expect(words({ ...noPermissions, auditor: true, oversees: true, readOnly: true })).not.toContain("Add a person");
});

test("what begins with what was typed comes first", () => {
  const all = screenEntries({ ...noPermissions, admin: true, oversees: true });
  expect(matching(all, "acc")[0]?.words).toBe("Go to Accounts");
  expect(matching(all, "log aud").map((o) => o.words)).toEqual(["Go to Audit log"]);
  expect(matching(all, "zz")).toEqual([]);
});
