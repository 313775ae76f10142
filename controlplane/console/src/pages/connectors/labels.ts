/** Labels as lines of name=value. */
export const labelsOf = (labels: Record<string, string>) => Object.entries(labels).map(([k, v]) => `${k}=${v}`);

/** Lines of name=value as a merge patch: labels that are not there any more become null. */
export function labelsChange(was: Record<string, string>, lines: string[]): Record<string, string | null> {
  const now: Record<string, string | null> = Object.fromEntries(Object.keys(was).map((k) => [k, null]));
  for (const line of lines) {
    const [name = "", ...rest] = line.split("=");
    if (name.trim()) now[name.trim()] = rest.join("=").trim();
  }
  return now;
}
