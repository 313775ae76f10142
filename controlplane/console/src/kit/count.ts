/** A number as it is shown everywhere: with commas between thousands. */
export const number = (of: number | null | undefined) => (of ?? 0).toLocaleString("en");

/** A number and the noun it counts: "1 account", "2,808 accounts". many is the plural where it is not the noun with an s. */
export const count = (of: number, one: string, many = `${one}s`) => `${number(of)} ${of === 1 ? one : many}`;
