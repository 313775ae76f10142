/** The language of the catalog behind #text (see "imports" in package.json), for plurals and numbers. */
export const language = "en";
