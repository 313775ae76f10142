// An agent is switched off and on, turns up twice and is put right, gets a new enrolment token, and is deleted.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, expect, journey, same, scene, seen, step } from "../lib/house.mjs";

const name = `twin-${Date.now()}`;
const button = (page, name) => page.getByRole("button", { name, exact: true });
const state = async (id) => (await api("admin", "GET", `/settings/agents/${id}`)).state;

/** Starts the agent's program; what it is given goes to its standard input. */
function agent(args, given = "") {
  const child = spawn(process.env.GRANTWRIGHT_AGENT, args, { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.end(given);
  return { child, ended: new Promise((resolve) => child.on("exit", resolve)) };
}

await journey(async ({ open }) => {
  const page = await open("admin", "/settings/agents", { allow: [409, 422] });
  step("a name that is taken is refused, and what was typed stays");
  await button(page, "Register an agent").click();
  const dialog = page.locator(".dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(scene.names.agent);
  await button(dialog, "Register").click();
  await dialog.getByRole("alert").first().waitFor();
  same(await dialog.getByLabel("Name", { exact: true }).inputValue(), scene.names.agent, "what was typed");
  await seen(page, "a name that is taken");
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await button(dialog, "Register").click();
  const first = await dialog.locator(".agents-token code").innerText();
  await button(dialog, "Close").last().click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name }).click();
  await page.getByRole("heading", { name }).waitFor();
  const id = new URL(page.url()).pathname.split("/").at(-1);

  step("a new enrolment token, after which the one before is worth nothing");
  await button(page, "New enrollment token").click();
  await seen(page, "before a new token");
  await button(dialog, "Create").click();
  const token = await dialog.locator(".agents-token code").innerText();
  expect(token !== first, "it is the token from before");
  await seen(page, "a new token");
  const data = mkdtempSync(join(tmpdir(), "agent-"));
  const copy = mkdtempSync(join(tmpdir(), "agent-"));
  const enrol = (t) => agent(["enroll", "--url", scene.url, "--data", data, "--token-stdin"], t).ended;
  const running = [];
  try {
    expect((await enrol(first)) !== 0, "the token from before still enrols");
    same(await enrol(token), 0, "how enrolling ends");
    cpSync(data, copy, { recursive: true });
    running.push(agent(["run", "--data", data]));
    await page.getByText(`${name} is online`).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await switched(page, id);
    await twice(page, id, () => running.push(agent(["run", "--data", copy])), () => running.at(-1).child.kill());
  } finally {
    for (const r of running) r.child.kill();
    await Promise.all(running.map((r) => r.ended));
    for (const d of [data, copy]) rmSync(d, { recursive: true, force: true });
  }

  step("deleted");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await button(dialog, "Delete").click();
  await page.waitForURL(/\/settings\/agents$/);
  await page.getByText("Agent deleted.").waitFor();
  await page.getByRole("link", { name }).waitFor({ state: "detached" });
  expect(!(await api("admin", "GET", "/settings/agents?limit=500")).items.some((a) => a.id === id), "it is still there");
});

async function switched(page, id) {
  step("switched off, and on again");
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await seen(page, "before it is switched off");
  await button(page.locator(".dialog"), "Disable").click();
  await page.getByText("Disabled by an administrator.").waitFor();
  same(await state(id), "disabled", "the state");
  await seen(page, "switched off");
  await button(page, "Enable").click();
  await button(page, "Enable").waitFor({ state: "detached" });
  expect((await state(id)) !== "disabled", "it is still switched off");
}

/** Two hosts with one identity: it is quarantined, and cleared once the copy is stopped. */
async function twice(page, id, copied, stopped) {
  step("its copy runs too");
  await page.locator("main").getByText("online", { exact: true }).first().waitFor({ timeout: 120_000 });
  copied();
  await button(page, "Clear quarantine").waitFor({ timeout: 120_000 });
  same(await state(id), "quarantined", "the state");
  await seen(page, "quarantined");
  step("the copy is stopped, and the quarantine cleared");
  stopped();
  await button(page, "Clear quarantine").click();
  const dialog = page.locator(".dialog");
  await dialog.getByText("Clear quarantine?").waitFor();
  await seen(page, "before the quarantine is cleared");
  await button(dialog, "Clear quarantine").click();
  await dialog.waitFor({ state: "detached" });
  await button(page, "Clear quarantine").waitFor({ state: "detached" });
  expect((await state(id)) !== "quarantined", "it is still quarantined");
}
