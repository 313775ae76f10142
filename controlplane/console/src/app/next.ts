/** Where to go after signing in: a path of the console, and of nobody else. */
export function safeNext(next: unknown): string {
  return typeof next === "string" && /^\/(?![/\\])/.test(next) && !next.startsWith("/login") ? next : "/";
}
