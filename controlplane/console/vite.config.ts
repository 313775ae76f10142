import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { docs } from "./docs/plugin.ts";

// Every text file gets a packed twin: the server never packs anything itself.
const pack: Plugin = {
  name: "pack",
  writeBundle({ dir = "dist" }) {
    const walk = (dir: string): string[] =>
      readdirSync(dir).flatMap((name) => (statSync(join(dir, name)).isDirectory() ? walk(join(dir, name)) : [join(dir, name)]));
    for (const file of walk(dir)) {
      if (/\.(js|css|svg|json)$/.test(file)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
    writeFileSync(join(dir, ".gitkeep"), "");
  },
};

// Where the service runs while one works on the console.
const api = process.env.API ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(["/api", "/openapi.json", "/docs", "/redoc"].map((path) => [path, api]));

// As the server's own (internal/front/console), so that `vite preview` forbids what it forbids.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export default defineConfig({
  // The service writes its own path before these; a preview stands at the root.
  base: process.env.API ? "/" : "./",
  plugins: [react(), docs(join(import.meta.dirname, "../../docs")), pack],
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    target: "es2023",
    manifest: true,
    // Each page carries the texts that it shows, and no page those of another.
    rolldownOptions: { optimization: { inlineConst: { mode: "all", pass: 1 } } },
  },
  server: { proxy },
  preview: { proxy, headers: { "Content-Security-Policy": policy } },
});
