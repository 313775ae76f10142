import { expect, test } from "vitest";
import { checkName, stepSummary, verbatim } from "./probetext";

test("the directory's own code is told word for word", () => {
  expect(verbatim({ ldap: { result_code: 49, name: "invalidCredentials", diagnostic: "80090308: data 52e", ad_subcode: "52e" } })).toBe(
    "LDAP result code 49 (invalidCredentials)\nActive Directory code 52e\n80090308: data 52e",
  );
});

test("an HTTP answer has its status line and its body", () => {
  const said = verbatim({
    http: {
      method: "GET",
      url: "https://a/Users",
      status: 403,
      reason: "Forbidden",
      content_type: "text/plain",
      headers: { Date: "x", "X-Why": "scope" },
      body_excerpt: "no",
    },
  });
  expect(said).toBe("GET https://a/Users\nHTTP 403 Forbidden\nContent-Type: text/plain\nX-Why: scope\n\nno");
});

test("a check without words still has a name and a line", () => {
  expect(checkName("some_check")).toBe("Some check");
  expect(stepSummary({ name: "bind", ok: true, ms: 1, ldap: { result_code: 0, name: "success" } })).toBe("result code 0 (success)");
});
