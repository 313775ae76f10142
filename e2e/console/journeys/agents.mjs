// An agent is registered, its own program enrols with the token that is shown once, and the page sees it come online, stop taking tasks and go.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, expect, focused, journey, same, scene, seen, step } from "../lib/house.mjs";

const site = `site-${Date.now()}`;
const program = process.env.GRANTWRIGHT_AGENT;
const button = (page, name) => page.getByRole("button", { name });

/** Starts the agent's program; what it is given goes to its standard input. */
function agent(args, given = "") {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (b) => (said += b));
  child.stderr.on("data", (b) => (said += b));
  child.stdin.end(given);
  const ended = new Promise((resolve) => child.on("exit", (code) => resolve({ code, said })));
  return { child, ended };
}

await journey(async ({ open }) => {
  expect(program, "GRANTWRIGHT_AGENT does not say where the agent's program is");
  const page = await open("admin", "/settings/agents", { allow: [409] });
  await button(page, "Register an agent").click();
  step("registered");
  await page.getByLabel("Name", { exact: true }).fill(site);
  await button(page, "Register").last().click();
  const token = await page.locator(".agents-token code").innerText();
  const id = (await api("admin", "GET", "/settings/agents")).items.find((a) => a.name === site).id;
  await page.getByText("Waiting for the host to enroll and connect…").waitFor();
  await seen(page, "the token and the commands");
  for (const way of ["Linux package", "Linux with systemd", "Windows"]) {
    await button(page, way).click();
    const command = await page.getByRole("region", { name: `Commands: ${way}` }).innerText();
    expect(command.includes("http") && !command.includes(token), `the command for ${way} is ${command.slice(0, 200)}`);
  }
  step("its program enrols and runs");
  const data = mkdtempSync(join(tmpdir(), "agent-"));
  const enrolled = await agent(["enroll", "--url", scene.url, "--data", data, "--token-stdin"], token).ended;
  same(enrolled.code, 0, `enrolling: ${enrolled.said}`);
  const running = agent(["run", "--data", data]);
  try {
    await page.getByText(`${site} is online`).waitFor();
    await seen(page, "online, live");
    await button(page, "Close").last().click();
    await focused(page, "button", "after the dialog");
    await page.getByRole("link", { name: site }).click();
    await page.getByRole("heading", { name: site }).waitFor();
    await seen(page, "the agent");
    same((await page.content()).includes(token), false, "that the token is shown again");

    step("drained, and taking tasks again");
    await button(page, "More").click();
    await page.getByRole("menuitem", { name: "Drain" }).click();
    await button(page, "Resume").waitFor();
    same((await api("admin", "GET", `/settings/agents/${id}`)).draining, true, "whether the service drains it");
    await button(page, "Resume").click();
    await button(page, "Resume").waitFor({ state: "detached" });

    step("revoked");
    await button(page, "More").click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    const revoke = page.getByRole("dialog").getByRole("button", { name: "Revoke" });
    expect(await revoke.isDisabled(), "it can be revoked without a reason");
    await page.getByLabel("Reason").fill("the journey is over");
    await revoke.click();
    await page.getByText("the journey is over").waitFor();
    await seen(page, "revoked");
    same((await running.ended).code, 4, "how the program ends");
  } finally {
    running.child.kill();
    rmSync(data, { recursive: true, force: true });
  }
  step("one that is used is not deleted");
  await page.goto(new URL(`/settings/agents/${scene.ids.agent}`, page.url()).href);
  await button(page, "More").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await seen(page, "a refusal in the dialog");
  await api("admin", "DELETE", `/settings/agents/${id}`);
});
