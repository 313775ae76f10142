/** The addresses of the documentation's files; made by docs/plugin.ts. */
declare module "virtual:docs" {
  /** Of the list of all pages. */
  export const list: string;
  /** Of each page. */
  export const pages: Record<string, string>;
}
