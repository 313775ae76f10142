import { expect, test } from "vitest";
import { settingOverrides } from "./overrides";

const view = {
  write_mode: "auto",
  account: {
    username: { expression: "identity.email" },
    attributes: [],
    container: null,
    credential: { mode: "none" },
    enabled_on_create: true,
  },
  native_grant_policy: "review",
  drift: { direction: "report" },
  breaker: { max_failures: 10 },
  deprovision: { disable: true, keep_groups: false, delete_after: null },
} as const;

test("what nobody has set is not sent", () => {
  const all = [
    "write_mode",
    "account.username",
    "account.attributes",
    "account.container",
    "account.credential",
    "account.enabled_on_create",
  ];
  const defaults = [...all, "deprovision", "native_grant_policy", "drift", "breaker"];
  expect(settingOverrides({ ...view, defaults } as never)).toEqual({});
});

test("members of the account template are told apart", () => {
  const defaults = [
    "account.attributes",
    "account.container",
    "account.credential",
    "account.enabled_on_create",
    "drift",
    "breaker",
    "native_grant_policy",
  ];
  expect(settingOverrides({ ...view, defaults } as never)).toEqual({
    write_mode: "auto",
    account: { username: { expression: "identity.email" } },
    deprovision: { disable: true, keep_groups: false },
  });
});
