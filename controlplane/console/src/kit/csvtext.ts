import type { Column } from "./listtypes";

/** The CSV (RFC 4180) of rows, with a byte order mark so that spreadsheets read it as UTF-8. */
export function csvOf<T>(columns: Column<T>[], rows: T[]): string {
  const withText = columns.filter((c) => c.text);
  const lines = [withText.map((c) => cell(c.title)), ...rows.map((r) => withText.map((c) => cell(c.text?.(r))))];
  return `\ufeff${lines.map((l) => l.join(",")).join("\r\n")}\r\n`;
}

/** One cell. What a spreadsheet would take for a formula gets an apostrophe before it; numbers stay numbers. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = String(value);
  const safe = /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
