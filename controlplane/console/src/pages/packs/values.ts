import type { Pack } from "./words";

/** What a pack asks for. */
export type Parameter = Pack["parameters"][number];
/** What is answered, by the keys of what is asked for. */
export type Values = Record<string, unknown>;

/** The values that a pack begins with: those of the installation, or else its defaults. */
export function initialValues(of: Parameter[], installed: Values | undefined): Values {
  return Object.fromEntries(
    of.map((p) => [p.key, installed?.[p.key] ?? p.default ?? undefined]).filter(([, v]) => v !== undefined && v !== null),
  );
}

/** Of the values that were typed, those that a version asks for; its defaults for what nobody was asked yet. */
export function fitting(of: Parameter[], typed: Values): Values {
  const undeclared = of.filter((p) => !(p.key in typed));
  return {
    ...initialValues(undeclared, undefined),
    ...Object.fromEntries(of.filter((p) => typed[p.key] !== undefined).map((p) => [p.key, typed[p.key]])),
  };
}
