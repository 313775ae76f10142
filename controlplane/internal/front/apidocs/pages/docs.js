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
      layout: "BaseLayout",
    });
  });
})();
