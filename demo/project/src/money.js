export function roundToCents(amount) {
  return Math.round(amount * 100) / 100
}
