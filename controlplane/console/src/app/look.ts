/** How the console looks: kept in this browser, for this browser. */
type Look = { theme?: "light" | "dark"; density?: "compact" };

function read(): Look {
  try {
    return JSON.parse(localStorage.getItem("look") ?? "{}") as Look;
  } catch {
    return {};
  }
}

/** Goes on from the system's look to light, to dark, and back. */
export function nextTheme() {
  const look = read();
  const next = look.theme === undefined ? "light" : look.theme === "light" ? "dark" : undefined;
  localStorage.setItem("look", JSON.stringify({ ...look, theme: next }));
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
}
