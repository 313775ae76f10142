"use strict";
// Before the first paint: light or dark, as it was chosen in the console or as the system has it.
(() => {
  let chosen;
  try {
    chosen = JSON.parse(localStorage.getItem("look") ?? "{}").theme;
  } catch {
    // A store that cannot be read, or holds something else: the system's look it is.
  }
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = () => root.classList.toggle("dark-mode", chosen === "dark" || (chosen !== "light" && dark.matches));
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  dark.addEventListener("change", show);
  show();
})();
