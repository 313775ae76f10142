// A SCIM 2.0 service provider of the packages scimmy and scimmy-routers, with a store in memory.
// Environment: PORT (0: any), TOKEN, USERS, GROUPS, SPREAD (seconds between the
// last changes of two users), MAX (results of a page), JWKS_URL (then the bearer token is a JWT for urn:target).
// express stays at 4: with 5 the routers lose count, startIndex and filter.
import express from "express";
import SCIMMY from "scimmy";
import SCIMMYRouters from "scimmy-routers";
import {createServer} from "node:http";
import {randomUUID, createPublicKey, verify} from "node:crypto";

const env = process.env, users = new Map(), groups = new Map();
const store = (map, resourceType) => ({
  ingress: (r, d) => {
    const id = r.id ?? randomUUID(), now = new Date();
    const n = {...JSON.parse(JSON.stringify(d)), id, meta: {resourceType, created: map.get(id)?.meta.created ?? now, lastModified: now}};
    map.set(n.id, n);
    return n;
  },
  egress: (r) => {
    if (!r.id) return r.filter ? r.filter.match([...map.values()]) : [...map.values()];
    if (!map.has(r.id)) throw new SCIMMY.Types.Error(404, null, `Resource ${r.id} not found`);
    return map.get(r.id);
  },
  degress: (r) => map.delete(r.id),
});
const u = store(users, "User"), g = store(groups, "Group");
SCIMMY.Resources.declare(SCIMMY.Resources.User).ingress(u.ingress).egress(u.egress).degress(u.degress);
SCIMMY.Resources.declare(SCIMMY.Resources.Group).ingress(g.ingress).egress(g.egress).degress(g.degress);
SCIMMY.Resources.User.extend(SCIMMY.Schemas.EnterpriseUser.definition, false);
SCIMMY.Config.set({patch: true, filter: {supported: true, maxResults: Number(env.MAX ?? 200)}, sort: true, bulk: true, etag: false});

const at = new Date("2026-01-02T03:04:05Z"), id = (i) => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;
for (let i = 0; i < Number(env.USERS ?? 0); i++) {
  users.set(id(i), {
    id: id(i), userName: `user${i}@example.test`, externalId: `e${i}`, displayName: `User ${i}`, active: i % 10 > 0,
    name: {givenName: `Given${i}`, familyName: `Family${i}`}, title: "Clerk", userType: "Employee",
    emails: [{value: `home${i}@example.test`, type: "home"}, {value: `user${i}@example.test`, type: "work", primary: true}],
    roles: i % 5 === 0 ? [{value: "auditor", display: "Auditor"}] : undefined,
    "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {
      employeeNumber: String(1000 + i), department: `D${i % 7}`, costCenter: "CC1", organization: "Example", division: "North",
      ...(i > 0 ? {manager: {value: id(Math.floor((i - 1) / 10))}} : {}),
    },
    meta: {resourceType: "User", created: at, lastModified: new Date(at.getTime() + i * 1000 * Number(env.SPREAD ?? 0))},
  });
}
for (let i = 0; i < Number(env.GROUPS ?? 0); i++) {
  const members = [];
  for (let k = 0; k < 10 && k < users.size; k++) members.push({value: id((i * 10 + k) % users.size), type: "User"});
  if (i > 0) members.push({value: `g${i - 1}`, type: "Group"});
  groups.set(`g${i}`, {id: `g${i}`, displayName: `Group ${i}`, members, meta: {resourceType: "Group", created: at, lastModified: at}});
}

const jwks = env.JWKS_URL ? await (await fetch(env.JWKS_URL)).json() : null;
const part = (s) => JSON.parse(Buffer.from(s ?? "", "base64url").toString() || "{}");
function whoHolds(bearer) {
  const [head, claims, signature] = bearer.split(".");
  const key = jwks.keys.find((k) => k.kid === part(head).kid), p = part(claims);
  if (!key || !verify("RSA-SHA256", Buffer.from(`${head}.${claims}`), createPublicKey({key, format: "jwk"}), Buffer.from(signature, "base64url"))) throw new Error("bad token");
  if (p.exp * 1000 < Date.now()) throw new Error("token expired");
  if (![].concat(p.aud).includes("urn:target")) throw new Error("wrong audience");
  return p.client_id;
}
const app = express();
app.use("/scim/v2", new SCIMMYRouters({type: "bearer", handler: (rq) => {
  const h = rq.header("Authorization") ?? "";
  if (jwks) return whoHolds(h.replace(/^Bearer /, ""));
  if (h !== `Bearer ${env.TOKEN}`) throw new Error("bad or missing token");
  return "admin";
}}));
createServer(app).listen(Number(env.PORT ?? 0), "127.0.0.1", function () { console.log("listening", this.address().port); });
