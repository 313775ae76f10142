"use strict";
// The session of these pages is the console's: a refresh token in a cookie that no script can read, and an access token that is kept
// here alone. grantwright.token() gives one that is good for a while yet, "" when nobody is signed in; grantwright.open(show) reads the
// description and hands it to a viewer.
const grantwright = (() => {
  const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
  const base = meta("base"); // the path of the tenant, where it is reached by one
  const everybody = meta("access") === "everybody";
  let token = "";
  let expires = 0; // milliseconds of Date.now

  const good = () => token !== "" && expires - Date.now() > 30_000;

  async function renew() {
    const answer = await fetch(`${base}/api/v1/auth/refresh`, { method: "POST", headers: { "Content-Type": "application/json" } });
    if (answer.ok) {
      const given = await answer.json();
      token = given.access_token;
      expires = Date.now() + given.expires_in * 1000;
    } else if (answer.status < 500 && answer.status !== 429) {
      token = "";
    } else {
      throw new Error(`The service answered ${answer.status}.`);
    }
  }

  // A refresh token works once: of all tabs, the console's too, one refreshes at a time. Browsers have locks at https addresses and on
  // the machine itself.
  let refreshing;
  async function access() {
    if (good()) return token;
    const alone = navigator.locks ? (work) => navigator.locks.request("grantwright-refresh", work) : (work) => work();
    refreshing ??= Promise.resolve(alone(renew)).finally(() => {
      refreshing = undefined;
    });
    await refreshing;
    return token;
  }

  const here = () => location.pathname.slice(base.length) + location.hash;
  const signIn = () => location.replace(`${base}/login?next=${encodeURIComponent(here())}`);

  // Whoever signs out in another tab is signed out here.
  new BroadcastChannel("grantwright-session").addEventListener("message", (m) => {
    if (m.data !== "out") return;
    token = "";
    if (!everybody) signIn();
  });

  const told = document.getElementById("told");
  function tell(text, offer) {
    told.textContent = text;
    told.hidden = text === "";
    if (!offer) return;
    const act = document.createElement("button");
    act.type = "button";
    act.textContent = offer.label;
    act.addEventListener("click", offer.act);
    told.append(" ", act);
  }

  function offerToSave(text) {
    const save = document.getElementById("save");
    save.hidden = false;
    save.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/openapi+json" }));
      link.download = "openapi.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    });
  }

  async function read() {
    const bearer = everybody ? "" : await access();
    if (!everybody && bearer === "") return undefined;
    const answer = await fetch(`${base}/openapi.json`, bearer ? { headers: { Authorization: `Bearer ${bearer}` } } : {});
    if (answer.status === 401) return undefined;
    if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
    return answer.text();
  }

  async function open(show) {
    try {
      const text = await read();
      if (text === undefined) {
        signIn();
        return;
      }
      const description = JSON.parse(text);
      description.servers = [{ url: location.origin + base, description: "This service" }];
      offerToSave(text);
      await show(description);
      tell("");
    } catch (e) {
      const why = e instanceof TypeError ? "The service cannot be reached." : String(e.message ?? e);
      tell(`The description could not be opened. ${why}`, { label: "Try again", act: () => location.reload() });
    }
  }

  return { base, token: access, signIn, tell, open };
})();
