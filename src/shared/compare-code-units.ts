/** Orders strings by code unit: the same on every machine, whatever its locale. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
