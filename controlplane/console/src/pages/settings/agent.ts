import * as texts from "#text/settings";

// Most say that they are others as well: whoever names itself last of all is asked first.
const browsers: [RegExp, string][] = [
  [/Edg\//, texts.edge],
  [/OPR\//, texts.opera],
  [/Firefox\//, texts.firefox],
  [/Chrom(e|ium)\//, texts.chrome],
  [/Safari\//, texts.safari],
];
const systems: [RegExp, string][] = [
  [/Android/, texts.android],
  [/iPhone|iPad/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux|X11/, "Linux"],
];

const first = (of: [RegExp, string][], text: string) => of.find(([pattern]) => pattern.test(text))?.[1];

/** A browser and its system, as people call them; another program by the name that it gives itself. */
export function agent(text: string): string {
  const browser = first(browsers, text);
  if (!browser) return text.split(/[/ ]/)[0]?.slice(0, 60) || texts.unknown;
  const system = first(systems, text);
  return system ? texts.browserOnSystem(browser, system) : browser;
}
