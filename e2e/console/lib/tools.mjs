// What the tests stand on: a browser's driver, the rules of accessibility, and what a test is told on its standard input.
//
// The packages are those beside this folder, or of the folder that the Go tests have installed them into.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder e2e/console. */
export const here = fileURLToPath(new URL("..", import.meta.url));
const need = createRequire(join(process.env.GRANTWRIGHT_CONSOLE_NPM ?? here, "package.json"));

export const { chromium } = need("playwright-core");
export const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");

/** What was seeded; see scene in e2e/scenarios/console_scene_test.go. */
export const scene = JSON.parse(readFileSync(0, "utf8"));

/** Where the console is: the service itself, or a `vite preview` before it while one works on a page. */
export const url = process.env.GRANTWRIGHT_CONSOLE_URL ?? scene.url;

/** The one list of the console's screens. */
export const places = JSON.parse(readFileSync(join(here, "../../controlplane/console/src/app/places.json"), "utf8"));

/** The directory for pictures; none without it. */
export const shots = process.env.GRANTWRIGHT_SHOTS ?? "";
