// The console at 200 % zoom, in forced colours and with text of another spacing: everything is still there, and nothing runs out of the window.
import { accessible, fits, go, journey, picture, scene, settled, step, still } from "../lib/house.mjs";

await journey(async ({ open }) => {
  const { ids } = scene;
  const some = ["/", "/inbox", "/people", `/people/${ids.person}/access`, "/connectors", `/connectors/${ids.failing}`, `/connectors/new/${ids.mapped}/mapping`,
    `/roles/${ids.role}`, "/policies", "/settings/webhooks", "/audit"];
  const page = await open("admin", "/");
  step("200 %");
  await page.setViewportSize({ width: 640, height: 400 });
  for (const address of some) {
    await go(page, address);
    await fits(page, `${address} at 200 %`);
    await picture(page, `200 ${address}`);
  }
  step("400 %, on a telephone on its side");
  await page.setViewportSize({ width: 320, height: 256 });
  for (const address of some) {
    await go(page, address);
    await fits(page, `${address} at 400 %`);
  }
  await page.setViewportSize({ width: 1360, height: 860 });
  step("forced colours");
  await page.emulateMedia({ forcedColors: "active" });
  for (const address of some) {
    await go(page, address);
    await still(page);
    await accessible(page, `${address} in forced colours`, ["color-contrast", "link-in-text-block"]);
    await picture(page, `forced ${address}`);
  }
  await page.emulateMedia({ forcedColors: "none" });
  step("wider text (WCAG 1.4.12)");
  for (const address of some) {
    await go(page, address);
    await page.evaluate(() => {
      for (const e of document.querySelectorAll("body *")) Object.assign(e.style, { lineHeight: "1.5", letterSpacing: "0.12em", wordSpacing: "0.16em" });
    });
    await still(page); // a row of filters that has become too wide gives some away in the next frame
    await fits(page, `${address} with wider text`);
    await page.goto(page.url());
    await settled(page);
  }
});
