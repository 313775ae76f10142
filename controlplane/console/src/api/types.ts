import type { components } from "./schema";

// What the API answers, as its own description has it: src/api/schema.d.ts is made from /openapi.json and not kept.
type Schemas = components["schemas"];

export type Identity = Schemas["Identity"];
export type IdentityDetail = Schemas["IdentityDetail"];
export type Account = Schemas["Account"];
export type Entitlement = Schemas["Entitlement"];
export type Grant = Schemas["Grant"];
export type Connector = Schemas["Connector"];

/** Any of the API's schemas by its name in the description. */
export type Of<N extends keyof Schemas> = Schemas[N];
export type Me = Schemas["WhoAmI"];
