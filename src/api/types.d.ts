/** A whole number below 2^64 as decimal text: JavaScript's numbers would round it. */
export type Big = string;

/** A whole number below 2^64: a bigint, a number below 2^53, or decimal text. */
export type Whole = bigint | number | string;

/** What the package throws. */
export interface RaftwerkError extends Error {
  name: "RaftwerkError";
  /** What kind of mistake it is. */
  code: "shape" | "range" | "too_much" | "no_such" | "contradiction" | "version" | "cannot_be_done" | "damaged" | "empty";
  /** The path of the field that is wrong; may be empty. */
  path: string;
}
