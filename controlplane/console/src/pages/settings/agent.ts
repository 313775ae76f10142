// Most say that they are others as well: whoever names itself last of all is asked first.
const browsers: [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/Chrom(e|ium)\//, "Chrome"],
  [/Safari\//, "Safari"],
];
const systems: [RegExp, string][] = [
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
];

const first = (of: [RegExp, string][], text: string) => of.find(([pattern]) => pattern.test(text))?.[1];

/** A browser and its system, as people call them; another program by the name that it gives itself. */
export function agent(text: string): string {
  const browser = first(browsers, text);
  if (!browser) return text.split(/[/ ]/)[0]?.slice(0, 60) || "Unknown";
  const system = first(systems, text);
  return system ? `${browser} on ${system}` : browser;
}
