// An OAuth2 authorization server of the package oidc-provider with the client credentials grant.
// Environment: PORT (0: any), TTL (seconds that a token lives). Clients iga (basic) and iga-post (post), secret s3cret-value;
// tokens are RS256 JWTs for the audience urn:target. Signing keys are made at start.
import {Provider} from "oidc-provider";
import {createServer} from "node:http";
import {generateKeyPairSync} from "node:crypto";

const ttl = Number(process.env.TTL ?? 5);
const key = generateKeyPairSync("rsa", {modulusLength: 2048}).privateKey.export({format: "jwk"});
const client = (id, method) => ({
  client_id: id, client_secret: "s3cret-value", grant_types: ["client_credentials"], redirect_uris: [], response_types: [],
  token_endpoint_auth_method: method,
});
let handle;
const server = createServer((req, res) => handle(req, res));
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  const port = server.address().port;
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [client("iga", "client_secret_basic"), client("iga-post", "client_secret_post")],
    jwks: {keys: [{...key, kid: "k1", use: "sig", alg: "RS256"}]},
    cookies: {keys: ["not-used"]},
    ttl: {ClientCredentials: ttl},
    scopes: ["scim"],
    features: {
      clientCredentials: {enabled: true}, devInteractions: {enabled: false},
      resourceIndicators: {
        enabled: true, defaultResource: () => "urn:target",
        getResourceServerInfo: () => ({
          scope: "scim", audience: "urn:target", accessTokenTTL: ttl, accessTokenFormat: "jwt", jwt: {sign: {alg: "RS256"}},
        }),
      },
    },
  });
  handle = provider.callback();
  console.log("listening", port);
});
