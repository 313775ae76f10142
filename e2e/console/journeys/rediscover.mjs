// The fields of a source change: what is new, gone or of another type is decided about, field by field, and carried out together.
import { api, expect, focused, journey, same, seen, settled, step } from "../lib/house.mjs";
import { mapped, read, source } from "../lib/source.mjs";

const before = (n) => ({ id: `${n}`, mail: `p${n}@field.test`, given: `Ann${n}`, family: "Field", phone: "+1 555", dept: "Sales", joined: "2024-01-02" });
const after = (n) => ({ id: `${n}`, mail: `p${n}@field.test`, given: `Ann${n}`, family: "Field", dept: 40 + n, joined: "2024-01-02", costCenter: `CC-${n}`, badge: `b${n}` });

let record = before;
const fields = await source(() => ({ body: { data: [1, 2, 3, 4].map((n) => record(n)) } }));

await journey(async ({ open }) => {
  const id = await mapped(fields.url, "Field source");
  await read(id);
  const page = await open("admin", `/connectors/${id}/rediscover`);
  step("nothing has changed yet");
  await page.getByRole("button", { name: "Run discovery" }).click();
  await page.getByText("No field has changed.").waitFor();
  await seen(page, "rediscover unchanged");

  step("the source changes");
  record = after;
  await page.getByRole("button", { name: "Run discovery" }).click();
  await page.getByRole("region", { name: "Schema changes" }).waitFor();
  await settled(page);
  await seen(page, "rediscover diff");
  const row = (path) => page.getByRole("row").filter({ has: page.getByText(path, { exact: true }) });
  expect((await row("costCenter").innerText()).includes("new"), "a new field is not told as one");
  expect((await row("phone").innerText()).includes("removed"), "a removed field is not told as one");
  expect((await row("dept").innerText()).includes("changed type"), "a field of another type is not told as one");
  expect(await page.getByRole("button", { name: "4 to decide" }).isDisabled(), "nothing is decided, and it can be applied");

  step("one is overridden");
  await page.getByRole("button", { name: "Override badge" }).click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Map to").selectOption("attributes.");
  await dialog.getByLabel("Attribute name").fill("badge");
  await dialog.getByLabel("Transform").fill("value.upper()");
  await dialog.getByText("B1", { exact: true }).waitFor();
  await seen(page, "rediscover override");
  await dialog.getByRole("button", { name: "Map field" }).click();
  await row("badge").getByText("mapped to attributes.badge").waitFor();

  step("the others are accepted, and all is applied");
  await page.getByRole("button", { name: "Accept all" }).click();
  await row("phone").getByText("accepted").waitFor();
  await page.getByRole("button", { name: "Apply 4 decisions" }).click();
  await page.getByText("No open decisions").waitFor();
  await seen(page, "rediscover applied");
  const { mappings } = await api("admin", "GET", `/connectors/${id}/mappings`);
  const of = (path) => mappings.find((m) => m.source_path === path);
  same(of("badge")?.target_field, "attributes.badge", "what badge fills");
  same(of("badge")?.transform, "value.upper()", "by which transform");
  same(of("costCenter")?.target_field, "cost_center", "what the accepted new field fills");
  same(of("phone"), undefined, "the mapping of the removed field");

  step("the mappings, and a change of one");
  await page.getByRole("link", { name: "Field source" }).click();
  await page.getByRole("button", { name: "Edit the mapping of badge" }).click();
  await focused(page, ".dialog button, .dialog select, .dialog input", "in the dialog");
  await page.locator(".dialog").getByLabel("Transform").fill("'x' + value");
  await page.locator(".dialog").getByText("xb1", { exact: true }).waitFor();
  await page.locator(".dialog").getByRole("button", { name: "Save" }).click();
  await page.locator(".dialog").waitFor({ state: "detached" });
  same((await api("admin", "GET", `/connectors/${id}/mappings`)).mappings.find((m) => m.source_path === "badge").transform, "'x' + value", "the saved transform");
  await api("admin", "DELETE", `/connectors/${id}`);
});
fields.close();
