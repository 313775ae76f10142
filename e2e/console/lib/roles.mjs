// What somebody may open and do.
import { places } from "./tools.mjs";

/** The roles of somebody of scene.users, by their name. */
export const rolesOf = { admin: ["admin"], auditor: ["auditor"], manager: ["manager"], owner: ["resource_owner"], member: [], operator: ["admin", "operator"] };

/** Whether somebody may open a screen. */
export const mayOpen = (who, place) => !place.roles || place.roles.some((r) => rolesOf[who].includes(r));

/** Whether the navigation offers a screen that somebody may open. */
export const inRail = (who, place) => mayOpen(who, place) && (!place.navRoles || place.navRoles.some((r) => rolesOf[who].includes(r)));

/** The screens on which something is made, to which whoever only reads is led by nothing. */
const writes = places.filter((p) => p.write).map((p) => new RegExp(`^${p.path.replaceAll(/\$\w+/g, "[^/]+")}$`).source);

/**
 * The controls of a page's main part that change something. A control is harmless when it, or what it stands in, carries data-reads:
 * filters, views, search, sorting, paging, CSV, copying, and one's own settings. Tabs and what unfolds are harmless as they are.
 */
export const controls = (page) =>
  page.evaluate((writes) => {
    const all = "button,input,select,textarea,[role=button],[role=switch],[role=checkbox],[role=menuitem],[contenteditable=true]";
    const visible = (e) => e.checkVisibility?.({ checkVisibilityCSS: true }) ?? true;
    const say = (e) => `${e.tagName.toLowerCase()} "${(e.getAttribute("aria-label") ?? e.textContent ?? e.getAttribute("name") ?? "").trim().slice(0, 40) || e.getAttribute("name") || e.id}"`;
    const scope = [...document.querySelectorAll("main, [role=dialog], [role=menu]")];
    const found = scope.flatMap((s) => [...s.querySelectorAll(all)]);
    const acts = found.filter((e) => !e.matches(":disabled") && e.getAttribute("aria-disabled") !== "true" && visible(e) && !e.closest("[data-reads],[role=tab]"));
    const links = scope.flatMap((s) => [...s.querySelectorAll("a[href]")]).filter((e) => writes.some((w) => new RegExp(w).test(new URL(e.href).pathname)));
    return [...acts.map(say), ...links.map((e) => `link to ${new URL(e.href).pathname}`)];
  }, writes);
