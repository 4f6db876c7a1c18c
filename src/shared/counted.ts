/** Formats a number with its noun in the singular or plural: `1 call`, `2 calls`. */
export function formatCounted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
