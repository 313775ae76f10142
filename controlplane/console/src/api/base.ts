// Where the service is: before the console's own paths, when a tenant is reached by a path.
const given = document.querySelector<HTMLMetaElement>('meta[name="base"]')?.content ?? "";

/** The path before the console's own, without a slash at its end. */
export const basePath = given === "base" ? "" : given;
