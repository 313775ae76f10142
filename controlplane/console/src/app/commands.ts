import * as texts from "#text/app";
import type { Permissions } from "../api/use";
import type { Way } from "../kit/link";
import { appearance, setAppearance } from "./appearance";
import { mayOpen, type Place, placeAt, places } from "./places";

/** Something that the palette offers: a place to go to, or something to do. */
export type PaletteEntry = { id: string; words: string; detail?: string; keys?: string[]; way?: Way; act?: () => void };

// Screens that are called by what one does there.
const verbs = new Set(["/access/request", "/people/compare"]);

const opened = (may: Permissions) => places.filter((p) => !p.path.includes("$") && mayOpen(p, may));
const isVerb = (p: Place) => p.write || verbs.has(p.path);

/** The screens that somebody may go to. */
export function screenEntries(may: Permissions): PaletteEntry[] {
  return opened(may)
    .filter((p) => !isVerb(p))
    .map((p) => ({
      id: `go ${p.path}`,
      words: texts.goToTitle(p.title),
      way: { to: p.path },
      ...(p.key ? { keys: ["G", p.key.toUpperCase()] } : p.section || p.group ? { detail: p.section ?? p.group ?? "" } : {}),
    }));
}

/** What somebody can do from anywhere. */
export function commands(may: Permissions, path: string, showKeys: () => void, signOut: (everywhere: boolean) => void): PaletteEntry[] {
  const help = placeAt(path)?.help;
  return [
    ...opened(may)
      .filter(isVerb)
      .map((p) => ({ id: `do ${p.path}`, words: p.title, way: { to: p.path } })),
    ...(may.admin
      ? [
          { id: "do invite", words: texts.inviteAUser, way: { to: "/settings/users", search: { invite: "1" } } },
          { id: "do token", words: texts.createAnApiToken, way: { to: "/settings/tokens", search: { new: "1" } } },
        ]
      : []),
    { id: "do keys", words: texts.showKeyboardShortcuts, keys: ["?"], act: showKeys },
    ...(help && !path.startsWith("/help")
      ? [{ id: "do help", words: texts.helpForThisPage, detail: texts.documentation, way: { to: "/help/$page", params: { page: help } } }]
      : []),
    ...looks(),
    { id: "do copy", words: texts.copyTheAddressOfThisPage, act: () => void navigator.clipboard.writeText(window.location.href) },
    { id: "do out", words: texts.signOut, act: () => signOut(false) },
    { id: "do out everywhere", words: texts.signOutEverywhere, detail: texts.onAllYourDevices, act: () => signOut(true) },
  ];
}

function looks(): PaletteEntry[] {
  const { theme, density } = appearance();
  return [
    ...(theme === "light" ? [] : [{ id: "do light", words: texts.lightTheme, act: () => setAppearance({ theme: "light" }) }]),
    ...(theme === "dark" ? [] : [{ id: "do dark", words: texts.darkTheme, act: () => setAppearance({ theme: "dark" }) }]),
    ...(theme ? [{ id: "do system", words: texts.systemTheme, act: () => setAppearance({ theme: undefined }) }] : []),
    density
      ? { id: "do roomy", words: texts.comfortableRowHeight, act: () => setAppearance({ density: undefined }) }
      : { id: "do compact", words: texts.compactRowHeight, act: () => setAppearance({ density: "compact" }) },
  ];
}

/** The offers in whose words everything stands that was typed; those that begin with it come first. */
export function matching(of: PaletteEntry[], typed: string): PaletteEntry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (o: PaletteEntry) => `${o.words} ${o.detail ?? ""}`.toLowerCase();
  const place = (o: PaletteEntry) => {
    const at = text(o)
      .replace(/^go to /, "")
      .indexOf(words[0] ?? "");
    return at === 0 ? 0 : 1;
  };
  return of.filter((o) => words.every((w) => text(o).includes(w))).sort((a, b) => place(a) - place(b));
}
