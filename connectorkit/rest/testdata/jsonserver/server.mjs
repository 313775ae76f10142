// json-server with some people, groups and memberships, once for every way to authenticate. Routing, filters, _page, _limit,
// _start, the Link header and X-Total-Count are json-server's; the data and the check of credentials are this file's.
import { createPublicKey, verify } from "node:crypto";
import jsonServer from "json-server";

const people = Number(process.env.PEOPLE ?? 230);
const users = [...Array(people).keys()].map((i) => ({
  id: i + 1,
  login: `user${i}`,
  mail: `user${i}@example.test`,
  displayName: `User ${i}`,
  hired: new Date(Date.UTC(2015, 0, 1 + i)).toISOString().slice(0, 10),
  enabled: i % 10 > 0,
  score: i / 7,
  dept: { code: `D${i % 7}`, site: null },
  roles: [`r${i % 5}`],
  updatedAt: new Date(1.7e12 + i * 6e4).toISOString(),
  apiToken: `t0ken-${i}`,
}));
const groups = [...Array(7).keys()].map((i) => ({ id: i + 1, name: `group${i}` }));
const members = users.map((u) => ({ id: u.id, groupId: 1 + (u.id % 7), userId: u.id }));

async function signed(token) {
  const [head, claims, signature] = (token ?? "").split(".");
  if (!signature) return false;
  const { kid, alg } = JSON.parse(Buffer.from(head, "base64url"));
  const { keys } = await (await fetch(process.env.JWKS_URL)).json();
  const key = keys.find((k) => k.kid === kid);
  const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url"));
  return alg === "RS256" && key && aud === "urn:target" && exp * 1000 > Date.now() &&
    verify("RSA-SHA256", `${head}.${claims}`, createPublicKey({ key, format: "jwk" }), Buffer.from(signature, "base64url"));
}

const checks = {
  none: () => true,
  basic: (q) => q.get("authorization") === "Basic " + Buffer.from("reader:pa:ss/wörd").toString("base64"),
  bearer: (q) => q.get("authorization") === "Bearer bearer-s3cret",
  header: (q) => q.get("x-api-key") === "key-s3cret",
  query: (q) => {
    const ok = q.query.key === "key&s3cret";
    delete q.query.key;
    return ok;
  },
  oauth: (q) => signed(q.get("authorization")?.replace(/^Bearer /, "")),
};

const server = jsonServer.create();
server.use(jsonServer.defaults({ logger: false, bodyParser: true }));
for (const [name, check] of Object.entries(checks)) {
  server.use("/" + name, async (q, r, next) => {
    if (await check(q)) next();
    else r.status(401).set("WWW-Authenticate", name === "basic" ? "Basic" : "Bearer").json({ error: "unauthorized", message: "who are you?" });
  }, jsonServer.router({ users, groups, members }));
}
const listening = server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log("listening " + listening.address().port));
