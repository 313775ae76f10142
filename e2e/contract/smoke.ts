// A program of a customer that uses the generated client: it signs in, creates a person, finds them, and meets a refusal.
// The address and the sign-in come from the environment; the outcome is one line of JSON.
import { createClient } from "./client/client";
import { getIdentities, postAuthLogin, postIdentities } from "./client/sdk.gen";

const baseUrl = process.env.GRANTWRIGHT_URL!;
const client = createClient({ baseUrl });

async function main() {
  const login = await postAuthLogin({ client, body: { email: process.env.GRANTWRIGHT_EMAIL!, password: process.env.GRANTWRIGHT_PASSWORD! } });
  if (!login.data) throw new Error(`sign-in: ${JSON.stringify(login.error)}`);
  client.setConfig({ auth: login.data.access_token });

  const ada = { external_id: "E-1", email: "ada@example.com", first_name: "Ada", last_name: "Lovelace", department: "Engineering" };
  const created = await postIdentities({ client, body: ada });
  if (!created.data) throw new Error(`create: ${JSON.stringify(created.error)}`);

  const listed = await getIdentities({ client, query: { department: "Engineering", limit: 10 } });
  if (!listed.data) throw new Error(`list: ${JSON.stringify(listed.error)}`);

  const again = await postIdentities({ client, body: { ...ada, email: "other@example.com" } });

  console.log(
    JSON.stringify({
      created: created.data.id,
      listed: listed.data.items.map((i) => i.id),
      total: listed.data.total,
      refused: again.error?.code,
      status: again.response.status,
    }),
  );
}

main().catch((cause) => {
  console.error(cause);
  process.exit(1);
});
