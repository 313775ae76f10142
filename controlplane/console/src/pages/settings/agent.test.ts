import { expect, test } from "vitest";
import { agent } from "./agent";

test("browsers are called as people call them", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
  expect(agent(chrome)).toBe("Chrome on Linux");
  expect(agent(`${chrome.replace("X11; Linux x86_64", "Windows NT 10.0")} Edg/156.0`)).toBe("Edge on Windows");
  expect(agent("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1")).toBe("Safari on iOS");
  expect(agent("curl/8.5.0")).toBe("curl");
  expect(agent("")).toBe("Unknown");
});
