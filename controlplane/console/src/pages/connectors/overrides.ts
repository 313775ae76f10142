import type { Of } from "../../api/types";

type View = Of<"ProvisioningView">;

/**
 * What somebody has set about writing, as PUT takes it. What nobody has set is left out, so that it stays as the connector's type has it and
 * gets better when that does.
 */
export function settingOverrides(view: View): Of<"ProvisioningSettings"> {
  const own = (member: string) => !view.defaults.includes(member);
  const account = Object.fromEntries(Object.entries(view.account).filter(([m, v]) => own(`account.${m}`) && v !== null));
  return {
    ...(own("write_mode") ? { write_mode: view.write_mode } : {}),
    ...(Object.keys(account).length > 0 ? { account } : {}),
    ...(own("native_grant_policy") ? { native_grant_policy: view.native_grant_policy } : {}),
    ...(own("drift") ? { drift: view.drift } : {}),
    ...(own("breaker") ? { breaker: view.breaker } : {}),
    ...(own("deprovision") ? { deprovision: deprovision(view.deprovision.keep_groups, view.deprovision.delete_after) } : {}),
  };
}

/** What becomes of accounts of leavers, as PUT takes it: disabled first, always. */
export const deprovision = (keep: boolean, after: string | null | undefined) => ({
  disable: true,
  keep_groups: keep,
  ...(after ? { delete_after: after } : {}),
});
