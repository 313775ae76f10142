import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

// Every text file gets a packed twin: the server never packs anything itself.
const pack: Plugin = {
  name: "pack",
  closeBundle() {
    const walk = (dir: string): string[] =>
      readdirSync(dir).flatMap((name) => (statSync(join(dir, name)).isDirectory() ? walk(join(dir, name)) : [join(dir, name)]));
    for (const file of walk("dist")) {
      if (/\.(js|css|svg)$/.test(file)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
    writeFileSync("dist/.gitkeep", "");
  },
};

export default defineConfig({
  base: "./",
  plugins: [react(), pack],
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, sourcemap: false, target: "es2023" },
  server: { proxy: { "/api": "http://127.0.0.1:8080", "/openapi.json": "http://127.0.0.1:8080" } },
});
