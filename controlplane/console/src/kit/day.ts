/** The moment at which a day of a date field begins where it was typed. */
export const dayBegins = (day: string) => new Date(`${day}T00:00:00`).toISOString();

/** The moment at which it ends. */
export const dayEnds = (day: string) => new Date(`${day}T23:59:59`).toISOString();

/** The day of a moment, as a date field of whoever looks at it has it; nothing without a moment. */
export function dayOf(at: string | null | undefined): string {
  if (!at) return "";
  const d = new Date(at);
  return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, "0")}-${String(d.getDate()).padStart(2, "0")}`;
}
