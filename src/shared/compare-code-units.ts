/** Orders strings by code unit, so that the order does not depend on the locale of the machine. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
