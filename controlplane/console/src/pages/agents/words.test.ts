import { expect, test } from "vitest";
import { type Agent, addressIn, installs, why } from "./words";

const agent = (a: Partial<Agent>) => ({ state: "online", degraded_reasons: [], flapping: false, ...a }) as Agent;

test("says why an agent is as it is", () => {
  expect(why(agent({}))).toBe("");
  expect(why(agent({ state: "degraded", degraded_reasons: ["clock_skew", "spool_failed"] }))).toBe(
    "Clock is off by more than two minutes, and disk cannot be written.",
  );
  expect(why(agent({ state: "quarantined", quarantine_reason: "a and b" }))).toBe("A and b.");
});

test("an example address gives way to the one that is known", () => {
  expect(addressIn("grantwright-agent enroll --url https://grantwright.example.com --data d", "https://iga.acme.test")).toBe(
    "https://iga.acme.test",
  );
  expect(addressIn("grantwright-agent enroll --url https://g.test/x --data d", "https://iga.acme.test")).toBe("https://g.test/x");
});

test("no command carries the token, where every user of the host could read it", () => {
  for (const way of installs("https://g.test")) {
    expect(way.command).toContain("https://g.test");
    expect(way.command).not.toMatch(/--token[ =]/);
  }
});
