"use strict";
// What is tried out here is asked for in the name of whoever is signed in. Their token goes along, and is not shown: the sample of curl
// that stands beside an answer gets copied into tickets.
(() => {
  const shown = "Bearer YOUR_TOKEN";
  const api = `${location.origin}${grantwright.base}/api/v1/`;

  function withToken(request) {
    if (!String(request.url).startsWith(api)) return request;
    const given = request.headers.Authorization; // by the viewer's own Authorize
    request.headers.Authorization = shown;
    request.userFetch = async (url, options) => {
      const { Authorization, ...headers } = options.headers;
      const token = given ? "" : await grantwright.token();
      const bearer = given ?? (token && `Bearer ${token}`);
      if (!bearer) grantwright.tell("You are not signed in any more.", { label: "Sign in", act: grantwright.signIn });
      return fetch(url, { ...options, headers: bearer ? { ...headers, Authorization: bearer } : headers });
    };
    return request;
  }

  // The viewer's own resolver reads the whole description anew for each part, which takes more than ten seconds. This one follows the
  // references of that part. All of them are within the description, and one that leads back to itself stays as it is.
  const resolveSubtree = async (description, path) => ({ spec: resolved(description, at(description, path), []), errors: [] });
  const at = (of, path) => path.reduce((part, name) => part?.[name], of);
  const target = (description, ref) =>
    at(description, ref.slice(2).split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~")));

  function resolved(description, part, within) {
    if (Array.isArray(part)) return part.map((item) => resolved(description, item, within));
    if (part === null || typeof part !== "object") return part;
    const ref = part.$ref;
    if (typeof ref === "string" && ref.startsWith("#/")) {
      if (within.includes(ref)) return part;
      return { ...resolved(description, target(description, ref), [...within, ref]), ...(part.description && { description: part.description }) };
    }
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolved(description, value, within)]));
  }

  void grantwright.open((description) => {
    window.ui = SwaggerUIBundle({
      spec: description,
      dom_id: "#viewer",
      deepLinking: true,
      docExpansion: "none",
      filter: true,
      tryItOutEnabled: true,
      validatorUrl: null,
      persistAuthorization: false,
      queryConfigEnabled: false,
      requestInterceptor: withToken,
      presets: [SwaggerUIBundle.presets.apis],
      plugins: [() => ({ fn: { resolveSubtree } })],
      layout: "BaseLayout",
    });
  });
})();
