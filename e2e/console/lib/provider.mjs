// An OpenID Connect provider that signs in whomever it is told to, without asking: what a company's own is to the console's journeys.
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";

const part = (of) => Buffer.from(JSON.stringify(of)).toString("base64url");

/** Starts it on a port of its own. who is whom it signs in next: {sub, email, name}, or nobody, whom it refuses. close ends it. */
export async function provider() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map();
  const self = { who: undefined, issuer: "", close: () => server.close() };
  const answers = {
    "/.well-known/openid-configuration": () => ({
      issuer: self.issuer,
      authorization_endpoint: `${self.issuer}/authorize`,
      token_endpoint: `${self.issuer}/token`,
      jwks_uri: `${self.issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      code_challenge_methods_supported: ["S256"],
    }),
    "/keys": () => ({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] }),
    "/token": (form) => {
      const asked = codes.get(form.get("code"));
      codes.delete(form.get("code"));
      const proof = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
      if (!asked || asked.get("code_challenge") !== proof) return undefined;
      const now = Math.floor(Date.now() / 1000);
      const said = { iss: self.issuer, aud: asked.get("client_id"), nonce: asked.get("nonce"), iat: now, exp: now + 60, email_verified: true, ...self.who };
      const head = `${part({ alg: "RS256", kid: "1" })}.${part(said)}`;
      return { access_token: randomUUID(), token_type: "Bearer", id_token: `${head}.${sign("sha256", Buffer.from(head), privateKey).toString("base64url")}` };
    },
  };
  const server = createServer(async (req, res) => {
    const at = new URL(req.url, self.issuer);
    if (at.pathname === "/authorize") {
      const back = new URL(at.searchParams.get("redirect_uri"));
      back.searchParams.set("state", at.searchParams.get("state"));
      if (self.who) {
        const code = randomUUID();
        codes.set(code, at.searchParams);
        back.searchParams.set("code", code);
      } else back.searchParams.set("error", "access_denied");
      res.writeHead(303, { Location: back.href }).end();
      return;
    }
    let body = "";
    for await (const piece of req) body += piece;
    const answer = answers[at.pathname]?.(new URLSearchParams(body));
    res.writeHead(answer ? 200 : 400, { "Content-Type": "application/json" }).end(JSON.stringify(answer ?? { error: "invalid_grant" }));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  self.issuer = `http://127.0.0.1:${server.address().port}`;
  return self;
}
