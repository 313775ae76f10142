// Before the first paint, so that nobody who wants it dark is dazzled.
try {
  const look = JSON.parse(localStorage.getItem("look") ?? "{}");
  if (look.theme === "light" || look.theme === "dark") document.documentElement.dataset.theme = look.theme;
  if (look.density === "compact") document.documentElement.dataset.density = "compact";
} catch {
  // A store that cannot be read, or holds something else: the system's look it is.
}
