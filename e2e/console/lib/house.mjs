// The house of the console's journeys; see README.md.
import { launch, watched } from "./browser.mjs";
import { arrive, session } from "./people.mjs";
import { picture } from "./screen.mjs";
import { at, fail, tell, wrong } from "./tell.mjs";

export { watched, waitsFor } from "./browser.mjs";
export { api, code, enter, signIn, token } from "./people.mjs";
export { accessible, fits, focus, focused, go, inWords, listsFit, literal, path, picture, seen, settled, still } from "./screen.mjs";
export { at, expect, fail, same, step, tell } from "./tell.mjs";
export { places, scene, shots, url } from "./tools.mjs";

/**
 * Tells a story, and in the end what went wrong in it. story gets
 *   open(who, to, options)  a page of a window of its own, with somebody of scene.users signed in; to is where to, "/" without it
 *   browser                 for windows without anybody, by watched(browser, options)
 * figures gives lines to report in the end, such as times.
 */
export async function journey(story, figures = () => []) {
  const browser = await launch();
  const began = Date.now();
  const open = async (who, to = "/", options = {}) => {
    const page = await (await watched(browser, { name: who, storageState: await session(who), ...options })).newPage();
    page.setDefaultTimeout(45_000); // no measure of speed: a slow machine is no failure
    await arrive(page, to);
    return page;
  };
  try {
    await story({ browser, open });
  } catch (e) {
    fail(`after "${at()}": ${e.stack ?? e}`);
  }
  if (wrong().length > 0) {
    const pages = browser.contexts().flatMap((c) => c.pages());
    for (const [i, page] of pages.entries()) await picture(page, `failed-${i}-${at()}`).catch(() => {});
  }
  await browser.close();
  tell({ seconds: (Date.now() - began) / 1000, figures: figures() });
}
