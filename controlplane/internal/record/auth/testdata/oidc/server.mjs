// An OpenID Connect provider of the package oidc-provider. It signs in whomever login_hint names, without asking.
// Environment: PORT (0: any), REDIRECT (the clients' redirect address), ACCOUNTS (JSON: {"ada": {"email": …, "groups": […]}}).
import http from 'node:http';
import { Provider } from 'oidc-provider';

const redirect = process.env.REDIRECT;
const accounts = JSON.parse(process.env.ACCOUNTS);
const server = http.createServer();

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'grantwright', client_secret: 'CANARY-client-secret', redirect_uris: [redirect], response_types: ['code'], grant_types: ['authorization_code'] },
      { client_id: 'public', token_endpoint_auth_method: 'none', redirect_uris: [redirect], response_types: ['code'], grant_types: ['authorization_code'] },
    ],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['only for tests'] },
    interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (ctx, sub) => accounts[sub] && { accountId: sub, claims: () => ({ sub, ...accounts[sub] }) },
  });
  const handle = provider.callback();

  // The two questions that a provider asks its users are answered here at once.
  async function answer(req, res) {
    const { prompt, params, session, grantId } = await provider.interactionDetails(req, res);
    const result = {};
    if (prompt.name === 'login') {
      result.login = { accountId: params.login_hint };
    } else {
      const grant = grantId ? await provider.Grant.find(grantId) : new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
      grant.addOIDCScope(params.scope);
      result.consent = { grantId: await grant.save() };
    }
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: true });
  }

  server.on('request', (req, res) => {
    if (!req.url.startsWith('/interaction/')) {
      handle(req, res);
      return;
    }
    answer(req, res).catch((err) => { res.statusCode = 500; res.end(String(err)); });
  });
  console.log('listening', server.address().port);
});
