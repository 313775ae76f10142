// when: long
// seed: own
// A pack of one's own is brought, installed, and upgraded to its next version: three ways are merged field by field, each conflict is decided in its own way, and the page says which version there is.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { api, expect, go, journey, same, seen, settled, step } from "../lib/house.mjs";

const run = promisify(execFile);
const program = join(dirname(process.env.GRANTWRIGHT_AGENT ?? ""), "grantwright");
const key = "reading-house";
const rule = (department) => ({ match: "all", rules: [{ field: "department", op: "eq", value: department }] });
const birthright = (key, department, name = `For ${key}`) => ({
  key, name, subject: rule(department), grant: [{ role: "reader" }], lifecycle: { when: ["active"], onNoMatch: "end_now" },
});

/** What a version says. JSON is YAML. */
const pack = (version, birthrights, parameters, more = {}) => ({
  apiVersion: "grantwright.pack/v1",
  kind: "SectorPack",
  metadata: { key, version, name: "Reading house", sector: "education", publisher: "A library", description: "Who may read what.", languages: ["en"] },
  requires: { service: ">=1.0 <2" },
  parameters,
  roles: [{ key: "reader", name: "Reader", type: "business", entitlements: [{ select: { connector: { tag: "reading" }, nameLike: "Read*" } }] }],
  birthrights,
  ...more,
});

const first = pack(
  "1.0.0",
  [...["kept", "given", "written", "only-theirs", "gone", "gone-but-ours", "deleted"].map((k) => birthright(k, "Somewhere")), birthright("both-apart", "Somewhere", "Apart")],
  [{ key: "shelf", type: "string", default: "A", prompt: "Shelf that is open" }],
);
const second = pack(
  "1.1.0",
  [
    ...["kept", "given", "written", "only-theirs"].map((k) => birthright(k, "Elsewhere")),
    birthright("deleted", "Elsewhere"),
    birthright("both-apart", "Elsewhere", "Apart"),
    birthright("new", "Elsewhere"),
  ],
  [
    { key: "shelf", type: "string", default: "A", prompt: "Shelf that is open" },
    { key: "floor", type: "string", default: "2", prompt: "Floor on which one reads" },
  ],
);

/** The archive of a version, as an author builds it. */
async function built(dir, of) {
  const at = join(dir, of.metadata.version);
  await mkdir(at);
  await writeFile(join(at, "pack.yaml"), JSON.stringify(of));
  const file = join(dir, `${of.metadata.version}.gwpack`);
  await run(program, ["pack", "build", at, "--output", file]).catch((e) => {
    throw new Error(`the pack is not built: ${e.stdout}${e.stderr}`);
  });
  return { name: `${key}-${of.metadata.version}.gwpack`, mimeType: "application/gzip", buffer: await readFile(file) };
}

/** Brings an archive by the page, and opens the pack. */
async function brought(page, file, version) {
  await go(page, "/sector-packs");
  await page.getByRole("button", { name: "Upload a pack" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Archive").setInputFiles(file);
  await dialog.getByRole("button", { name: "Validate" }).click();
  await dialog.getByText(`Reading house ${version}: valid`).waitFor();
  await dialog.getByText("The signature could not be verified with a key that the operator trusts.").waitFor();
  await seen(page, `pack ${version}, checked`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("link", { name: `Reading house ${version}` }).click();
  await page.getByRole("heading", { level: 1, name: "Reading house" }).waitFor();
  await settled(page);
}

const objects = async () => Object.fromEntries((await api("admin", "GET", `/sector-packs/${key}/objects?kind=birthright&limit=100`)).items.map((o) => [o.object_key, o]));
const policy = async (o) => api("admin", "GET", `/policies/access-grant/${o.object_id}`);
const department = async (o) => (await policy(o)).subject.rules.map((r) => r.value).join();

await journey(async ({ open }) => {
  const dir = await mkdtemp(join(tmpdir(), "gw-pack-"));
  const page = await open("admin", "/sector-packs");

  step("the first version is brought and installed");
  await brought(page, await built(dir, first), "1.0.0");
  await page.getByRole("link", { name: "Install", exact: true }).click();
  await page.getByRole("button", { name: "Preview changes" }).click();
  await page.getByRole("heading", { name: /^Added/ }).waitFor();
  await page.getByRole("button", { name: "Install", exact: true }).click();
  await page.waitForURL(/part=installed/);
  await page.getByText("1.0.0 installed").waitFor();
  const before = await objects();
  same(Object.keys(before).length, 8, "the birthrights of the first version");

  step("the tenant makes some its own");
  for (const name of ["kept", "given", "written", "gone-but-ours"])
    await api("admin", "PATCH", `/policies/access-grant/${before[name].object_id}`, { subject: rule("Ours") });
  await api("admin", "PATCH", `/policies/access-grant/${before["both-apart"].object_id}`, { name: "Ours, apart" });
  await api("admin", "DELETE", `/policies/access-grant/${before.deleted.object_id}`);

  step("the next version is there, and the page says so");
  await brought(page, await built(dir, second), "1.1.0");
  const note = page.locator(".note", { hasText: "Version 1.1.0 is available. Version 1.0.0 was installed" });
  await note.waitFor();
  await seen(page, "a pack with a next version");
  await note.getByRole("link", { name: "Preview the upgrade" }).click();
  await page.waitForURL(/part=install/);
  await settled(page);

  step("what an upgrade would change");
  same(await page.getByLabel("Version", { exact: true }).inputValue(), "1.1.0", "the version that is chosen");
  await page.getByLabel("Floor on which one reads").fill("3");
  await page.getByRole("button", { name: "Preview changes" }).click();
  const clash = page.getByRole("region", { name: "In conflict: your value applies until you decide" });
  await clash.waitFor();
  for (const name of ["kept", "given", "written"]) expect((await clash.innerText()).includes(`For ${name}`), `${name} is no conflict in the plan`);
  const region = async (name) => (await page.getByRole("region", { name, exact: true }).innerText()).replaceAll("\n", " ");
  expect((await region("Added")).includes("For new"), "what is new is not told");
  expect(/For only-theirs/.test(await region("Changed")) && /apart/i.test(await region("Changed")), "what only the pack has changed is not told");
  expect(/For gone\b(?!-)/.test(await region("Removed")) && !(await region("Removed")).includes("gone-but-ours"), "what goes is not told, or more than that");
  expect((await region("Unchanged")).includes("deleted here, and not created again"), "what was deleted is not told");
  same(await department(before["only-theirs"]), "Somewhere", "what a look has changed");
  await seen(page, "what an upgrade would change");

  step("it is upgraded");
  await page.getByRole("button", { name: "Upgrade to 1.1.0", exact: true }).click();
  await page.waitForURL(/part=conflicts/);
  await page.getByText("1.1.0 installed").waitFor();
  same(await page.locator(".note", { hasText: "was installed" }).count(), 0, "the remark on a next version");
  await settled(page);
  const after = await objects();
  same([await department(after["only-theirs"]), await department(after.new)], ["Elsewhere", "Elsewhere"], "what only the pack has changed");
  same([(await policy(after["both-apart"])).name, await department(after["both-apart"])], ["Ours, apart", "Elsewhere"], "what each has changed in another field");
  same((await api("admin", "GET", `/sector-packs/${key}/installation`)).parameters, { floor: "3", shelf: "A" }, "the parameters");
  const names = (await api("admin", "GET", "/policies/access-grant?limit=200")).items.map((p) => p.name);
  same([names.includes("For gone"), names.includes("For gone-but-ours"), names.includes("For deleted")], [false, true, false], "what the next version has no more");
  await seen(page, "conflicts of an upgrade");

  step("one is kept, one given, one written");
  const part = (name) => page.getByRole("region", { name, exact: true });
  const side = async (name, title) => JSON.parse(await part(name).getByLabel(`${title}: ${name}`).innerText()).subject.rules[0].value;
  same(
    [await side("kept", "Previous value of the pack"), await side("kept", "Your value"), await side("kept", "New value of the pack")],
    ["Somewhere", "Ours", "Elsewhere"],
    "the three sides",
  );
  const decide = async (name, way, words) => {
    await part(name).getByRole("radio", { name: way }).check();
    if (words) await part(name).getByLabel("Fields").fill(JSON.stringify({ subject: rule("Both") }));
    await part(name).getByRole("button", { name: "Resolve" }).click();
    await part(name).getByRole("button", { name: "Resolve" }).waitFor({ state: "detached" });
  };
  await decide("kept", "Keep your value");
  await decide("given", "Accept the value of the pack");
  await decide("written", "Enter a new value", true);
  same([await department(after.kept), await department(after.given), await department(after.written)], ["Ours", "Elsewhere", "Both"], "what was decided");
  for (const [name, words] of [["kept", "your value kept"], ["given", "value of the pack accepted"], ["written", "new value set"]]) await part(name).getByText(words, { exact: true }).waitFor();
  await seen(page, "conflicts of an upgrade, decided");

  step("no way back is offered");
  await page.getByRole("link", { name: "Upgrade or reinstall" }).click();
  same(await page.getByLabel("Floor on which one reads").inputValue(), "3", "the parameter that was installed");
  same(await page.getByLabel("Version", { exact: true }).count(), 0, "versions to choose from when the newest is there");

  step("who installs an older version is asked what that one asks");
  await api("admin", "POST", `/sector-packs/${key}/uninstall`, { mode: "detach" });
  await page.goto(new URL(`/sector-packs/${key}?part=install`, page.url()).href);
  await page.getByLabel("Floor on which one reads").waitFor();
  await page.getByLabel("Shelf that is open").fill("B");
  await page.getByLabel("Version", { exact: true }).selectOption("1.0.0");
  await page.getByLabel("Floor on which one reads").waitFor({ state: "detached" });
  same(await page.getByLabel("Shelf that is open").inputValue(), "B", "what was typed for both");
  await page.getByRole("button", { name: "Preview changes" }).click();
  await page.getByRole("heading", { name: "Preview of the changes" }).waitFor();
  await seen(page, "an older version");
  await rm(dir, { recursive: true });
});
