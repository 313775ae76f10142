const longest = 2000;

/** A value as text; nothing for what is not there. What is longer than 2,000 characters is cut. */
export function displayValue(value: unknown): string | undefined {
  if (value === null || value === undefined || value === "") return undefined;
  const text = typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
  if (text === "[]" || text === "{}") return undefined;
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
