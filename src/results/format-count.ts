/** A count as people write it: 1,234,567. The same on every machine, because it becomes part of a frozen text. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}
