import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { listed, parse } from "./parse.ts";

const name = "virtual:docs";

/**
 * Puts the documentation beside the console: each page of the folder as a file of JSON whose name says what is in it, and the list of all.
 * virtual:docs gives their addresses alone, so that nothing of it is fetched before somebody opens it.
 */
export function docs(folder: string): Plugin {
  let serves = false;
  return {
    name: "docs",
    configResolved(config) {
      serves = config.command === "serve";
    },
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined;
      const files = readdirSync(folder).filter((f) => f.endsWith(".md")).sort();
      for (const f of files) this.addWatchFile(join(folder, f));
      const all = files.map((f) => parse(f.slice(0, -3), readFileSync(join(folder, f), "utf8")));
      const put = (what: string, content: unknown) => {
        const source = JSON.stringify(content);
        if (serves) return JSON.stringify(`data:application/json,${encodeURIComponent(source)}`);
        return `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: "asset", name: `docs-${what}.json`, source })}`;
      };
      const pages = all.map((d) => `${JSON.stringify(d.page)}: ${put(d.page, d)}`).join(",\n");
      return `export const list = ${put("all", all.map(listed))};\nexport const pages = {\n${pages}\n};\n`;
    },
  };
}
