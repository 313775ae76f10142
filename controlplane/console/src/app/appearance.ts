/** How the console looks and listens: kept in this browser, for this browser. */
export type Appearance = { theme?: "light" | "dark" | undefined; density?: "compact" | undefined; singleKeys?: "off" | undefined };

/** What was chosen. */
export function appearance(): Appearance {
  try {
    return JSON.parse(localStorage.getItem("look") ?? "{}") as Appearance;
  } catch {
    return {};
  }
}

/** Chooses; what is undefined goes back to what the system says. */
export function setAppearance(change: Appearance) {
  const next = { ...appearance(), ...change };
  localStorage.setItem("look", JSON.stringify(next));
  const root = document.documentElement.dataset;
  if (next.theme) root.theme = next.theme;
  else delete root.theme;
  if (next.density) root.density = next.density;
  else delete root.density;
}

/** Whether single letters are keys (WCAG 2.1.4: they can be switched off). */
export const singleKeys = () => appearance().singleKeys !== "off";

/** Goes on from the system's look to light, to dark, and back; says which it is now. */
export function nextTheme(): string {
  const { theme } = appearance();
  const next = theme === undefined ? "light" : theme === "light" ? "dark" : undefined;
  setAppearance({ theme: next });
  return next ?? "system";
}
